import { constants } from 'node:fs';
import { open, stat } from 'node:fs/promises';
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
    const found = await stat(path);
    if (found.isDirectory()) return problem('this is a folder, not a workflow file');
    if (!found.isFile()) return problem('this is not a regular file');
    bytes = await readBounded(path);
    const size = Math.max(found.size, bytes.length);
    if (size > maxFileBytes) return problem(`the file has ${size} bytes; a workflow file has at most ${maxFileBytes}`);
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

/** A file's bytes, at most one more than is allowed: it may grow while it is read. */
async function readBounded(path: string): Promise<Buffer> {
  // Should a pipe have taken the file's place, opening it does not wait for a writer.
  const file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  const chunks: Buffer[] = [];
  for await (const chunk of file.createReadStream({ end: maxFileBytes })) chunks.push(chunk);
  return Buffer.concat(chunks);
}

function whyUnreadable(error: NodeJS.ErrnoException): string {
  if (error.code === 'ENOENT') return 'there is no such file';
  if (error.code === 'EACCES') return 'the file may not be read by this user';
  return error.message;
}
