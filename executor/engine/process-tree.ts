import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { groupLives, signalGroup } from './process-group.ts';
import { allProcesses, hasInEnvironment, type ProcessEntry, processEntry } from './process-table.ts';

/**
 * All that a command started. On Linux these are the processes of its group and its session,
 * those that carry its mark in their environment, and what any of them started: so also one
 * that was detached by `setsid` or `nohup`, or whose parent ended. Only a process that
 * detached itself and threw its environment away as well is not known to be one of them. On
 * macOS it is the process group.
 */
export interface ProcessTree {
  /** The commands' processes; each leads its group and its session. */
  roots: readonly number[];
  /** Part of the value of {@link markVariable} in their environment, found in no other. */
  mark: string;
}

/** Names the trees that a process is in, the outermost first: a step may run workflows itself. */
export const markVariable = 'DAGU_PROCESS_MARK';

/** How long a stopped process may take to end by itself, in ms, as in Dagu. */
const graceMs = 5000;
/** How long the system may take to end a killed process; one that hangs in a driver never ends. */
const killMs = 2000;
const lookEveryMs = 20;

/** Asks every process of the tree to end, and ends those that do not. Resolves when none is left. */
export async function endTree(tree: ProcessTree): Promise<void> {
  if (process.platform === 'linux') await endMembers(() => membersOf(tree));
  else await Promise.all(tree.roots.map(process.platform === 'win32' ? endWindowsTree : endGroup));
}

/** Processes of the tree that have not ended, as far as /proc shows them. */
export function membersOf({ roots, mark }: ProcessTree): number[] {
  const processes = allProcesses().filter(({ pid, ended }) => !ended && pid !== process.pid);
  const isMember = ({ pid, group, session }: ProcessEntry) =>
    roots.includes(group) || roots.includes(session) || hasInEnvironment(pid, mark);
  const members = new Set(processes.filter(isMember).map(({ pid }) => pid));
  for (let size = 0; size < members.size; ) {
    size = members.size;
    for (const { pid, parent } of processes) if (members.has(parent)) members.add(pid);
  }
  return [...members];
}

async function endMembers(find: () => number[]): Promise<void> {
  const asked = new Set<number>();
  const areGone = await until(graceMs, () => {
    const members = find();
    // What a process started meanwhile is asked too.
    for (const pid of members) if (!asked.has(pid)) signal(pid, 'SIGTERM');
    for (const pid of members) asked.add(pid);
    return members;
  });
  if (areGone) return;
  await until(killMs, () => {
    const members = find();
    for (const pid of members) signal(pid, 'SIGKILL');
    return members;
  });
}

/** Looks again, each time that all of those found have ended, until there is none; false when the time was too short. */
async function until(ms: number, find: () => number[]): Promise<boolean> {
  const end = Date.now() + ms;
  for (let left = find(); left.length > 0; left = find()) {
    while (left.some(lives)) {
      if (Date.now() > end) return false;
      await delay(lookEveryMs);
    }
  }
  return true;
}

function lives(pid: number): boolean {
  const entry = processEntry(pid);
  return entry !== undefined && !entry.ended;
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    // ESRCH: it ended by itself, which is what was wanted. EPERM: it became another user's.
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ESRCH' && code !== 'EPERM') throw error;
  }
}

async function endGroup(group: number): Promise<void> {
  signalGroup(group, 'SIGTERM');
  const end = Date.now() + graceMs;
  while (groupLives(group) && Date.now() < end) await delay(lookEveryMs);
  signalGroup(group, 'SIGKILL');
}

/** Windows' own tool for it. What outlives its parent is in no tree there: a job object will hold it (native/windows). */
async function endWindowsTree(root: number): Promise<void> {
  const tool = spawn('taskkill', ['/PID', String(root), '/T', '/F'], { stdio: 'ignore', windowsHide: true });
  await Promise.race([once(tool, 'exit'), once(tool, 'error')]);
}
