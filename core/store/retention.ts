import { lstatSync, readdirSync, rmSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, relative, sep } from 'node:path';
import { CallError } from '../contract/protocol.ts';
import type { Connection } from './connection.ts';
import { tryFileLock } from './lock.ts';
import type { DataPaths } from './paths.ts';

/** What is deleted with `dagu rm --history`: ended runs of one workflow, by its name or path. */
export interface Removal {
  workflow: string;
  path?: string;
  /** Runs that ended before this moment alone. */
  olderThan?: Date;
  /** Only tells which. */
  dryRun?: boolean;
}

/** How much history stays. What is absent has no limit. */
export interface Retention {
  /** Days since a run ended. */
  maxAgeDays?: number;
  /** How many runs of each workflow file stay, those under others not counted. */
  maxRuns?: number;
  /** Bytes in the folders of all runs together: logs, artifacts, work folders. */
  maxBytes?: number;
}

/** A run of its own at its end, also one whose status is damaged. */
const ended = `parent_id IS NULL AND status NOT IN ('not_started', 'queued', 'running', 'waiting')`;

/** Deletes ended runs of a workflow with the runs under them and their folders; gives their ids, newest first. */
export function removeRuns(db: Connection, paths: DataPaths, { workflow, path, olderThan, dryRun }: Removal): string[] {
  const rows = db.all(
    `SELECT id FROM runs WHERE (name = ? OR path = ?) AND ${ended} AND coalesce(finished_at, created_at) < ?
     ORDER BY seq DESC`,
    workflow,
    path ?? workflow,
    olderThan?.toISOString() ?? endOfTime,
  );
  const ids = rows.map(({ id }) => id as string);
  return dryRun ? ids : removeAll(db, paths, ids);
}

const endOfTime = '9999';

/** Deletes the oldest ended runs that are beyond the limits; gives their ids. */
export function prune(db: Connection, paths: DataPaths, limits: Retention): string[] {
  const rows = db.all(
    `SELECT id, path, coalesce(finished_at, created_at) AS at FROM runs WHERE ${ended} ORDER BY seq DESC`,
  );
  const isKept = keeper(limits, (runId) => sum(foldersOf(db, paths, runId).map(sizeOf)));
  const beyond = (rows as unknown as EndedRun[]).filter((run) => !isKept(run));
  const ids = beyond.map(({ id }) => id);
  return removeAll(db, paths, ids.reverse());
}

interface EndedRun {
  id: string;
  path: string;
  /** When it ended. */
  at: string;
}

/** Says of each run, which come newest first, whether it is within the limits. */
function keeper(limits: Retention, bytesOf: (runId: string) => number): (run: EndedRun) => boolean {
  const { maxAgeDays, maxRuns = Number.POSITIVE_INFINITY, maxBytes = Number.POSITIVE_INFINITY } = limits;
  const oldest = maxAgeDays === undefined ? '' : new Date(Date.now() - maxAgeDays * 86_400_000).toISOString();
  const kept = new Map<string, number>();
  let bytes = 0;
  return ({ id, path, at }) => {
    const count = (kept.get(path) ?? 0) + 1;
    if (at < oldest || count > maxRuns || bytes > maxBytes) return false;
    if (limits.maxBytes !== undefined) bytes += bytesOf(id);
    if (bytes > maxBytes) return false;
    kept.set(path, count);
    return true;
  };
}

/**
 * Deletes runs, and at the end the sources that no run has any more. What cannot be deleted does
 * not keep the others; code `failed`, with the first one's reason, when all were tried.
 */
function removeAll(db: Connection, paths: DataPaths, ids: readonly string[]): string[] {
  const removed: string[] = [];
  const problems: string[] = [];
  for (const id of ids) {
    try {
      if (removeFamily(db, paths, id)) removed.push(id);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).syscall === undefined) throw error;
      problems.push((error as Error).message);
    }
  }
  if (removed.length > 0) {
    db.run('DELETE FROM sources WHERE NOT EXISTS (SELECT 1 FROM runs WHERE source_hash = hash)');
  }
  if (problems.length === 0) return removed;
  const message = `${problems.length} of ${ids.length} runs could not be deleted; the first one: ${problems[0]}`;
  throw new CallError('failed', message);
}

/**
 * Deletes a run with those under it, unless a process took it up meanwhile. The rows go last: after
 * a crash in between, the run is still listed, and is deleted the next time.
 */
function removeFamily(db: Connection, paths: DataPaths, root: string): boolean {
  const lock = tryFileLock(join(paths.locks, `run-${root}.lock`));
  if (lock === undefined) return false;
  try {
    if (db.get(`SELECT 1 FROM runs WHERE id = ? AND ${ended}`, root) === undefined) return false;
    for (const folder of foldersOf(db, paths, root)) rmSync(folder, { recursive: true, force: true });
    db.run('DELETE FROM runs WHERE id = ?', root);
    return true;
  } finally {
    lock.release({ remove: true });
  }
}

/** The folders of a run and of those under it, as far as they are where runs have them; none is within another. */
function foldersOf(db: Connection, paths: DataPaths, root: string): string[] {
  const folders = db
    .all('SELECT id, log_dir FROM runs WHERE id = ?1 OR (root_id = ?1 AND parent_id IS NOT NULL) ORDER BY seq', root)
    .map(({ id, log_dir: logs }) => ({ id, folder: dirname(logs as string) }))
    .filter(({ id, folder }) => basename(folder) === id && isInside(folder, paths.runs))
    .map(({ folder }) => folder);
  const [first, ...others] = folders;
  return first === undefined ? [] : [first, ...others.filter((folder) => !isInside(folder, first))];
}

function isInside(path: string, folder: string): boolean {
  const inner = relative(folder, path);
  return inner !== '' && inner !== '..' && !inner.startsWith(`..${sep}`) && !isAbsolute(inner);
}

function sizeOf(path: string): number {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) return 0;
  if (!found.isDirectory()) return found.size;
  return found.size + sum(readdirSync(path).map((name) => sizeOf(join(path, name))));
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
