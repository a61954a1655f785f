import { allProcesses } from './process-table.ts';

/** Whether a process of the group still runs; one that ended and was not yet collected does not. */
export function groupLives(group: number): boolean {
  try {
    process.kill(target(group), 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
    throw error;
  }
  return process.platform !== 'linux' || allProcesses().some((entry) => entry.group === group && !entry.ended);
}

export function signalGroup(group: number, signal: NodeJS.Signals): void {
  try {
    process.kill(target(group), signal);
  } catch (error) {
    // ESRCH: it ended by itself, which is what was wanted.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** A negative number names a group; Windows has none, and its process stands for it. */
function target(group: number): number {
  return process.platform === 'win32' ? group : -group;
}
