import { readdirSync, readFileSync } from 'node:fs';

/** A process as Linux' /proc shows it. */
export interface ProcessEntry {
  pid: number;
  parent: number;
  group: number;
  session: number;
  /** It ended, and nobody has collected it yet. */
  ended: boolean;
}

/** Every process that the system shows; none where there is no /proc. */
export function allProcesses(): ProcessEntry[] {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? (processEntry(Number(name)) ?? []) : []));
}

/** A process, or `undefined` when there is none of that number. */
export function processEntry(pid: number): ProcessEntry | undefined {
  const stat = read(`/proc/${pid}/stat`)?.toString('latin1');
  if (stat === undefined) return undefined;
  // pid (name) state parent group session …; the name may hold blanks and parentheses
  const [state, parent, group, session] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return {
    pid,
    parent: Number(parent),
    group: Number(group),
    session: Number(session),
    ended: state === 'Z' || state === 'X',
  };
}

/** Whether a process was started with a text in its environment; not known of one of another user. */
export function hasInEnvironment(pid: number, text: string): boolean {
  return read(`/proc/${pid}/environ`)?.includes(text) ?? false;
}

/** A file of /proc, or `undefined` when its process ended, or is another user's. */
function read(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ESRCH' || code === 'EACCES' || code === 'EPERM') return undefined;
    throw error;
  }
}
