import type { Connection } from './connection.ts';
import { StoreFailure } from './database.ts';
import { tryFileLock } from './lock.ts';
import { finishRun, waitRun } from './runs.ts';
import { inNewestAttempt } from './steps.ts';

/**
 * Writes the end of every run whose process is gone: at once, and by whoever looks first. A
 * family of runs has one process, which holds the lock of the run at its top; `lockPath` gives
 * that lock's file. On a full disk it waits for the first look after space was made; reading goes on.
 */
export function markDeadRuns(db: Connection, lockPath: (runId: string) => string): void {
  try {
    markDead(db, lockPath);
  } catch (error) {
    if (!(error instanceof StoreFailure && error.diskFull)) throw error;
  }
}

function markDead(db: Connection, lockPath: (runId: string) => string): void {
  const roots = db.all(`SELECT DISTINCT root_id FROM runs WHERE status IN ('running', 'not_started')`);
  for (const { root_id: root } of roots) {
    const lock = db.attempt(() => tryFileLock(lockPath(root as string)));
    if (lock === undefined) continue;
    try {
      endFamily(db, root as string);
    } finally {
      lock.release({ remove: true });
    }
  }
}

/** Some of it may have ended between the look and the lock: the status is read again. */
function endFamily(db: Connection, root: string): void {
  db.transaction(() => {
    const at = new Date().toISOString();
    const going = db.all(
      `SELECT id FROM runs WHERE root_id = ? AND status IN ('running', 'not_started') ORDER BY seq DESC`,
      root,
    );
    for (const { id } of going) endRun(db, id as string, at);
  });
}

const reason = "the run's process ended before the run did (it was killed, or the computer was switched off)";

function endRun(db: Connection, runId: string, at: string): void {
  if (waitsAgain(db, runId)) return;
  db.run(
    `UPDATE steps SET status = 'failed', finished_at = ?2, error = ?3
     WHERE ${inNewestAttempt} AND status IN ('running', 'retrying')`,
    runId,
    at,
    reason,
  );
  db.run(
    `UPDATE steps SET status = 'aborted', error = 'not run: ' || ?2
     WHERE ${inNewestAttempt} AND status = 'not_started' AND handler IS NULL`,
    runId,
    reason,
  );
  finishRun(db, runId, 'failed', at, reason);
}

/**
 * A run whose process took up answers and died before it did anything waits as before, with
 * its answers, for the next process.
 */
function waitsAgain(db: Connection, runId: string): boolean {
  const { atWork } = db.get(
    `SELECT count(*) AS atWork FROM steps WHERE ${inNewestAttempt} AND status IN ('running', 'retrying')`,
    runId,
  ) as { atWork: number };
  if (atWork > 0) return false;
  const opened = db.run(
    `UPDATE answers SET taken_at = NULL WHERE run_id = ?1 AND taken_at IS NOT NULL AND is_done = 0
       AND step IN (SELECT step FROM steps WHERE ${inNewestAttempt} AND status = 'waiting')`,
    runId,
  );
  if (opened > 0) waitRun(db, runId);
  return opened > 0;
}
