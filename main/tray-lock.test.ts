import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { tryFileLock } from '../core/store/lock.ts';
import { holdTrayLock } from './tray-lock.ts';

it('is held by one, after whoever only looked has let it go, until the end', async () => {
  const locks = mkdtempSync(join(tmpdir(), 'dagu-tray-lock-'));
  const path = join(locks, 'tray.lock');
  const life = new AbortController();
  const asking = tryFileLock(path);
  let isHeld = false;
  const held = holdTrayLock(locks, life.signal).then(() => {
    isHeld = true;
  });
  await Promise.resolve();
  expect(isHeld).toBe(false);
  asking?.release();
  await held;
  expect(tryFileLock(path)).toBeUndefined();
  life.abort();
  const next = tryFileLock(path);
  expect(next).toBeDefined();
  next?.release();
  rmSync(locks, { recursive: true });
});
