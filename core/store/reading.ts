import { checker } from '../contract/check.ts';
import { RunRequest } from '../contract/messages.ts';
import { type RunDetail, RunStatusSchema, type RunSummary, type StepSummary } from '../contract/run.ts';
import { showSealed } from '../masking/sealed.ts';
import type { Connection } from './connection.ts';
import { egressOf, lastSequences, newestEvents } from './records.ts';
import { jsonOrNull, listedRun, readRows, runOfRow, shownRun, stepOfRow, withoutNulls } from './rows.ts';
import type { Attempt, RunState } from './shapes.ts';

const checkRequest = checker(RunRequest, 'request of a run in the database');
const checkStatus = checker(RunStatusSchema, 'status of a run in the database');

/** The newest events that one answer holds. */
const shownEvents = 1000;

/**
 * A run, as its newest attempt or the given one left it, with its steps, its newest events, the
 * runs under it and what all of them exchanged over the network; secrets masked. `undefined`
 * when there is no such run or attempt.
 */
export function getRun(db: Connection, runId: string, attempt?: number): RunDetail | undefined {
  const row = db.get('SELECT * FROM runs WHERE id = ?', runId);
  if (row === undefined) return undefined;
  return readRows(db.path, runId, () => {
    const newest = runOfRow(row);
    const run = attempt === undefined ? newest : atAttempt(db, newest, attempt);
    if (run === undefined) return undefined;
    return {
      run: shownRun(run),
      steps: stepsOf(db, run).map((step) => ({ ...step, outputs: showSealed(step.outputs) })),
      events: newestEvents(db, runId, { attempt: run.attempt, limit: shownEvents }),
      children: listChildren(db, runId),
      egress: egressOf(db, runId),
    };
  });
}

function atAttempt(db: Connection, run: RunSummary, number: number): RunSummary | undefined {
  const found = attempts(db, run.runId).find(({ attempt }) => attempt === number);
  if (found === undefined) return undefined;
  const { startedAt: _, finishedAt: __, error: ___, ...lasting } = run;
  return { ...lasting, ...found };
}

function stepsOf(db: Connection, { runId, attempt }: RunSummary): StepSummary[] {
  return db
    .all('SELECT * FROM steps WHERE run_id = ? AND attempt = ? ORDER BY position', runId, attempt)
    .map(stepOfRow);
}

/** The attempts at a run, the first one first; none where there is no such run. */
export function attempts(db: Connection, runId: string): Attempt[] {
  const rows = db.all(
    `SELECT attempt, status, trigger_type AS trigger, started_at AS startedAt, finished_at AS finishedAt, error
     FROM attempts WHERE run_id = ?1
     UNION ALL SELECT attempt, status, trigger_type, started_at, finished_at, error FROM runs WHERE id = ?1
     ORDER BY attempt`,
    runId,
  );
  return readRows(db.path, runId, () =>
    rows.map((row) => withoutNulls({ ...row, status: checkStatus(row.status) }) as unknown as Attempt),
  );
}

/** The run under another that belongs to a step and an item of it. */
export function findChild(db: Connection, parentId: string, step: string, item: string): RunSummary | undefined {
  const row = db.get('SELECT * FROM runs WHERE parent_id = ? AND parent_step = ? AND item = ?', parentId, step, item);
  return row === undefined ? undefined : readRows(db.path, row.id as string, () => shownRun(runOfRow(row)));
}

/** Runs under another, in the order of their creation. */
export function listChildren(db: Connection, parentId: string): RunSummary[] {
  return db.all('SELECT * FROM runs WHERE parent_id = ? ORDER BY seq', parentId).map(listedRun);
}

/** What a process needs to go on with a run, secrets sealed; `undefined` when there is no such run. */
export function stateOf(db: Connection, runId: string): RunState | undefined {
  const row = db.get(
    'SELECT runs.*, sources.text AS source FROM runs LEFT JOIN sources ON hash = source_hash WHERE id = ?',
    runId,
  );
  if (row === undefined) return undefined;
  return readRows(db.path, runId, () => {
    const run = runOfRow(row);
    return {
      summary: shownRun(run),
      params: run.params,
      steps: stepsOf(db, run),
      sequences: lastSequences(db, runId),
      ...(row.source !== null && { workflowText: row.source as string }),
      ...(row.work_dir !== null && { workDir: row.work_dir as string }),
      ...(row.request !== null && { request: checkRequest(jsonOrNull(row.request)) }),
    };
  });
}
