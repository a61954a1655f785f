import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite';
import { CallError } from '../contract/protocol.ts';

/** The database could not be read or written. One line: which file, why, what to do. */
export class StoreFailure extends CallError {
  readonly diskFull: boolean;

  constructor(message: string, { diskFull }: { diskFull: boolean }) {
    super('store', message);
    this.name = 'StoreFailure';
    this.diskFull = diskFull;
  }
}

/**
 * Opens a database, made where it is missing; each transaction is on the disk when it ends.
 * One that is opened for reading opens on a full disk too.
 */
export function openDatabase(path: string, { forReading }: { forReading: boolean }): DatabaseSyncInstance {
  try {
    return connected(path, '');
  } catch (error) {
    if (!forReading || (error as SqliteError).errcode !== noSpaceToShare) throw error;
    return connected(path, 'PRAGMA locking_mode = EXCLUSIVE;');
  }
}

/** SQLITE_IOERR_SHMSIZE: no space for the -shm file, which a connection that is alone does not need. */
const noSpaceToShare = 4874;

function connected(path: string, locking: string): DatabaseSyncInstance {
  const database = new DatabaseSync(path, { timeout: 5000 });
  try {
    // secure_delete: what is replaced, as an answer that held a secret, is gone from the file too.
    database.exec(`${locking} PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON;
       PRAGMA secure_delete = ON`);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Runs work on a database file; what SQLite and the disk report becomes a {@link StoreFailure}. */
export function onDatabase<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw storeFailure(path, error as Error) ?? error;
  }
}

/** Runs work in one transaction, which a failure takes back. */
export function inTransaction<T>(database: DatabaseSyncInstance, work: () => T): T {
  database.exec('BEGIN IMMEDIATE');
  try {
    const result = work();
    database.exec('COMMIT');
    return result;
  } catch (error) {
    // SQLite itself takes it back where the disk fails; a second ROLLBACK would hide the reason.
    if (database.isTransaction) database.exec('ROLLBACK');
    throw error;
  }
}

interface Cause {
  /** SQLite's primary result code. */
  code: number;
  /** The code in SQLite's words: reading rows fails with these alone. */
  words: string;
  /** What it means for the person whose file it is. */
  advice: string;
}

const damaged: Cause = {
  code: 11,
  words: 'database disk image is malformed',
  advice: 'is damaged; put a backup in its place, or move it and the -wal and -shm files beside it away to begin anew',
};
const diskFull: Cause = {
  code: 13,
  words: 'database or disk is full',
  advice: 'cannot be written because the disk is full; free some space and try again',
};
const permissions = 'check the permissions of the file and its folder';
const causes: readonly Cause[] = [
  damaged,
  diskFull,
  { ...damaged, code: 26, words: 'file is not a database' },
  { code: 5, words: 'database is locked', advice: 'is in use by another program; try again in a moment' },
  { code: 8, words: 'attempt to write a readonly database', advice: `cannot be written; ${permissions}` },
  { code: 10, words: 'disk I/O error', advice: 'could not be read or written; check the disk and its free space' },
  { code: 14, words: 'unable to open database file', advice: `cannot be opened; ${permissions}` },
];

/** `errcode` is SQLite's extended result code; its low byte is the primary one. */
interface SqliteError extends Error {
  code?: string;
  errcode?: number;
}

function storeFailure(path: string, error: SqliteError): StoreFailure | undefined {
  const cause = causeOf(error);
  if (cause === undefined) return undefined;
  const message = `the database ${path} ${cause.advice} (${error.message})`;
  return new StoreFailure(message, { diskFull: cause === diskFull });
}

function causeOf(error: SqliteError): Cause | undefined {
  if (error.code === 'ENOSPC') return diskFull;
  if (error.code !== 'ERR_SQLITE_ERROR') return undefined;
  // Tables that are missing though the version says they are there.
  if (/^no such (table|column)/.test(error.message)) return damaged;
  const primary = error.errcode === undefined ? undefined : error.errcode & 0xff;
  return causes.find(({ code, words }) => code === primary || words === error.message);
}
