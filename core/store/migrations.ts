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
  `
  -- The text of a workflow file as a run began with it: many runs share one.
  CREATE TABLE sources (
    hash TEXT PRIMARY KEY,
    text TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;

  ALTER TABLE runs ADD COLUMN attempt INTEGER NOT NULL DEFAULT 1;
  ALTER TABLE runs ADD COLUMN source_hash TEXT REFERENCES sources (hash);
  -- The run at the top of this one's family holds the lock; a run of its own is its own root.
  ALTER TABLE runs ADD COLUMN root_id TEXT;
  ALTER TABLE runs ADD COLUMN parent_id TEXT REFERENCES runs (id) ON DELETE CASCADE;
  ALTER TABLE runs ADD COLUMN parent_step TEXT;
  ALTER TABLE runs ADD COLUMN item TEXT;
  ALTER TABLE runs ADD COLUMN scheduled_at TEXT;
  ALTER TABLE runs ADD COLUMN work_dir TEXT;
  ALTER TABLE runs ADD COLUMN request TEXT;
  UPDATE runs SET root_id = id;
  DROP INDEX runs_by_name;
  DROP INDEX runs_by_path;
  CREATE INDEX runs_at_the_top ON runs (seq) WHERE parent_id IS NULL;
  CREATE INDEX runs_by_name ON runs (name, seq) WHERE parent_id IS NULL;
  CREATE INDEX runs_by_path ON runs (path, seq) WHERE parent_id IS NULL;
  CREATE UNIQUE INDEX runs_by_parent ON runs (parent_id, parent_step, item) WHERE parent_id IS NOT NULL;

  CREATE TABLE attempts (
    run_id TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    attempt INTEGER NOT NULL,
    status TEXT NOT NULL,
    trigger_type TEXT NOT NULL,
    started_at TEXT,
    finished_at TEXT,
    error TEXT,
    PRIMARY KEY (run_id, attempt)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE steps_of_attempts (
    run_id TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    attempt INTEGER NOT NULL,
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
    retries INTEGER,
    push_backs INTEGER,
    approval TEXT,
    stdout_file TEXT,
    stderr_file TEXT,
    PRIMARY KEY (run_id, attempt, position),
    UNIQUE (run_id, attempt, step)
  ) STRICT, WITHOUT ROWID;
  INSERT INTO steps_of_attempts (run_id, attempt, position, step, action, handler, status, started_at, finished_at,
      exit_code, error, outputs, stdout_file, stderr_file)
    SELECT run_id, 1, position, step, action, handler, status, started_at, finished_at,
      exit_code, error, outputs, stdout_file, stderr_file FROM steps;
  DROP TABLE steps;
  ALTER TABLE steps_of_attempts RENAME TO steps;
  CREATE INDEX events_by_run ON events (run_id, seq);

  -- What a person decided about a step that waits; the run's process takes it up.
  CREATE TABLE answers (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    run_id TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    step TEXT NOT NULL,
    kind TEXT NOT NULL,
    answer TEXT NOT NULL,
    given_at TEXT NOT NULL,
    taken_at TEXT
  ) STRICT;
  CREATE INDEX answers_open ON answers (run_id) WHERE taken_at IS NULL;

  -- A question of a step that waits for a person.
  CREATE TABLE asks (
    run_id TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    step TEXT NOT NULL,
    id TEXT NOT NULL,
    state TEXT NOT NULL,
    ask TEXT NOT NULL,
    PRIMARY KEY (run_id, step, id)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX asks_open ON asks (run_id) WHERE state = 'pending';

  CREATE TABLE stop_requests (
    run_id TEXT PRIMARY KEY REFERENCES runs (id) ON DELETE CASCADE,
    reason TEXT NOT NULL,
    requested_at TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;

  -- The conversation of a chat step, secrets masked.
  CREATE TABLE sessions (
    run_id TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    step TEXT NOT NULL,
    messages TEXT NOT NULL,
    PRIMARY KEY (run_id, step)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE egress (
    run_id TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    host TEXT NOT NULL,
    kind TEXT NOT NULL,
    proxy TEXT NOT NULL DEFAULT '',
    loopback INTEGER NOT NULL,
    pictures INTEGER NOT NULL,
    requests INTEGER NOT NULL,
    bytes_sent INTEGER NOT NULL,
    bytes_received INTEGER NOT NULL,
    PRIMARY KEY (run_id, host, kind, proxy)
  ) STRICT, WITHOUT ROWID;

  -- Contents of workflow files of the watched folder that a person, or a policy, allowed to run.
  CREATE TABLE trusted (
    path TEXT NOT NULL,
    hash TEXT NOT NULL,
    allowed_by TEXT NOT NULL,
    allowed_at TEXT NOT NULL,
    PRIMARY KEY (path, hash)
  ) STRICT, WITHOUT ROWID;

  -- The last moment of each schedule that was dealt with, so that none is missed or doubled.
  CREATE TABLE schedule_marks (
    path TEXT PRIMARY KEY,
    until TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
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
