import { createHash } from 'node:crypto';
import { CallError } from '../contract/protocol.ts';
import type { RunStatus } from '../contract/run.ts';
import { isEnded } from '../contract/run-state.ts';
import type { Connection } from './connection.ts';
import { type NewRun, type NewStep, noSuchRun, RunExists } from './shapes.ts';
import { inNewestAttempt, insertSteps, insertStepsAgain } from './steps.ts';

/** Writes a run with its steps. Throws {@link RunExists} where its id is taken. */
export function createRun(db: Connection, run: NewRun, steps: readonly NewStep[]): void {
  db.transaction(() => {
    if (statusOf(db, run.runId) !== undefined) throw new RunExists(run.runId);
    db.run(
      `INSERT INTO runs (id, name, path, status, trigger_type, scheduled_at, params, created_at, log_dir, artifacts_dir,
         source_hash, work_dir, request, root_id, parent_id, parent_step, item)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      run.runId,
      run.name,
      run.path,
      run.status ?? 'not_started',
      run.trigger,
      run.scheduledAt ?? null,
      JSON.stringify(run.params),
      run.createdAt,
      run.logDir,
      run.artifactsDir,
      addSource(db, run.source),
      run.workDir ?? null,
      run.request === undefined ? null : JSON.stringify(run.request),
      rootOf(db, run),
      run.parent?.runId ?? null,
      run.parent?.step ?? null,
      run.parent?.item ?? null,
    );
    insertSteps(db, run.runId, 1, steps);
  });
}

/**
 * Makes of a queued run one that is about to start: what its process found out about it, and
 * its steps, take the place of what the queue knew. Code `nothing_to_do` where it is not queued.
 */
export function takeQueued(db: Connection, run: NewRun, steps: readonly NewStep[]): void {
  db.transaction(() => {
    const changed = db.run(
      `UPDATE runs SET status = 'not_started', name = ?, params = ?, log_dir = ?, artifacts_dir = ?, source_hash = ?,
         work_dir = ? WHERE id = ? AND status = 'queued'`,
      run.name,
      JSON.stringify(run.params),
      run.logDir,
      run.artifactsDir,
      addSource(db, run.source),
      run.workDir ?? null,
      run.runId,
    );
    if (changed === 0) throw nothingToDo(db, run.runId);
    db.run('DELETE FROM steps WHERE run_id = ?', run.runId);
    insertSteps(db, run.runId, 1, steps);
  });
}

/** The source's hash; its text is kept once, however many runs have it. */
function addSource(db: Connection, text: string): string {
  const hash = createHash('sha256').update(text).digest('hex');
  db.run('INSERT INTO sources (hash, text) VALUES (?, ?) ON CONFLICT DO NOTHING', hash, text);
  return hash;
}

function rootOf(db: Connection, { runId, parent }: NewRun): string {
  if (parent === undefined) return runId;
  const row = db.get('SELECT root_id FROM runs WHERE id = ?', parent.runId);
  if (row === undefined) throw noSuchRun(parent.runId);
  return row.root_id as string;
}

export function startRun(db: Connection, runId: string, at: string): void {
  changeRun(db, runId, () =>
    db.run(`UPDATE runs SET status = 'running', started_at = coalesce(started_at, ?) WHERE id = ?`, at, runId),
  );
}

/** A run in which nothing more can happen until a person answers; its process then ends. */
export function waitRun(db: Connection, runId: string): void {
  changeRun(db, runId, () => db.run(`UPDATE runs SET status = 'waiting' WHERE id = ?`, runId));
}

/** Writes a run's end. A request to stop it is done with. */
export function finishRun(db: Connection, runId: string, status: RunStatus, at: string, error?: string): void {
  changeRun(db, runId, () => {
    db.run('DELETE FROM stop_requests WHERE run_id = ?', runId);
    return db.run(
      `UPDATE runs SET status = ?, finished_at = ?, error = ? WHERE id = ?`,
      status,
      at,
      error ?? null,
      runId,
    );
  });
}

export function setParams(db: Connection, runId: string, params: Record<string, string>): void {
  changeRun(db, runId, () => db.run('UPDATE runs SET params = ? WHERE id = ?', JSON.stringify(params), runId));
}

function changeRun(db: Connection, runId: string, change: () => number): void {
  db.transaction(() => {
    if (change() === 0) throw noSuchRun(runId);
  });
}

/**
 * Begins another attempt at a run that ended: it keeps the named steps with their outputs, and
 * the others begin anew. Gives its number. Code `not_ended` where the run is not at its end.
 */
export function newAttempt(
  db: Connection,
  runId: string,
  { trigger, at, keep }: { trigger: string; at: string; keep: readonly string[] },
): number {
  return db.transaction(() => {
    const status = statusOf(db, runId);
    if (status === undefined) throw noSuchRun(runId);
    if (!isEnded(status)) throw new CallError('not_ended', `run ${runId} is not at its end (it is ${status})`);
    db.run(
      `INSERT INTO attempts (run_id, attempt, status, trigger_type, started_at, finished_at, error)
       SELECT id, attempt, status, trigger_type, started_at, finished_at, error FROM runs WHERE id = ?`,
      runId,
    );
    db.run(
      `UPDATE runs SET attempt = attempt + 1, status = 'not_started', trigger_type = ?, started_at = NULL,
         finished_at = NULL, error = NULL WHERE id = ?`,
      trigger,
      runId,
    );
    const attempt = db.get('SELECT attempt FROM runs WHERE id = ?', runId)?.attempt as number;
    insertStepsAgain(db, runId, { attempt, keep });
    forgetQuestions(db, runId, at);
    return attempt;
  });
}

/** What the attempt before asked, and was answered, is over, but for steps that still wait as they did. */
function forgetQuestions(db: Connection, runId: string, at: string): void {
  const notWaiting = `run_id = ?1 AND step NOT IN (
    SELECT step FROM steps WHERE ${inNewestAttempt} AND status = 'waiting')`;
  db.run(`UPDATE answers SET is_done = 1, taken_at = coalesce(taken_at, ?2) WHERE ${notWaiting}`, runId, at);
  db.run(`UPDATE asks SET state = 'expired' WHERE state = 'pending' AND ${notWaiting}`, runId);
}

/** A run's status, or `undefined` when there is no such run. */
export function statusOf(db: Connection, runId: string): RunStatus | undefined {
  return db.get('SELECT status FROM runs WHERE id = ?', runId)?.status as RunStatus | undefined;
}

/** Code `nothing_to_do`: another process did it, or nothing was asked. */
export function nothingToDo(db: Connection, runId: string): CallError {
  const status = statusOf(db, runId);
  if (status === undefined) return noSuchRun(runId);
  return new CallError(
    'nothing_to_do',
    `there is nothing to do for run ${runId}: it is ${status}, and no answer to it is open`,
  );
}
