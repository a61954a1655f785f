import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DatabaseSyncInstance } from '@photostructure/sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { inTransaction, onDatabase, openDatabase } from './database.ts';

let folder: string;
let path: string;
let database: DatabaseSyncInstance;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'database-'));
  path = join(folder, 'runs.db');
  database = openDatabase(path, { forReading: false });
  database.exec('CREATE TABLE texts (text)');
});
afterEach(() => {
  database.close();
  rmSync(folder, { recursive: true, force: true });
});

const add = (text: string) => database.prepare('INSERT INTO texts VALUES (?)').run(text);
const count = () => database.prepare('SELECT count(*) AS count FROM texts').get();

describe('a transaction that fails', () => {
  it('is taken back', () => {
    const work = () => {
      add('a');
      throw new Error('the reason');
    };
    expect(() => inTransaction(database, work)).toThrow('the reason');
    expect(count()).toEqual({ count: 0 });
  });

  it('tells its own reason where SQLite took it back already', () => {
    const work = () => {
      database.exec('ROLLBACK');
      throw new Error('the reason');
    };
    expect(() => inTransaction(database, work)).toThrow('the reason');
  });

  it('on a full disk names the file and what to do, and what is there can be read', () => {
    add('a');
    database.exec('PRAGMA max_page_count = 3');
    const write = () => onDatabase(path, () => inTransaction(database, () => add('b'.repeat(100_000))));
    expect(write).toThrow(expect.objectContaining({ name: 'StoreFailure', code: 'store', diskFull: true }));
    expect(write).toThrow(`the database ${path} cannot be written because the disk is full; free some space`);
    expect(count()).toEqual({ count: 1 });
  });
});

describe('failures of a database', () => {
  const fail = (error: Error) => () =>
    onDatabase(path, () => {
      throw error;
    });
  const sqlite = (message: string, errcode?: number) =>
    Object.assign(new Error(message), { code: 'ERR_SQLITE_ERROR', errcode });

  it.each([
    [sqlite('disk I/O error', 4874), 'could not be read or written; check the disk'],
    [sqlite('database disk image is malformed'), 'is damaged'],
    [sqlite('file is not a database', 26), 'is damaged'],
    [sqlite('no such table: runs', 1), 'is damaged'],
    [sqlite('attempt to write a readonly database', 8), 'check the permissions'],
    [Object.assign(new Error('no space left'), { code: 'ENOSPC' }), 'the disk is full'],
  ])('%s', (error, message) => {
    expect(fail(error)).toThrow(`the database ${path}`);
    expect(fail(error)).toThrow(message);
  });

  it('leave a defect of the program as it is', () => {
    for (const error of [new TypeError('x'), sqlite('near "SELEC": syntax error', 1)])
      expect(fail(error)).toThrow(error);
  });
});
