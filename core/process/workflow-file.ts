import { readFile, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { type Loaded, type LoadOptions, loadWorkflow } from '../workflow/load.ts';
import { maxFileBytes } from '../workflow/stream.ts';

/**
 * Reads and loads a workflow file. A file that is missing, too large or no text is a
 * problem like any other, so that a caller has one way to tell what is wrong.
 */
export async function readWorkflowFile(file: string, options: LoadOptions): Promise<Loaded> {
  const path = resolve(file);
  const problem = (message: string): Loaded => ({ problems: [{ message, path: [] }], warnings: [] });
  let bytes: Buffer;
  try {
    const { size } = await stat(path);
    if (size > maxFileBytes) return problem(`the file has ${size} bytes; a workflow file has at most ${maxFileBytes}`);
    bytes = await readFile(path);
  } catch (error) {
    return problem(whyUnreadable(error as NodeJS.ErrnoException));
  }
  try {
    return loadWorkflow(new TextDecoder('utf-8', { fatal: true }).decode(bytes), path, options);
  } catch (error) {
    if (error instanceof TypeError && 'code' in error) return problem('the file is not UTF-8 text');
    throw error;
  }
}

function whyUnreadable(error: NodeJS.ErrnoException): string {
  if (error.code === 'ENOENT') return 'there is no such file';
  if (error.code === 'EISDIR') return 'this is a folder, not a workflow file';
  if (error.code === 'EACCES') return 'the file may not be read by this user';
  return error.message;
}
