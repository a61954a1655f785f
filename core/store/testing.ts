import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import type { RunStatus } from '../contract/run.ts';
import { type FileLock, tryFileLock } from './lock.ts';
import type { NewRun, NewStep } from './shapes.ts';
import { Store } from './store.ts';

/** A moment that tests use, and the n-th second after it. */
export const at = '2026-01-02T03:04:05.678Z';
export const later = (seconds: number) => new Date(Date.parse(at) + 1000 * seconds).toISOString();

const steps: readonly NewStep[] = [
  { step: 'read', action: 'run' },
  { step: 'post', action: 'computer.run' },
];

/** A store in a data directory of its own, for a test. */
export class TestStore {
  readonly home = mkdtempSync(join(tmpdir(), 'store-'));
  store = new Store(this.home);
  readonly #locks: FileLock[] = [];

  /** Ends all and takes the data directory away. */
  close(): void {
    for (const lock of this.#locks) lock.release();
    this.store.close();
    rmSync(this.home, { recursive: true, force: true });
  }

  /** What another process sees of the store. */
  seen<T>(read: (other: Store) => T): T {
    const other = new Store(this.home);
    try {
      return read(other);
    } finally {
      other.close();
    }
  }

  /** Runs SQL on the database file, as nobody does. */
  sql(sql: string): Record<string, unknown>[] {
    const database = new DatabaseSync(this.store.paths.database);
    try {
      return database.prepare(sql).all() as Record<string, unknown>[];
    } finally {
      database.close();
    }
  }

  /** Holds a run's lock, as its process does, until it is let go. */
  hold(runId: string): FileLock {
    const lock = tryFileLock(this.store.runLockPath(runId));
    if (lock === undefined) throw new Error(`the lock of ${runId} is held already`);
    this.#locks.push(lock);
    return lock;
  }

  /** A run as its process makes it, with its folders. */
  create(runId: string, run: Partial<NewRun> = {}, withSteps: readonly NewStep[] = steps): NewRun {
    const name = run.name ?? 'invoices';
    const folder = join(this.store.paths.runs, name, runId);
    const complete: NewRun = {
      runId,
      name,
      path: `/flows/${name}.yaml`,
      trigger: 'manual',
      createdAt: at,
      params: { A: '1' },
      logDir: join(folder, 'logs'),
      artifactsDir: join(folder, 'artifacts'),
      source: 'steps: []',
      ...run,
    };
    mkdirSync(complete.logDir, { recursive: true });
    writeFileSync(join(complete.logDir, 'a.out'), 'x'.repeat(1000));
    this.store.createRun(complete, withSteps);
    return complete;
  }

  /** A run that ended. */
  ended(runId: string, run: Partial<NewRun> & { status?: never } = {}, status: RunStatus = 'succeeded'): string {
    const { logDir, createdAt } = this.create(runId, run);
    this.store.startRun(runId, createdAt);
    this.store.finishRun(runId, status, createdAt);
    return dirname(logDir);
  }

  /** A run that waits: its step `read` succeeded and is to be approved. Nobody holds its lock. */
  waiting(runId: string): void {
    this.create(runId);
    this.store.startRun(runId, at);
    this.store.changeSteps(runId, [{ step: 'read', change: { status: 'waiting', outputs: { total: 3 } } }]);
    this.store.waitRun(runId);
  }
}
