import { appendFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { maxReadBytes } from '../core/contract/limits.ts';
import { listArtifacts, readLogPart } from './run-files.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dagu-log-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** Reads a log from its start in parts of so many bytes, as a page that follows it does. */
async function inParts(limit: number): Promise<string[]> {
  const parts: string[] = [];
  for (let from = 0; ; ) {
    const { bytes, next, size } = await readLogPart(folder, 'a.log', { from, limit });
    if (bytes.length > 0) parts.push(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    if (next >= size || next === from) return parts;
    from = next;
  }
}

it('gives a log in parts that end between characters and hold all of it', async () => {
  await writeFile(join(folder, 'a.log'), 'aé漢😀z');
  expect(await inParts(4)).toEqual(['aé', '漢', '😀', 'z']);
  expect(await inParts(100)).toEqual(['aé漢😀z']);
});

it('begins between characters, counted from the end', async () => {
  await writeFile(join(folder, 'a.log'), 'aé漢😀z');
  const { bytes, from } = await readLogPart(folder, 'a.log', { from: -4, limit: 100 });
  expect(new TextDecoder().decode(bytes)).toBe('z');
  expect(from).toBe(10);
});

it('goes on where it was read to, once there is more', async () => {
  await writeFile(join(folder, 'a.log'), 'one\n');
  const first = await readLogPart(folder, 'a.log', { from: 0, limit: 100 });
  await appendFile(join(folder, 'a.log'), 'two\n');
  const second = await readLogPart(folder, 'a.log', { from: first.next, limit: 100 });
  expect(new TextDecoder().decode(second.bytes)).toBe('two\n');
});

it('never gives more than a call may, whatever is asked for', async () => {
  await writeFile(join(folder, 'a.log'), 'x'.repeat(maxReadBytes + 10));
  expect((await readLogPart(folder, 'a.log', { from: 0, limit: 10 ** 9 })).bytes).toHaveLength(maxReadBytes);
});

it('is empty where a step printed nothing, or the file is elsewhere', async () => {
  for (const file of [undefined, 'none.log', '/etc/hosts', '../x']) {
    expect((await readLogPart(folder, file, { from: 0, limit: 10 })).size).toBe(0);
  }
});

it('lists a bounded number of files', async () => {
  expect(await listArtifacts(join(folder, 'none'))).toEqual({ artifacts: [], more: false });
  await Promise.all(Array.from({ length: 1001 }, (_, index) => writeFile(join(folder, `${index}.txt`), '')));
  const { artifacts, more } = await listArtifacts(folder);
  expect(artifacts).toHaveLength(1000);
  expect(more).toBe(true);
});
