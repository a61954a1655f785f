import type { RunStatus } from './run.ts';

// Apart from the schemas, so that a page which asks these does not load the schema library.

/** The reason that a run carries when a person stopped it from the app. */
export const stoppedByPerson = 'stopped by a person in the tray app';

const unfinished: readonly RunStatus[] = ['not_started', 'queued', 'running', 'waiting'];

/** Whether a run with this status is over: it does nothing more, and its status stays. */
export function isEnded(status: RunStatus): boolean {
  return !unfinished.includes(status);
}
