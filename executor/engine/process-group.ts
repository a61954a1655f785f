import { readdirSync, readFileSync } from 'node:fs';

/** How long a stopped group may take to end by itself, in ms. */
const termGraceMs = 5000;
const lookEveryMs = 20;

/** Asks every process of a group to end, and ends those that do not. Resolves when none is left. */
export async function endGroup(group: number): Promise<void> {
  signalGroup(group, 'SIGTERM');
  const end = Date.now() + termGraceMs;
  while (groupLives(group) && Date.now() < end) await new Promise((resolve) => setTimeout(resolve, lookEveryMs));
  signalGroup(group, 'SIGKILL');
}

/** Whether a process of the group still runs; one that ended and was not yet collected does not. */
export function groupLives(group: number): boolean {
  try {
    process.kill(target(group), 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
    throw error;
  }
  return process.platform !== 'linux' || readdirSync('/proc').some((entry) => runsInGroup(entry, group));
}

function runsInGroup(entry: string, group: number): boolean {
  if (!/^\d+$/.test(entry)) return false;
  let stat: string;
  try {
    stat = readFileSync(`/proc/${entry}/stat`, 'utf8');
  } catch {
    return false; // it ended since the folder was listed
  }
  // pid (name) state parent group …; the name may hold blanks and parentheses
  const [state, , processGroup] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return Number(processGroup) === group && state !== 'Z' && state !== 'X';
}

function signalGroup(group: number, signal: NodeJS.Signals): void {
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
