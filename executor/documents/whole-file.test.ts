import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { readWholeFile } from './whole-file.ts';

let folder: string;
const path = (name: string) => join(folder, name);

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'whole-file-'));
});
afterEach(() => {
  vi.restoreAllMocks();
  rmSync(folder, { recursive: true });
});

it('reads a file as it is', async () => {
  writeFileSync(path('a'), 'content');
  expect(Buffer.from(await readWholeFile(path('a'))).toString()).toBe('content');
  writeFileSync(path('empty'), '');
  expect(await readWholeFile(path('empty'))).toHaveLength(0);
});

it('refuses what is no file, without waiting for it', async () => {
  execFileSync('mkfifo', [path('pipe')]);
  symlinkSync('/dev/zero', path('device'));
  mkdirSync(path('folder'));
  await expect(readWholeFile(path('pipe'))).rejects.toThrow('is a pipe, not a file');
  await expect(readWholeFile(path('device'))).rejects.toThrow('is a device, not a file');
  await expect(readWholeFile(path('folder'))).rejects.toThrow('is a folder, not a file');
  await expect(readWholeFile(path('none'))).rejects.toThrow('cannot be opened: ENOENT');
});

it('refuses more than 50 MB', async () => {
  writeFileSync(path('a'), '');
  truncateSync(path('a'), 52_428_801);
  await expect(readWholeFile(path('a'))).rejects.toThrow('is 50.0 MB; a file may have 50 MB at most');
});

it.each<[string, (file: string) => void]>([
  ['grows', (file) => appendFileSync(file, 'more')],
  ['shrinks', (file) => truncateSync(file, 2)],
  ['is written anew', (file) => writeFileSync(file, 'CONTENT')],
])('refuses a file that %s while it is read', async (_, change) => {
  writeFileSync(path('a'), 'content');
  const handle = await open(path('a'));
  const type = Object.getPrototypeOf(handle) as typeof handle;
  await handle.close();
  const read = type.read;
  vi.spyOn(type, 'read').mockImplementationOnce(function (this: typeof handle, ...given: unknown[]) {
    change(path('a'));
    return Reflect.apply(read, this, given);
  } as never);
  await expect(readWholeFile(path('a'))).rejects.toThrow('changed while it was read');
});
