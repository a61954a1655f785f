import { join } from 'node:path';
import { tryFileLock } from '../core/store/lock.ts';
import type { Store } from '../core/store/store.ts';

/** Whether the tray app runs on this data directory: it then goes on with runs that were answered, and stops them. */
export function trayRuns(store: Store): boolean {
  const lock = tryFileLock(join(store.paths.locks, 'tray.lock'));
  lock?.release();
  return lock === undefined;
}
