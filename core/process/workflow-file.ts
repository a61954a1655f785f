import { close, constants, open, read, readFileSync, stat, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { promisify } from 'node:util';
import { type Loaded, type LoadOptions, loadWorkflow } from '../workflow/load.ts';
import { maxFileBytes } from '../workflow/stream.ts';

// Not from node:fs/promises: to load it takes as long as to read a file.
const files = { open: promisify(open), stat: promisify(stat), read: promisify(read), close: promisify(close) };

/**
 * Reads and loads a workflow file. A file that is missing, too large or no text is a
 * problem like any other, so that a caller has one way to tell what is wrong.
 */
export async function readWorkflowFile(file: string, options: LoadOptions): Promise<Loaded> {
  const path = resolve(file);
  const problem = (message: string): Loaded => ({ problems: [{ message, path: [] }], warnings: [], unresolved: [] });
  let bytes: Buffer;
  try {
    const found = await files.stat(path);
    if (found.isDirectory()) return problem('this is a folder, not a workflow file');
    if (!found.isFile()) return problem('this is not a regular file');
    bytes = await readBounded(path);
    const size = Math.max(found.size, bytes.length);
    if (size > maxFileBytes) return problem(`the file has ${size} bytes; a workflow file has at most ${maxFileBytes}`);
  } catch (error) {
    return problem(whyUnreadable(error as NodeJS.ErrnoException));
  }
  try {
    return loadWorkflowText(new TextDecoder('utf-8', { fatal: true }).decode(bytes), path, options);
  } catch (error) {
    if (error instanceof TypeError && 'code' in error) return problem('the file is not UTF-8 text');
    throw error;
  }
}

/**
 * Loads the text of a workflow file with what it names beside itself: a schema of its
 * parameters, whose path is relative to the workflow file.
 */
export function loadWorkflowText(text: string, path: string, options: LoadOptions): Loaded {
  return loadWorkflow(text, path, { readSchemaFile: (file) => readSchema(resolve(dirname(path), file)), ...options });
}

function readSchema(path: string): string {
  try {
    const found = statSync(path);
    if (!found.isFile()) throw new Error('this is not a regular file');
    if (found.size > maxFileBytes) throw new Error(`it has ${found.size} bytes; there may be ${maxFileBytes}`);
    return new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(path));
  } catch (error) {
    if (error instanceof TypeError && 'code' in error) throw new Error('it is not UTF-8 text');
    throw new Error(whyUnreadable(error as NodeJS.ErrnoException));
  }
}

/** A file's bytes, at most one more than is allowed: it may grow while it is read. */
async function readBounded(path: string): Promise<Buffer> {
  // Should a pipe have taken the file's place, opening it does not wait for a writer.
  const file = await files.open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const chunks: Buffer[] = [];
    for (let left = maxFileBytes + 1; left > 0; ) {
      const chunk = Buffer.alloc(Math.min(left, chunkBytes));
      const { bytesRead } = await files.read(file, chunk, 0, chunk.length, null);
      if (bytesRead === 0) break;
      chunks.push(chunk.subarray(0, bytesRead));
      left -= bytesRead;
    }
    return Buffer.concat(chunks);
  } finally {
    await files.close(file);
  }
}

const chunkBytes = 64 * 1024;

function whyUnreadable(error: NodeJS.ErrnoException): string {
  if (error.code === 'ENOENT') return 'there is no such file';
  if (error.code === 'EACCES') return 'the file may not be read by this user';
  return error.message;
}
