import { chmodSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSyncInstance, StatementSyncInstance } from '@photostructure/sqlite';
import { checker } from '../contract/check.ts';
import { CallError } from '../contract/protocol.ts';
import { RunDetail, type RunStatus, RunSummary, type StepSummary, TimelineEvent } from '../contract/run.ts';
import { inTransaction, onDatabase, openDatabase, StoreFailure } from './database.ts';
import { tryFileLock } from './lock.ts';
import { migrate } from './migrations.ts';
import { type DataPaths, openDataPaths } from './paths.ts';

/** What changes when a step starts or ends. */
export type StepChange = Partial<Omit<StepSummary, 'step' | 'action' | 'handler'>> & Pick<StepSummary, 'status'>;

/** A step as it stands when its run is created. */
export type NewStep = Pick<StepSummary, 'step' | 'action'> & Partial<Pick<StepSummary, 'handler'>>;

type Row = Record<string, unknown>;

const checkRun = checker(RunSummary, 'run in the database');
const checkDetail = checker(RunDetail, 'run in the database');
const checkEvent = checker(TimelineEvent, 'timeline event');

/** A run's id is taken: code `run_exists`. */
export class RunExists extends CallError {
  constructor(runId: string) {
    super('run_exists', `there is a run with the id ${runId} already`);
    this.name = 'RunExists';
  }
}

/** The newest events that one answer holds. */
const shownEvents = 1000;

/**
 * The runs of one data directory. Each change is one transaction, on the disk before the
 * call returns. A run is written by its own process alone, which holds the run's lock;
 * when the lock is free and the run is not at its end, the process died, and whoever looks
 * next writes so. What the disk or the file itself refuses is a {@link StoreFailure}.
 */
export class Store {
  readonly paths: DataPaths;
  readonly #database: DatabaseSyncInstance;
  readonly #statements = new Map<string, StatementSyncInstance>();

