import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { orStepError } from './step-output.ts';

/**
 * Makes a file of the owner's alone for as long as `use` takes. What an executor that was
 * killed leaves behind goes with the file's folder.
 *
 * @param mode 0600, or 0700 for one that is to be run
 */
export async function withPrivateFile<T>(
  { path, text, mode }: { path: string; text: string; mode: number },
  use: () => Promise<T>,
): Promise<T> {
  orStepError(path, () => {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    writeFileSync(path, text, { mode, flag: 'wx' });
  });
  try {
    return await use();
  } finally {
    rmSync(path, { force: true });
  }
}
