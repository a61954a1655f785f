import { open, readdir, readFile, realpath, stat } from 'node:fs/promises';
import { extname, join, relative, resolve, sep } from 'node:path';
import type { Artifact, FilePart } from '../core/contract/api.ts';
import { maxReadBytes } from '../core/contract/limits.ts';
import { CallError } from '../core/contract/protocol.ts';
import { isInside } from './trust.ts';

/** A screenshot has at most 1920 pixels on its long edge; what is larger than this is something else. */
const maxScreenshotBytes = 64 * 1024 * 1024;

/** The most files of a run that a list has. */
const maxArtifacts = 1000;

/** A part of a file: from a byte on, or with a negative number from so many bytes before its end. */
export interface FileRange {
  from: number;
  limit: number;
}

/** Reads a PNG inside a run's artifacts folder; a path that leads out of it, also by a link, is refused. */
export async function readScreenshot(artifactsDir: string, file: string): Promise<Uint8Array> {
  const refuse = () => new CallError('not_found', `there is no screenshot ${file} in this run`);
  if (extname(file).toLowerCase() !== '.png') throw refuse();
  const path = await pathInside(artifactsDir, file);
  if (path === undefined) throw refuse();
  if ((await stat(path)).size > maxScreenshotBytes) throw new CallError('too_large', `${file} is too large to show`);
  return new Uint8Array(await readFile(path));
}

/** Reads a part of a file inside a folder of a run; code `not_found` for one that is not there or leads out of it. */
export async function readPart(folder: string, file: string, range: FileRange): Promise<FilePart> {
  const path = await pathInside(folder, file);
  if (path === undefined) throw new CallError('not_found', `there is no file ${file} in this run`);
  return await partOf(path, range);
}

/**
 * Reads a part of a log: it ends between two characters, and nothing is lost between one part
 * and the next. A step that printed nothing has an empty log.
 */
export async function readLogPart(folder: string, file: string | undefined, range: FileRange): Promise<FilePart> {
  const empty = { bytes: new Uint8Array(), from: 0, next: 0, size: 0 };
  const path = file === undefined ? undefined : await pathInside(folder, file);
  if (path === undefined) return empty;
  const part = await partOf(path, range);
  const start = range.from < 0 ? bytesOfBrokenStart(part) : 0;
  const end = part.bytes.length - bytesOfBrokenEnd(part);
  const bytes = part.bytes.subarray(start, Math.max(start, end));
  return { ...part, bytes, from: part.from + start, next: part.from + start + bytes.length };
}

/** The files of a run's artifacts folder, by name. */
export async function listArtifacts(artifactsDir: string): Promise<{ artifacts: Artifact[]; more: boolean }> {
  const names = (await filesBelow(artifactsDir)).sort();
  const shown = names.slice(0, maxArtifacts);
  const artifacts = await Promise.all(
    shown.map(async (name) => {
      const { size, mtime } = await stat(join(artifactsDir, name));
      return { file: name.split(sep).join('/'), bytes: size, modifiedAt: mtime.toISOString() };
    }),
  );
  return { artifacts, more: names.length > shown.length };
}

async function filesBelow(folder: string): Promise<string[]> {
  try {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    return entries
      .filter((entry) => entry.isFile())
      .map((entry) => relative(folder, join(entry.parentPath, entry.name)));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

/** The real path of a file inside a folder; nothing where it is not there, is no file, or is elsewhere. */
async function pathInside(folder: string, file: string): Promise<string | undefined> {
  const path = resolve(folder, file);
  if (!isInside(folder, path)) return undefined;
  try {
    const real = await realpath(path);
    return isInside(await realpath(folder), real) && (await stat(real)).isFile() ? real : undefined;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

async function partOf(path: string, { from, limit }: FileRange): Promise<FilePart> {
  const file = await open(path, 'r');
  try {
    const { size } = await file.stat();
    const start = from < 0 ? Math.max(0, size + from) : Math.min(from, size);
    const bytes = new Uint8Array(Math.min(limit, maxReadBytes, size - start));
    const { bytesRead } = await file.read(bytes, 0, bytes.length, start);
    return { bytes: bytes.subarray(0, bytesRead), from: start, next: start + bytesRead, size };
  } finally {
    await file.close();
  }
}

/** Bytes at the start that belong to a character which begins before it. */
function bytesOfBrokenStart({ bytes, from }: FilePart): number {
  let count = 0;
  if (from > 0) while (count < 3 && isContinuation(bytes[count])) count += 1;
  return count;
}

/** Bytes at the end of a character that is not whole yet; none where nothing but that is there. */
function bytesOfBrokenEnd({ bytes }: FilePart): number {
  for (let count = 1; count <= Math.min(3, bytes.length - 1); count += 1) {
    const byte = bytes[bytes.length - count] as number;
    if (isContinuation(byte)) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return length > count ? count : 0;
  }
  return 0;
}

const isContinuation = (byte: number | undefined) => byte !== undefined && (byte & 0xc0) === 0x80;
