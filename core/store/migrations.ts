import type { DatabaseSyncInstance } from '@photostructure/sqlite';
import { inTransaction } from './database.ts';

/** A column's text with U+F8A3 before each of U+F8A1 to U+F8A4. */
function sealedSql(column: string): string {
  const literal = 0xf8a3;
  return [literal, 0xf8a1, 0xf8a2, 0xf8a4].reduce(
    (sql, character) => `replace(${sql}, char(${character}), char(${literal}, ${character}))`,
    column,
  );
}

/**
 * The database's versions, each the statements that lead to it from the one before.
 * Never change one that was released: add another.
 */
export const migrations: readonly string[] = [
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
  DROP INDEX runs_going;
  -- Lists are read from these alone, whatever they leave out, and then the rows that are shown.
  CREATE INDEX runs_at_the_top ON runs (seq, status, created_at) WHERE parent_id IS NULL;
  CREATE INDEX runs_by_name ON runs (name, seq, status, created_at) WHERE parent_id IS NULL;
  CREATE INDEX runs_by_path ON runs (path, seq, status, created_at) WHERE parent_id IS NULL;
  CREATE INDEX runs_unfinished ON runs (seq)
    WHERE parent_id IS NULL AND status IN ('not_started', 'queued', 'running', 'waiting');
  -- Runs that a process should be at work on.
  CREATE INDEX runs_going ON runs (root_id, status) WHERE status IN ('running', 'not_started');
  CREATE UNIQUE INDEX runs_by_parent ON runs (parent_id, parent_step, item) WHERE parent_id IS NOT NULL;
  CREATE INDEX runs_by_root ON runs (root_id) WHERE parent_id IS NOT NULL;
  CREATE INDEX runs_by_source ON runs (source_hash);

  -- Attempts before a run's newest one, whose state stands in runs.
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
    -- The attempt in which it came to what it is: an earlier one where this attempt kept it.
    ran_in INTEGER NOT NULL,
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
  INSERT INTO steps_of_attempts (run_id, attempt, position, ran_in, step, action, handler, status, started_at,
      finished_at, exit_code, error, outputs, stdout_file, stderr_file)
    SELECT run_id, 1, position, 1, step, action, handler, status, started_at,
      finished_at, exit_code, error, outputs, stdout_file, stderr_file FROM steps;
  DROP TABLE steps;
  ALTER TABLE steps_of_attempts RENAME TO steps;

  -- Params and outputs are sealed from now on (core/masking/sealed.ts): characters that mean something there.
  UPDATE runs SET params = ${sealedSql('params')} WHERE params <> ${sealedSql('params')};
  UPDATE steps SET outputs = ${sealedSql('outputs')} WHERE outputs <> ${sealedSql('outputs')};

  CREATE TABLE events_of_attempts (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    run_id TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    attempt INTEGER NOT NULL,
    step TEXT NOT NULL,
    sequence INTEGER NOT NULL,
    event TEXT NOT NULL,
    UNIQUE (run_id, attempt, step, sequence)
  ) STRICT;
  INSERT INTO events_of_attempts (seq, run_id, attempt, step, sequence, event)
    SELECT seq, run_id, 1, step, sequence, event FROM events;
  DROP TABLE events;
  ALTER TABLE events_of_attempts RENAME TO events;
  CREATE INDEX events_by_run ON events (run_id, seq);

  -- What a person decided about a step that waits; the run's process takes it up.
  CREATE TABLE answers (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    run_id TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    step TEXT NOT NULL,
    kind TEXT NOT NULL,
    answer TEXT NOT NULL,
    given_at TEXT NOT NULL,
    taken_at TEXT,
    -- The run did with it what was to be done: it is not given to another process.
    is_done INTEGER NOT NULL DEFAULT 0
  ) STRICT;
  CREATE INDEX answers_by_run ON answers (run_id, taken_at);

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

  -- Tokens that models took, by day and the run at the top; a day's stay when the run is removed.
  CREATE TABLE model_tokens (
    day TEXT NOT NULL,
    root_id TEXT NOT NULL,
    model TEXT NOT NULL,
    tokens INTEGER NOT NULL,
    PRIMARY KEY (day, root_id, model)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX model_tokens_by_root ON model_tokens (root_id);

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
