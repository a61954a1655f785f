import { chmodSync, existsSync } from 'node:fs';
import type { DatabaseSyncInstance, StatementSyncInstance } from '@photostructure/sqlite';
import { inTransaction, onDatabase, openDatabase } from './database.ts';
import { migrate } from './migrations.ts';

export type Row = Record<string, unknown>;
export type SqlValue = string | number | null;

/**
 * One connection to the store's database, brought to the newest format. What the disk or the
 * file itself refuses is a StoreFailure. Each statement is compiled once.
 */
export class Connection {
  readonly path: string;
  readonly #database: DatabaseSyncInstance;
  readonly #statements = new Map<string, StatementSyncInstance>();

  constructor(path: string, options: { forReading: boolean }) {
    this.path = path;
    const fresh = !existsSync(path);
    this.#database = this.attempt(() => {
      const database = openDatabase(path, options);
      if (fresh) chmodSync(path, 0o600);
      migrate(database, path);
      return database;
    });
  }

  close(): void {
    this.#database.close();
  }

  /** Runs work in one transaction, which a failure takes back; within another one it is part of that. */
  transaction<T>(work: () => T): T {
    return this.attempt(() => (this.#database.isTransaction ? work() : inTransaction(this.#database, work)));
  }

  /** Runs work on the database's files or rows; what is wrong with them becomes a StoreFailure. */
  attempt<T>(work: () => T): T {
    return onDatabase(this.path, work);
  }

  /** The number of rows that the statement changed. */
  run(sql: string, ...values: SqlValue[]): number {
    return this.attempt(() => Number(this.#statement(sql).run(...values).changes));
  }

  get(sql: string, ...values: SqlValue[]): Row | undefined {
    return this.attempt(() => this.#statement(sql).get(...values)) as Row | undefined;
  }

  all(sql: string, ...values: SqlValue[]): Row[] {
    return this.attempt(() => this.#statement(sql).all(...values)) as Row[];
  }

  #statement(sql: string): StatementSyncInstance {
    const statement = this.#statements.get(sql) ?? this.#database.prepare(sql);
    this.#statements.set(sql, statement);
    return statement;
  }
}
