import { join } from 'node:path';
import { app, dialog, Menu, session } from 'electron';
import { stoppedByPerson } from '../../core/contract/run-state.ts';
import { formatsFor } from '../../core/contract/words/formats.ts';
import { languageOf, pickLocale, wordsFor } from '../../core/contract/words/language.ts';
import { type DataPaths, dataHome, openDataPaths } from '../../core/store/paths.ts';
import { Activity } from '../activity.ts';
import { makeAnswers } from '../answers.ts';
import { makeApi } from '../api.ts';
import { openQueries } from '../queries-client.ts';
import { readSettings } from '../settings.ts';
import { StoreWatch } from '../store-watch.ts';
import { Supervisor } from '../supervisor.ts';
import { trayState } from '../tray-state.ts';
import { WorkflowsFolder } from '../workflows-folder.ts';
import { notify, serveApi } from './ipc.ts';
import { registerPagesScheme, servePages } from './pages.ts';
import { forkExecutor } from './processes.ts';
import { askToQuit, stopRunsBeforeQuit } from './quit.ts';
import { TrayView } from './tray.ts';
import { confinePages, MainWindow } from './window.ts';

/**
 * The tray app. It lives in the system's tray: closing its window ends nothing, and a
 * second start opens the window, also where the system shows no tray icon.
 */

/** How often the store is asked for changes by other programs, while a window shows it. */
const lookEveryMs = 1000;

try {
  prepare(openDataPaths(dataHome()));
} catch (error) {
  fail(error);
}

/** What has to happen before Electron is ready. */
function prepare(paths: DataPaths): void {
  // One app for each data directory: Electron's lock and files follow this path.
  app.setPath('userData', join(paths.home, 'electron'));
  app.setName('Dagu Desktop');
  registerPagesScheme();
  if (!app.requestSingleInstanceLock()) {
    app.quit();
    return;
  }
  app
    .whenReady()
    .then(() => start(paths))
    .catch(fail);
}

async function start(paths: DataPaths): Promise<void> {
  const settings = readSettings(process.argv.slice(1), process.env, paths.workflows);
  const locale = pickLocale(settings.language === undefined ? app.getPreferredSystemLanguages() : [settings.language]);
  const words = wordsFor(languageOf(locale));
  const formats = formatsFor(locale, words.common.justNow);

  const life = new AbortController();
  /** Work that nobody waits for: its failure is written down, and what it shows stays as it was. */
  const background = (work: Promise<void>) => {
    work.catch((error: unknown) => life.signal.aborted || console.error(error));
  };

  const folder = new WorkflowsFolder(settings.workflows);
  await folder.make();
  const queries = openQueries(paths.home);
  const supervisor = new Supervisor({ home: paths.home, fork: forkExecutor });

  const pages = session.fromPartition('pages');
  servePages(pages);
  confinePages(pages);
  if (process.platform !== 'darwin') Menu.setApplicationMenu(null);
  const window = new MainWindow(pages, locale, () => background(activity.seen()));
  const tray = new TrayView(trayState({ active: [] }, words, formats), words, {
    open: () => window.open(),
    stop: (runId) => background(supervisor.stop(runId, stoppedByPerson)),
    quit: () => background(askToQuit(supervisor, words)),
  });
  const activity = new Activity({ supervisor, queries: queries.client }, (input) => {
    tray.show(trayState(window.isLookedAt() ? { active: input.active } : input, words, formats));
  });

  const runChanged = (runId: string) => notify(window, 'runChanged', { runId });
  serveApi(makeAnswers(makeApi({ folder, supervisor, queries: queries.client })), window);
  supervisor.onChanged((runId) => {
    runChanged(runId);
    background(activity.refresh());
  });
  const storeWatch = new StoreWatch(queries.client, runChanged);
  const storeTimer = setInterval(() => window.contents() && background(storeWatch.look()), lookEveryMs);
  background(folder.watch(() => notify(window, 'workflowsChanged', {}), life.signal));

  stopRunsBeforeQuit(supervisor, async () => {
    life.abort();
    clearInterval(storeTimer);
    await queries.close();
  });
  app.on('second-instance', () => window.open());
  app.on('activate', () => window.open());
  // Without a listener Electron quits when the window closes.
  app.on('window-all-closed', () => {});
  window.open();
}

function fail(error: unknown): void {
  dialog.showErrorBox('Dagu Desktop could not start', error instanceof Error ? error.message : String(error));
  app.exit(1);
}
