import { readFileSync } from 'node:fs';
import type { Window } from '../../native/desktop.ts';
import { titleContains } from '../../native/window-choice.ts';

/** Tells the windows that a step never operates (spec: Act), by why. */
export type Protection = (window: Window) => boolean;

/** What a person reads when a step comes upon such a window. */
export function protectedReason({ title }: Window): string {
  return `"${title}" belongs to the application that runs this step, which it never operates`;
}

const mostAncestors = 16;

/** The windows of this process and those that started it, and the applications and titles that the environment names. */
export function protection(env: NodeJS.ProcessEnv, pids: ReadonlySet<number> = ownProcesses()): Protection {
  const apps = listed(env.DAGU_DESKTOP_PROTECTED_APPS).map(imageName);
  const titles = listed(env.DAGU_DESKTOP_PROTECTED_TITLES);
  return (window) =>
    pids.has(window.pid) ||
    apps.includes(imageName(window.app)) ||
    titles.some((title) => titleContains(window, title));
}

function listed(names: string | undefined): string[] {
  return (names ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
}

function imageName(name: string): string {
  return name.toLowerCase().replace(/\.(exe|app)$/, '');
}

/** This process and its ancestors; on systems without /proc the parent alone. */
function ownProcesses(): Set<number> {
  const pids = new Set([process.pid]);
  let pid = process.ppid;
  while (pid > 1 && pids.size <= mostAncestors && !pids.has(pid)) {
    pids.add(pid);
    pid = parentOf(pid) ?? 0;
  }
  return pids;
}

function parentOf(pid: number): number | undefined {
  if (process.platform !== 'linux') return undefined;
  let stat: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch (error) {
    if (['ENOENT', 'ESRCH', 'EACCES'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw error;
  }
  // The program's name, in parentheses, may hold anything.
  const [, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return Number(parent);
}
