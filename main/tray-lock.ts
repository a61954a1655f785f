import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type FileLock, tryFileLock } from '../core/store/lock.ts';

/** Commands that ask whether the tray app runs hold the lock for a moment. */
const tryEveryMs = 100;

/**
 * Holds the lock that tells others a tray app goes on with the runs of this data directory
 * (`locks/tray.lock`): resolves once it is held, by this one alone, and lets it go when the
 * signal aborts. Waits while another has it.
 *
 * @param locks the data directory's folder of locks
 */
export async function holdTrayLock(locks: string, signal: AbortSignal): Promise<void> {
  const lock = await takeLock(lockPath(locks), signal);
  if (lock === undefined) return;
  if (signal.aborted) lock.release();
  else signal.addEventListener('abort', () => lock.release());
}

async function takeLock(path: string, signal: AbortSignal): Promise<FileLock | undefined> {
  while (!signal.aborted) {
    const lock = tryFileLock(path);
    if (lock !== undefined) return lock;
    await delay(tryEveryMs);
  }
  return undefined;
}

/** Whether a tray app holds the lock: it then goes on with runs that were answered, and stops them. */
export function trayRuns(locks: string): boolean {
  const lock = tryFileLock(lockPath(locks));
  lock?.release();
  return lock === undefined;
}

function lockPath(locks: string): string {
  return join(locks, 'tray.lock');
}
