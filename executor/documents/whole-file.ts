import { constants, type Stats } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { maxFileBytes } from './limits.ts';
import { Unreadable } from './unreadable.ts';

/**
 * A file's bytes, read once. Throws an {@link Unreadable} for what is no file, for one of
 * more than 50 MB, and for one that changes meanwhile, of which halves of two versions
 * would be read.
 */
export async function readWholeFile(path: string): Promise<Uint8Array> {
  // A pipe may have taken the file's place: opening it must not wait for a writer.
  const file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)).catch((error: Error) => {
    throw new Unreadable(`cannot be opened: ${error.message}`, { cause: error });
  });
  try {
    const before = await file.stat();
    checkIsFile(before);
    if (before.size > maxFileBytes) throw tooLarge(before.size);
    const bytes = await readBytes(file, before.size);
    const after = await file.stat();
    if (bytes === undefined || isOther(before, after)) {
      throw new Unreadable('changed while it was read; run the step again when nothing writes to it');
    }
    return bytes;
  } finally {
    await file.close();
  }
}

/** Throws for a folder, a device and the like. */
export function checkIsFile(found: Stats): void {
  if (found.isFile()) return;
  const what = [
    found.isDirectory() && 'a folder',
    found.isFIFO() && 'a pipe',
    found.isSocket() && 'a socket',
    (found.isCharacterDevice() || found.isBlockDevice()) && 'a device',
  ].find((name) => name !== false);
  throw new Unreadable(`is ${what ?? 'something else'}, not a file`);
}

export function tooLarge(size: number): Unreadable {
  return new Unreadable(`is ${(size / 1_048_576).toFixed(1)} MB; a file may have 50 MB at most`);
}

/** So many bytes; undefined when there are fewer or more. */
async function readBytes(file: FileHandle, size: number): Promise<Uint8Array | undefined> {
  const bytes = new Uint8Array(size + 1);
  let length = 0;
  while (length <= size) {
    const { bytesRead } = await file.read(bytes, length, size + 1 - length, length);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return length === size ? bytes.subarray(0, size) : undefined;
}

function isOther(before: Stats, after: Stats): boolean {
  return before.size !== after.size || before.mtimeMs !== after.mtimeMs || before.ctimeMs !== after.ctimeMs;
}
