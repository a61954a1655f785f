import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DesktopLease, leaseFolder, nothingDown } from './lease.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'dagu-desktop-lease-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const down = { keys: [37, 54], buttons: [1], borrowed: [8] };

describe('DesktopLease', () => {
  it('is held by one, and names the process that holds it', () => {
    const [one, other] = [new DesktopLease(folder, ':1'), new DesktopLease(folder, ':1')];
    expect(one.take()).toEqual({ taken: true, left: nothingDown });
    expect(other.take()).toEqual({ taken: false, holder: `process ${process.pid}` });
    one.release();
    expect(other.take()).toEqual({ taken: true, left: nothingDown });
    expect([one.isHeld, other.isHeld]).toEqual([false, true]);
    other.release();
  });

  it('is another one for another display', () => {
    const [one, other] = [new DesktopLease(folder, ':1'), new DesktopLease(folder, ':2')];
    expect([one.take().taken, other.take().taken]).toEqual([true, true]);
    one.release();
    other.release();
  });

  it('has what is down on disk before the call that notes it returns', () => {
    const lease = new DesktopLease(folder, ':1');
    lease.take();
    lease.note(down);
    expect(JSON.parse(readFileSync(join(folder, '_1.held'), 'utf8'))).toEqual({ pid: process.pid, ...down });
    lease.release();
    expect(readFileSync(join(folder, '_1.held'), 'utf8')).toBe('');
  });

  it('hands over what a dead holder left down, until that is noted to be up', () => {
    writeFileSync(join(folder, '_1.held'), JSON.stringify({ pid: 1, ...down }));
    const lease = new DesktopLease(folder, ':1');
    expect(lease.take()).toMatchObject({ taken: true, left: down });
    expect(JSON.parse(readFileSync(join(folder, '_1.held'), 'utf8'))).toMatchObject(down);
    lease.note(nothingDown);
    lease.release();
    expect(lease.take()).toEqual({ taken: true, left: nothingDown });
    lease.release();
  });

  it.each(['{"pid": 1', '{"pid": 1, "keys": "all"}'])('takes nothing from a note that it cannot read: %s', (note) => {
    writeFileSync(join(folder, '_1.held'), note);
    const lease = new DesktopLease(folder, ':1');
    expect(lease.take()).toEqual({ taken: true, left: nothingDown });
    lease.release();
  });

  it('notes nothing for one who does not hold it', () => {
    expect(() => new DesktopLease(folder, ':1').note(down)).toThrow(expect.objectContaining({ code: 'no_lease' }));
    expect(existsSync(join(folder, '_1.held'))).toBe(false);
  });
});

describe('leaseFolder', () => {
  it('is in the folder of the session, closed to others', () => {
    const found = leaseFolder({ XDG_RUNTIME_DIR: folder });
    expect(found).toBe(join(folder, 'dagu-desktop'));
    expect(statSync(found).mode & 0o777).toBe(0o700);
  });

  it('refuses a folder in the temporary folder that others can write to', () => {
    const before = process.env.TMPDIR;
    process.env.TMPDIR = folder;
    try {
      const open = join(folder, `dagu-desktop-${process.getuid?.()}`);
      mkdirSync(open);
      chmodSync(open, 0o777);
      expect(() => leaseFolder({})).toThrow(`${open} is not a folder of this user alone`);
      chmodSync(open, 0o700);
      expect(leaseFolder({})).toBe(open);
    } finally {
      if (before === undefined) delete process.env.TMPDIR;
      else process.env.TMPDIR = before;
    }
  });
});
