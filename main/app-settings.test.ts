import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { defaultSettings } from '../core/contract/settings.ts';
import { SettingsFile } from './app-settings.ts';

let folder: string;
let path: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dagu-settings-'));
  path = join(folder, 'settings.json');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

it('has its defaults where there is no file, and for what a file leaves out', async () => {
  expect(await new SettingsFile(path).read()).toEqual(defaultSettings);
  await writeFile(path, JSON.stringify({ queue: { maxActiveRuns: 2 }, trust: { folders: ['/flows'] } }));
  expect(await new SettingsFile(path).read()).toEqual({
    ...defaultSettings,
    queue: { maxActiveRuns: 2 },
    trust: { folders: ['/flows'], hashes: [] },
  });
});

it.each([
  ['{', 'is not JSON'],
  ['[]', 'is not a JSON object'],
  ['{"queue":{"maxActiveRuns":0}}', '/queue/maxActiveRuns must be >= 1'],
  ['{"trust":{"folder":["/flows"]}}', 'must not have the key "folder"'],
  ['{"trust":{"folders":["flows"]}}', 'the folder "flows" of trust is not an absolute path'],
  ['{"trust":{"hashes":["abc"]}}', '/trust/hashes/0 must match pattern'],
])('refuses %s as a whole, and names the file', async (text, reason) => {
  await writeFile(path, text);
  await expect(new SettingsFile(path).read()).rejects.toMatchObject({
    code: 'settings',
    message: expect.stringContaining(reason),
  });
  await expect(new SettingsFile(path).read()).rejects.toThrow(path);
});

it('writes what changes and keeps the rest, for its owner alone', async () => {
  await writeFile(path, JSON.stringify({ trust: { folders: ['/flows'] } }));
  const file = new SettingsFile(path);
  await file.read();
  const { queue, schedules } = defaultSettings;
  await file.change({ queue, schedules, retention: { maxAgeDays: 30 } });
  expect(JSON.parse(await readFile(path, 'utf8'))).toEqual({
    queue,
    schedules,
    retention: { maxAgeDays: 30 },
    trust: { folders: ['/flows'] },
  });
  expect(file.current.retention).toEqual({ maxAgeDays: 30 });
});
