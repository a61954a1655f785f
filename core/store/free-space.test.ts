import { tmpdir } from 'node:os';
import { describe, expect, it } from 'vitest';
import { checkFreeSpace, neededBytes } from './free-space.ts';

const disk = (bytes: number) => () => ({ bavail: bytes / 4096, bsize: 4096 });

describe('the space that a run needs', () => {
  it('is there', () => {
    checkFreeSpace('/data', disk(neededBytes));
    checkFreeSpace(tmpdir());
  });

  it('is missing: how much is free, how much is needed, and what to do', () => {
    const check = () => checkFreeSpace('/data', disk(3 * 1024 * 1024));
    expect(check).toThrow(expect.objectContaining({ code: 'disk_full' }));
    expect(check).toThrow(
      'the disk of /data is full: 3.0 MB are free, and a run needs 50.0 MB; free some space and try again',
    );
  });
});