  constructor(home: string, { forReading } = { forReading: false }) {
    this.paths = openDataPaths(home);
    const fresh = !existsSync(this.paths.database);
    this.#database = this.#try(() => {
      const database = openDatabase(this.paths.database, { forReading });
      if (fresh) chmodSync(this.paths.database, 0o600);
      migrate(database, this.paths.database);
      return database;
    });
  }

  close(): void {
    this.#database.close();
  }

  /** Writes a run with its steps, not started yet. Throws {@link RunExists} where its id is taken. */
  createRun(run: Omit<RunSummary, 'status'>, steps: readonly NewStep[]): void {
    this.#transaction(() => {
      if (this.#get('SELECT 1 FROM runs WHERE id = ?', run.runId) !== undefined) throw new RunExists(run.runId);
      this.#run(
        `INSERT INTO runs (id, name, path, status, trigger_type, params, created_at, log_dir, artifacts_dir)
         VALUES (?, ?, ?, 'not_started', ?, ?, ?, ?, ?)`,
        run.runId,
        run.name,
        run.path,
        run.trigger,
        JSON.stringify(run.params),
        run.createdAt,
        run.logDir,
        run.artifactsDir,
      );
      for (const [position, { step, action, handler }] of steps.entries()) {
        this.#run(
          `INSERT INTO steps (run_id, position, step, action, handler, status) VALUES (?, ?, ?, ?, ?, 'not_started')`,
          run.runId,
          position,
          step,
          action,
          handler ?? null,
        );
      }
    });
  }

  startRun(runId: string, at: string): void {
    this.#run(`UPDATE runs SET status = 'running', started_at = ? WHERE id = ?`, at, runId);
  }

  finishRun(runId: string, status: RunStatus, at: string, error?: string): void {
    this.#run(`UPDATE runs SET status = ?, finished_at = ?, error = ? WHERE id = ?`, status, at, error ?? null, runId);
  }

  /** Writes changes of a run's steps, all or none. */
  changeSteps(runId: string, changes: readonly { step: string; change: StepChange }[]): void {
    this.#transaction(() => {
      for (const { step, change } of changes) this.#changeStep(runId, step, change);
    });
  }

  #changeStep(runId: string, step: string, change: StepChange): void {
    this.#run(
      `UPDATE steps SET status = ?, started_at = coalesce(?, started_at), finished_at = coalesce(?, finished_at),
         exit_code = coalesce(?, exit_code), error = coalesce(?, error), outputs = coalesce(?, outputs),
         stdout_file = coalesce(?, stdout_file), stderr_file = coalesce(?, stderr_file)
       WHERE run_id = ? AND step = ?`,
      change.status,
      change.startedAt ?? null,
      change.finishedAt ?? null,
      change.exitCode ?? null,
      change.error ?? null,
      change.outputs === undefined ? null : JSON.stringify(change.outputs),
      change.stdoutFile ?? null,
      change.stderrFile ?? null,
      runId,
      step,
    );
  }

  addEvent(runId: string, event: TimelineEvent): void {
    this.#run(
      `INSERT INTO events (run_id, step, sequence, event) VALUES (?, ?, ?, ?)`,
      runId,
      event.step,
      event.sequence,
      JSON.stringify(checkEvent(event)),
    );
  }

  /**
   * Runs, newest first; of one workflow when its name or path is given. For a text that may
   * be a name or a relative path, `path` is what it is as a path.
   */
  listRuns({ limit, workflow, path }: { limit: number; workflow?: string; path?: string }): RunSummary[] {
    this.markDeadRuns();
    const rows =
      workflow === undefined
        ? this.#all('SELECT * FROM runs ORDER BY seq DESC LIMIT ?', limit)
        : this.#all(
            'SELECT * FROM runs WHERE name = ? OR path = ? ORDER BY seq DESC LIMIT ?',
            workflow,
            path ?? workflow,
            limit,
          );
    return this.#try(() => rows.map(runOfRow));
  }

  /** A run with its steps and its newest events, or `undefined` when there is no such run. */
  getRun(runId: string): RunDetail | undefined {
    this.markDeadRuns();
    const row = this.#get('SELECT * FROM runs WHERE id = ?', runId);
    if (row === undefined) return undefined;
    const steps = this.#all('SELECT * FROM steps WHERE run_id = ? ORDER BY position', runId);
    const events = this.#all(
      'SELECT event FROM (SELECT seq, event FROM events WHERE run_id = ? ORDER BY seq DESC LIMIT ?) ORDER BY seq',
      runId,
      shownEvents,
    );
    return this.#try(() =>
      checkDetail({
        run: runOfRow(row),
        steps: steps.map(stepOfRow),
        events: events.map(({ event }) => JSON.parse(event as string)),
      }),
    );
  }

  /** A number that rises whenever another connection changed the database. */
  dataVersion(): number {
    return (this.#get('PRAGMA data_version') as { data_version: number }).data_version;
  }

  runLockPath(runId: string): string {
    return join(this.paths.locks, `run-${runId}.lock`);
  }

  /**
   * Writes the end of every run whose process is gone: at once, and by whoever looks first.
   * On a full disk that waits for the first look after space was made; reading goes on.
   */
  markDeadRuns(): void {
    try {
      this.#markDeadRuns();
    } catch (error) {
      if (!(error instanceof StoreFailure && error.diskFull)) throw error;
    }
  }

  #markDeadRuns(): void {
    for (const { id } of this.#all(`SELECT id FROM runs WHERE status IN ('running', 'not_started')`)) {
      const runId = id as string;
      const lock = this.#try(() => tryFileLock(this.runLockPath(runId)));
      if (lock === undefined) continue;
      try {
        this.#markDead(runId);
      } finally {
        lock.release({ remove: true });
      }
    }
  }

  #markDead(runId: string): void {
    const at = new Date().toISOString();
    const reason = "the run's process ended before the run did (it was killed, or the computer was switched off)";
    this.#transaction(() => {
      // It may have finished between the look and the lock.
      const row = this.#get(`SELECT status FROM runs WHERE id = ?`, runId);
      if (row?.status !== 'running' && row?.status !== 'not_started') return;
      this.#run(
        `UPDATE steps SET status = 'failed', finished_at = ?, error = ? WHERE run_id = ? AND status IN ('running', 'retrying')`,
        at,
        reason,
        runId,
      );
      this.#run(
        `UPDATE steps SET status = 'aborted', error = 'not run: ' || ? WHERE run_id = ? AND status = 'not_started' AND handler IS NULL`,
        reason,
        runId,
      );
      this.finishRun(runId, 'failed', at, reason);
    });
  }

  #transaction(work: () => void): void {
    this.#try(() => inTransaction(this.#database, work));
  }

  #try<T>(work: () => T): T {
    return onDatabase(this.paths.database, work);
  }

  #statement(sql: string): StatementSyncInstance {
    const statement = this.#statements.get(sql) ?? this.#database.prepare(sql);
    this.#statements.set(sql, statement);
    return statement;
  }

  #run(sql: string, ...values: (string | number | null)[]): void {
    this.#try(() => this.#statement(sql).run(...values));
  }

  #get(sql: string, ...values: (string | number | null)[]): Row | undefined {
    return this.#try(() => this.#statement(sql).get(...values)) as Row | undefined;
  }

  #all(sql: string, ...values: (string | number | null)[]): Row[] {
    return this.#try(() => this.#statement(sql).all(...values)) as Row[];
  }
}

function runOfRow(row: Row): RunSummary {
  return checkRun(
    withoutNulls({
      runId: row.id,
      name: row.name,
      path: row.path,
      status: row.status,
      trigger: row.trigger_type,
      createdAt: row.created_at,
      startedAt: row.started_at,
      finishedAt: row.finished_at,
      error: row.error,
      params: JSON.parse(row.params as string),
      logDir: row.log_dir,
      artifactsDir: row.artifacts_dir,
    }),
  );
}

function stepOfRow(row: Row): unknown {
  return withoutNulls({
    step: row.step,
    action: row.action,
    handler: row.handler,
    status: row.status,
    startedAt: row.started_at,
    finishedAt: row.finished_at,
    exitCode: row.exit_code,
    error: row.error,
    outputs: JSON.parse(row.outputs as string),
    stdoutFile: row.stdout_file,
    stderrFile: row.stderr_file,
  });
}

function withoutNulls(row: Row): Row {
  return Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null));
}
