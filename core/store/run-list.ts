import { CallError } from '../contract/protocol.ts';
import type { RunSummary } from '../contract/run.ts';
import { isEnded } from '../contract/run-state.ts';
import type { Connection, SqlValue } from './connection.ts';
import { listedRun } from './rows.ts';
import type { RunQuery } from './shapes.ts';

/**
 * Runs, newest first, their secrets masked. One whose row is damaged is listed as a failed run
 * with an error that says so. Code `not_found` where the run is gone that the page begins after.
 */
export function listRuns(db: Connection, query: RunQuery): RunSummary[] {
  if (query.statuses?.length === 0) return [];
  const { sql, values } = listStatement(query, query.before === undefined ? undefined : seqOf(db, query.before));
  return db.all(sql, ...values).map(listedRun);
}

function seqOf(db: Connection, runId: string): number {
  const row = db.get('SELECT seq FROM runs WHERE id = ?', runId);
  if (row === undefined) throw new CallError('not_found', `the list cannot go on after run ${runId}: it is gone`);
  return row.seq as number;
}

/** A part of SQL with the values of its parameters. */
interface Part {
  sql: string;
  values: readonly SqlValue[];
}

/** The statement for a page of a list, which begins below a place of the table `runs`. */
export function listStatement(query: RunQuery, below = Number.MAX_SAFE_INTEGER): Part {
  const { limit } = query;
  const conditions = conditionsOf(query, below);
  const branches = sourcesOf(query).map(({ sql, values }) => ({
    sql: `SELECT seq FROM (SELECT seq FROM ${sql} ${conditions.sql} ORDER BY seq DESC LIMIT ?)`,
    values: [...values, ...conditions.values, limit],
  }));
  return {
    sql: `SELECT * FROM runs WHERE seq IN (${branches.map(({ sql }) => sql).join(' UNION ALL ')}) ORDER BY seq DESC LIMIT ?`,
    values: [...branches.flatMap(({ values }) => values), limit],
  };
}

/**
 * Where the runs of a list are found, each time in one index that has them in their order and
 * holds what the conditions ask, so that of a long list only the rows of the page are read. A
 * workflow's name and path are two sources, since all that have either would be sorted as a whole.
 */
function sourcesOf({ workflow, path, statuses, children }: RunQuery): Part[] {
  const own = children ? '' : 'parent_id IS NULL AND ';
  if (statuses !== undefined && !children && !statuses.some(isEnded)) {
    const unfinished = `runs INDEXED BY runs_unfinished
      WHERE ${own}status IN ('not_started', 'queued', 'running', 'waiting') AND`;
    if (workflow === undefined) return [{ sql: unfinished, values: [] }];
    return [{ sql: `${unfinished} (name = ? OR path = ?) AND`, values: [workflow, path ?? workflow] }];
  }
  if (workflow === undefined) {
    return [{ sql: `runs ${children ? '' : 'INDEXED BY runs_at_the_top'} WHERE ${own}`, values: [] }];
  }
  return [
    { sql: `runs WHERE ${own}name = ? AND`, values: [workflow] },
    { sql: `runs WHERE ${own}path = ? AND`, values: [path ?? workflow] },
  ];
}

function conditionsOf({ statuses, from, to }: RunQuery, below: number): Part {
  const parts: Part[] = [{ sql: 'seq < ?', values: [below] }];
  if (statuses !== undefined) {
    parts.push({ sql: `status IN (${statuses.map(() => '?').join(', ')})`, values: statuses });
  }
  if (from !== undefined) parts.push({ sql: 'created_at >= ?', values: [from] });
  if (to !== undefined) parts.push({ sql: 'created_at < ?', values: [to] });
  return { sql: parts.map(({ sql }) => sql).join(' AND '), values: parts.flatMap(({ values }) => values) };
}
