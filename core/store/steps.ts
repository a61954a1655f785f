import type { Connection } from './connection.ts';
import { type NewStep, noSuchRun, type StepChange } from './shapes.ts';

/** For SQL: the rows of the newest attempt of the run `?1`. */
export const inNewestAttempt = 'run_id = ?1 AND attempt = (SELECT attempt FROM runs WHERE id = ?1)';

/** Adds the steps of a run's attempt, none of them begun. */
export function insertSteps(db: Connection, runId: string, attempt: number, steps: readonly NewStep[]): void {
  for (const [position, { step, action, handler }] of steps.entries()) {
    db.run(
      `INSERT INTO steps (run_id, attempt, position, ran_in, step, action, handler, status)
       VALUES (?, ?, ?, ?, ?, ?, ?, 'not_started')`,
      runId,
      attempt,
      position,
      attempt,
      step,
      action,
      handler ?? null,
    );
  }
}

/** Adds the steps of a run's next attempt: those to keep as they are, the others not begun. */
export function insertStepsAgain(
  db: Connection,
  runId: string,
  { attempt, keep }: { attempt: number; keep: readonly string[] },
): void {
  db.run(
    `INSERT INTO steps (run_id, attempt, position, ran_in, step, action, handler, status)
     SELECT run_id, ?, position, ?, step, action, handler, 'not_started' FROM steps WHERE run_id = ? AND attempt = ?`,
    attempt,
    attempt,
    runId,
    attempt - 1,
  );
  for (const step of keep) keepStep(db, runId, attempt, step);
}

function keepStep(db: Connection, runId: string, attempt: number, step: string): void {
  const kept = db.run(
    `UPDATE steps SET (ran_in, status, started_at, finished_at, exit_code, error, outputs, retries, push_backs,
         approval, stdout_file, stderr_file) =
       (SELECT ran_in, status, started_at, finished_at, exit_code, error, outputs, retries, push_backs,
         approval, stdout_file, stderr_file
        FROM steps AS earlier WHERE earlier.run_id = steps.run_id AND earlier.attempt = ? AND earlier.step = steps.step)
     WHERE run_id = ? AND attempt = ? AND step = ?`,
    attempt - 1,
    runId,
    attempt,
    step,
  );
  if (kept === 0) throw noSuchStep(runId, step);
}

/** Writes one step's change in the run's newest attempt. */
export function changeStep(db: Connection, runId: string, step: string, change: StepChange): void {
  const { startedAt, finishedAt, exitCode, error, outputs, retries, approval, stdoutFile, stderrFile } = change;
  const begins = change.status === 'running' ? 1 : 0;
  const changed = db.run(
    `UPDATE steps SET status = ?3, started_at = coalesce(?4, started_at),
       finished_at = coalesce(?5, iif(?13, NULL, finished_at)), exit_code = coalesce(?6, iif(?13, NULL, exit_code)),
       error = coalesce(?7, iif(?13, NULL, error)), outputs = coalesce(?8, outputs), retries = coalesce(?9, retries),
       approval = coalesce(?10, approval), stdout_file = coalesce(?11, stdout_file),
       stderr_file = coalesce(?12, stderr_file)
     WHERE ${inNewestAttempt} AND step = ?2`,
    runId,
    step,
    change.status,
    startedAt ?? null,
    finishedAt ?? null,
    exitCode ?? null,
    error ?? null,
    jsonText(outputs),
    retries ?? null,
    jsonText(approval),
    stdoutFile ?? null,
    stderrFile ?? null,
    begins,
  );
  if (changed === 0) throw noSuchStep(runId, step);
  // What was answered before it came to wait was dealt with.
  if (change.status === 'waiting') db.run('UPDATE answers SET is_done = 1 WHERE run_id = ? AND step = ?', runId, step);
}

/**
 * Takes a step back to where it has not begun, for a push-back, which it counts. What was
 * decided about it stays, for the inputs that came with it.
 */
export function resetStep(db: Connection, runId: string, step: string): void {
  const changed = db.run(
    `UPDATE steps SET status = 'not_started', started_at = NULL, finished_at = NULL, exit_code = NULL, error = NULL,
       outputs = '{}', retries = NULL, push_backs = coalesce(push_backs, 0) + 1, stdout_file = NULL, stderr_file = NULL
     WHERE ${inNewestAttempt} AND step = ?2`,
    runId,
    step,
  );
  if (changed === 0) throw noSuchStep(runId, step);
}

function jsonText(value: unknown): string | null {
  return value === undefined ? null : JSON.stringify(value);
}

/** The run was made with other steps, or there is no such run: a defect of the caller. */
function noSuchStep(runId: string, step: string): Error {
  return new Error(`${noSuchRun(runId).message}, or it has no step "${step}"`);
}
