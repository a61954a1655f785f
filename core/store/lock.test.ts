import { existsSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { tryFileLock } from './lock.ts';

let folder: string;
let path: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lock-'));
  path = join(folder, 'a.lock');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('a lock on a file', () => {
  it('is held by one at a time', () => {
    const lock = tryFileLock(path);
    expect(tryFileLock(path)).toBeUndefined();
    lock?.release();
    const next = tryFileLock(path);
    expect(next).toBeDefined();
    next?.release({ remove: true });
    expect(existsSync(path)).toBe(false);
  });
});

vi.mock('node:fs', async (importOriginal) => {
  const fs = await importOriginal<typeof import('node:fs')>();
  return { ...fs, openSync: vi.fn(fs.openSync) };
});

describe('a lock whose file is taken away by its holder', () => {
  it('is not held by the one who opened the file before, beside one who makes it anew', () => {
    const holder = tryFileLock(path);
    const open = vi.mocked(openSync);
    const real = open.getMockImplementation();
    if (real === undefined) throw new Error('openSync is not watched');
    let others: ReturnType<typeof tryFileLock>;
    open.mockImplementationOnce((...args) => {
      const descriptor = real(...args);
      // Between the opening and the lock, the holder ends and another one begins.
      holder?.release({ remove: true });
      others = tryFileLock(path);
      return descriptor;
    });
    expect(tryFileLock(path)).toBeUndefined();
    expect(others).toBeDefined();
    others?.release();
  });
});
