import { resolve } from 'node:path';
import { parseArgs } from 'node:util';

/** What the tray app is told when it starts. */
export interface Settings {
  /** Absolute path of the folder whose workflow files are offered. */
  workflows: string;
  /** The language asked for by `--lang`, as a BCP 47 tag; absent when the system's is to be used. */
  language?: string;
}

/**
 * Reads the settings: the command line wins over the environment, which wins over the
 * default, the folder `workflows` of the data directory.
 *
 * @param args the command line after the program; switches of Chromium in it are left alone
 * @param standard the folder `workflows` of the data directory
 */
export function readSettings(args: readonly string[], env: NodeJS.ProcessEnv, standard: string): Settings {
  const { values } = parseArgs({
    args: [...args],
    strict: false,
    options: { workflows: { type: 'string' }, lang: { type: 'string' } },
  });
  const folder = text(values.workflows) ?? text(env.DAGU_DESKTOP_WORKFLOWS) ?? standard;
  const language = text(values.lang);
  return { workflows: resolve(folder), ...(language !== undefined && { language }) };
}

/** A value that was given and is not empty: `--workflows` without a folder, or `NAME=`, are as if not there. */
function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
