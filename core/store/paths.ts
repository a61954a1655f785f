import { mkdirSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';

/** The folders of one data directory. All of them are the owner's alone. */
export interface DataPaths {
  home: string;
  database: string;
  locks: string;
  /** A folder a workflow's name, in it one a run, with its logs, artifacts and work folder. */
  runs: string;
  workflows: string;
}

/**
 * The data directory: DAGU_DESKTOP_HOME, else `$DAGU_HOME/desktop`, else the system's
 * usual place (on Windows under the local profile, which does not roam).
 */
export function dataHome(env: NodeJS.ProcessEnv = process.env, platform: NodeJS.Platform = process.platform): string {
  if (env.DAGU_DESKTOP_HOME) return env.DAGU_DESKTOP_HOME;
  if (env.DAGU_HOME) return join(env.DAGU_HOME, 'desktop');
  if (platform === 'win32') return join(env.LOCALAPPDATA ?? join(homedir(), 'AppData', 'Local'), 'Dagu Desktop');
  if (platform === 'darwin') return join(homedir(), 'Library', 'Application Support', 'Dagu Desktop');
  return join(env.XDG_DATA_HOME || join(homedir(), '.local', 'share'), 'dagu-desktop');
}

/** The paths in a data directory, its folders made where they are missing. */
export function openDataPaths(home: string): DataPaths {
  const paths: DataPaths = {
    home,
    database: join(home, 'dagu-desktop.db'),
    locks: join(home, 'locks'),
    runs: join(home, 'runs'),
    workflows: join(home, 'workflows'),
  };
  for (const folder of [resolve(home), paths.locks, paths.runs]) makeFolder(folder);
  return paths;
}

/**
 * Makes a folder and those above it, where they are missing. `mkdirSync` with `recursive`
 * never returns where a system says ENOENT to every new folder, as Linux does in /proc.
 */
function makeFolder(path: string): void {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found?.isDirectory()) return;
  if (found !== undefined) throw new Error(`${path} is not a folder`);
  makeFolder(dirname(path));
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    // Another process may have made it meanwhile.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

/** A file or folder name made of any text: what a file system could refuse becomes `_`. */
export function safeName(text: string): string {
  const safe = text.replaceAll(/[^\p{L}\p{N}._-]+/gu, '_').slice(0, 80);
  return /^\.*$/.test(safe) ? `_${safe}` : safe;
}
