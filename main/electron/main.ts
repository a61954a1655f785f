import { join } from 'node:path';
import { app, dialog, Menu, powerMonitor, session } from 'electron';
import { formatsFor } from '../../core/contract/words/formats.ts';
import { languageOf, pickLocale, wordsFor } from '../../core/contract/words/language.ts';
import { type DataPaths, dataHome, openDataPaths } from '../../core/store/paths.ts';
import { Activity } from '../activity.ts';
import { makeAnswers } from '../answers.ts';
import { openHost } from '../host.ts';
import { readSettings } from '../settings.ts';
import { trayState } from '../tray-state.ts';
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

  /** Work that nobody waits for: its failure is written down, and what it shows stays as it was. */
  const background = (work: Promise<unknown>) => void work.catch((error: unknown) => console.error(error));

  const host = await openHost({
    paths,
    workflows: settings.workflows,
    fork: forkExecutor,
    onRunChanged: (runId) => {
      notify(window, 'runChanged', { runId });
      background(activity.refresh());
    },
    onWorkflowsChanged: () => notify(window, 'workflowsChanged', {}),
    onSettingsChanged: () => notify(window, 'settingsChanged', {}),
    onError: (error) => console.error(error),
  });
  const { supervisor, queries } = host;

  const pages = session.fromPartition('pages');
  servePages(pages);
  confinePages(pages);
  if (process.platform !== 'darwin') Menu.setApplicationMenu(null);
  const window = new MainWindow(pages, locale, () => background(activity.seen()));
  const tray = new TrayView(trayState({ active: [], waiting: [] }, words, formats), words, {
    open: () => window.open(),
    stop: (runId) => background(Promise.resolve(host.api.stopRun({ runId }))),
    quit: () => background(askToQuit(supervisor, words)),
  });
  const activity = new Activity({ supervisor, queries }, (input) => {
    tray.show(trayState(window.isLookedAt() ? { ...input, unseen: undefined } : input, words, formats));
  });

  serveApi(makeAnswers(host.api), window);
  const runs = {
    active: () => supervisor.active(),
    onChanged: (listener: () => void) => supervisor.onChanged(listener),
    stopAll: (reason: string) => {
      host.end();
      return supervisor.stopAll(reason);
    },
  };
  stopRunsBeforeQuit(runs, () => host.close());
  powerMonitor.on('resume', () => host.wake());
  app.on('second-instance', () => window.open());
  app.on('activate', () => window.open());
  // Without a listener Electron quits when the window closes.
  app.on('window-all-closed', () => {});
  host.begin();
  background(activity.refresh());
  window.open();
}

function fail(error: unknown): void {
  dialog.showErrorBox('Dagu Desktop could not start', error instanceof Error ? error.message : String(error));
  app.exit(1);
}
