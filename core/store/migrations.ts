import type { DatabaseSyncInstance } from '@photostructure/sqlite';
import { inTransaction } from './database.ts';

/**
 * The database's versions, each the statements that lead to it from the one before.
 * Never change one that was released: add another.
 */
const migrations: readonly string[] = [
  `
  CREATE TABLE runs (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    path TEXT NOT NULL,
    status TEXT NOT NULL,
    trigger_type TEXT NOT NULL,
    params TEXT NOT NULL,
    created_at TEXT NOT NULL,
    started_at TEXT,
    finished_at TEXT,
    error TEXT,
    log_dir TEXT NOT NULL,
    artifacts_dir TEXT NOT NULL
  ) STRICT;
  CREATE INDEX runs_by_name ON runs (name, seq);
  CREATE INDEX runs_by_path ON runs (path, seq);
  CREATE INDEX runs_going ON runs (status) WHERE status IN ('running', 'not_started', 'queued');
  CREATE TABLE steps (
    run_id TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    step TEXT NOT NULL,
    action TEXT NOT NULL,
    handler TEXT,
    status TEXT NOT NULL,
    started_at TEXT,
    finished_at TEXT,
    exit_code INTEGER,
    error TEXT,
    outputs TEXT NOT NULL DEFAULT '{}',
    stdout_file TEXT,
    stderr_file TEXT,
    PRIMARY KEY (run_id, position),
    UNIQUE (run_id, step)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE events (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    run_id TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    step TEXT NOT NULL,
    sequence INTEGER NOT NULL,
    event TEXT NOT NULL,
    UNIQUE (run_id, step, sequence)
  ) STRICT;
  `,
];

/** A database that a newer version of the product wrote; it is left as it is. */
export class NewerDatabase extends Error {
  constructor(path: string, version: number) {
    super(
      `${path} was written by a newer version of Dagu Desktop (format ${version}, this one knows ${migrations.length}); update Dagu Desktop, or set DAGU_DESKTOP_HOME to another folder`,
    );
    this.name = 'NewerDatabase';
  }
}

/** Brings a database to the newest version, each step in one transaction. */
export function migrate(database: DatabaseSyncInstance, path: string): void {
  const current = () => (database.prepare('PRAGMA user_version').get() as { user_version: number }).user_version;
  if (current() > migrations.length) throw new NewerDatabase(path, current());
  if (current() === migrations.length) return;
  inTransaction(database, () => {
    // Read again under the lock: another process may have migrated meanwhile.
    for (let version = current(); version < migrations.length; version += 1) {
      database.exec(migrations[version] as string);
      database.exec(`PRAGMA user_version = ${version + 1}`);
    }
  });
}
