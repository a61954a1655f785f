import { checker, InvalidValue } from '../contract/check.ts';
import { RunSummary, StepSummary } from '../contract/run.ts';
import { showSealed } from '../masking/sealed.ts';
import type { Row } from './connection.ts';
import { StoreFailure } from './database.ts';

const checkRun = checker(RunSummary, 'run in the database');
const checkStep = checker(StepSummary, 'step in the database');

/** A run as its row has it, its params sealed. */
export function runOfRow(row: Row): RunSummary {
  const { parent_id: parent, parent_step: step, item } = row;
  return checkRun(
    withoutNulls({
      runId: row.id,
      attempt: row.attempt,
      parent: parent === null ? null : { runId: parent, step, item: showSealed(item) },
      name: row.name,
      path: row.path,
      status: row.status,
      trigger: row.trigger_type,
      scheduledAt: row.scheduled_at,
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

/** A step as its row has it, its outputs sealed. */
export function stepOfRow(row: Row): StepSummary {
  return checkStep(
    withoutNulls({
      step: row.step,
      action: row.action,
      handler: row.handler,
      status: row.status,
      startedAt: row.started_at,
      finishedAt: row.finished_at,
      exitCode: row.exit_code,
      error: row.error,
      outputs: JSON.parse(row.outputs as string),
      retries: row.retries,
      pushBacks: row.push_backs,
      approval: jsonOrNull(row.approval),
      stdoutFile: row.stdout_file,
      stderrFile: row.stderr_file,
    }),
  );
}

export function jsonOrNull(text: unknown): unknown {
  return text === null ? null : JSON.parse(text as string);
}

/** The row without what it does not have: in our shapes that is absent. */
export function withoutNulls(row: Row): Row {
  return Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null));
}

/** A run as it is shown: secrets masked. */
export function shownRun(run: RunSummary): RunSummary {
  return { ...run, params: showSealed(run.params) };
}

/**
 * A run as it is listed. A damaged row does not hide the others: it is a failed run, with what
 * can be read of it and an error that says so.
 */
export function listedRun(row: Row): RunSummary {
  try {
    return shownRun(runOfRow(row));
  } catch (error) {
    if (!isDamage(error)) throw error;
    const status = 'failed';
    return shownRun(runOfRow({ ...row, status, params: '{}', error: damage(error) }));
  }
}

/** Reads what the database has about one run; what is wrong with it is a {@link StoreFailure} that names the run. */
export function readRows<T>(path: string, runId: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!isDamage(error)) throw error;
    throw new StoreFailure(`run ${runId} in the database ${path}: ${damage(error)}`, { diskFull: false });
  }
}

function isDamage(error: unknown): error is Error {
  return error instanceof InvalidValue || error instanceof SyntaxError;
}

function damage(error: Error): string {
  return `what the database has about this run is damaged; other runs can be read (${error.message})`;
}
