import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Connection } from './connection.ts';
import { markDeadRuns } from './dead-runs.ts';
import { createRun, startRun } from './runs.ts';
import { at, TestStore } from './testing.ts';

let test: TestStore;
let db: Connection;

beforeEach(() => {
  test = new TestStore();
  db = new Connection(test.store.paths.database, { forReading: false });
});
afterEach(() => {
  db.close();
  test.close();
});

const run = (runId: string, source: string) => ({
  runId,
  name: 'invoices',
  path: '/flows/invoices.yaml',
  trigger: 'manual',
  createdAt: at,
  params: {},
  logDir: '/l',
  artifactsDir: '/a',
  source,
});

/** Lets the database grow by this many pages and no more, as a full disk does. */
function setRoom(pages: number): void {
  const { page_count: count } = db.get('PRAGMA page_count') as { page_count: number };
  db.get(`PRAGMA max_page_count = ${count + pages}`);
}

describe('a disk that is full in the middle', () => {
  it('takes back what does not fit, as a whole, and goes on when there is room', () => {
    createRun(db, run('one', 'small'), [{ step: 'a', action: 'run' }]);
    setRoom(1);
    const create = () => createRun(db, run('two', 'x'.repeat(100_000)), [{ step: 'a', action: 'run' }]);
    expect(create).toThrow(expect.objectContaining({ name: 'StoreFailure', diskFull: true }));
    expect(create).toThrow('cannot be written because the disk is full; free some space and try again');
    expect(test.seen((other) => other.listRuns({ limit: 9 }).map(({ runId }) => runId))).toEqual(['one']);
    expect(test.sql("SELECT count(*) AS count FROM steps WHERE run_id = 'two'")).toEqual([{ count: 0 }]);
    setRoom(1000);
    create();
    expect(test.sql('SELECT count(*) AS count FROM runs')).toEqual([{ count: 2 }]);
  });

  it('lets runs be read whose process is gone, and their end be written later', () => {
    const steps = Array.from({ length: 200 }, (_, index) => ({ step: `step-${index}`, action: 'run' }));
    createRun(db, run('one', 'small'), steps);
    startRun(db, 'one', at);
    setRoom(0);
    const look = () => markDeadRuns(db, (runId) => test.store.runLockPath(runId));
    look();
    expect(db.get("SELECT status FROM runs WHERE id = 'one'")).toEqual({ status: 'running' });
    setRoom(1000);
    look();
    expect(db.get("SELECT status FROM runs WHERE id = 'one'")).toEqual({ status: 'failed' });
  });
});

describe('a transaction within another one', () => {
  it('is taken back with it', () => {
    const work = () =>
      db.transaction(() => {
        db.transaction(() => createRun(db, run('one', 'small'), []));
        throw new Error('the reason');
      });
    expect(work).toThrow('the reason');
    expect(test.sql('SELECT id FROM runs')).toEqual([]);
  });
});
