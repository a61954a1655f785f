import { app, dialog } from 'electron';
import type { Words } from '../../core/contract/words/en.ts';
import type { Supervisor } from '../supervisor.ts';

/** How long runs may take to stop when the app quits; what is left then ends with it. */
const quitGraceMs = 15_000;

/** The reason that the runs carry which quitting the app stops. */
const reason = 'stopped because Dagu Desktop was quit';

type Runs = Pick<Supervisor, 'active' | 'stopAll'> & { onChanged(listener: () => void): void };

/**
 * Has the app stop its runs before it quits, whoever asks it to.
 *
 * @param finish gives back what the app holds, after the runs have ended
 */
export function stopRunsBeforeQuit(runs: Runs, finish: () => Promise<void>): void {
  let state: 'running' | 'stopping' | 'stopped' = 'running';
  app.on('before-quit', (event) => {
    if (state === 'stopped') return;
    event.preventDefault();
    if (state === 'stopping') return;
    state = 'stopping';
    void stopRuns(runs)
      .then(finish)
      .finally(() => {
        state = 'stopped';
        app.quit();
      });
  });
}

/** Quits at once when nothing runs; else asks first, since what runs is stopped. */
export async function askToQuit(runs: Pick<Runs, 'active'>, { tray }: Words): Promise<void> {
  if (runs.active().length > 0) {
    const { response } = await dialog.showMessageBox({
      type: 'question',
      message: tray.quitQuestion,
      detail: tray.quitDetail,
      buttons: [tray.stopAndQuit, tray.cancel],
      defaultId: 1,
      cancelId: 1,
    });
    if (response !== 0) return;
  }
  app.quit();
}

async function stopRuns(runs: Runs): Promise<void> {
  const late = new Promise<void>((resolve) => setTimeout(resolve, quitGraceMs));
  const ended = new Promise<void>((resolve) => {
    const look = () => runs.active().length === 0 && resolve();
    runs.onChanged(look);
    look();
  });
  await Promise.race([runs.stopAll(reason).then(() => ended), late]);
}
