import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { migrate, migrations } from './migrations.ts';
import { Store } from './store.ts';

let home: string;
let database: DatabaseSyncInstance;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'migrations-'));
  database = new DatabaseSync(join(home, 'dagu-desktop.db'));
});
afterEach(() => {
  database.close();
  rmSync(home, { recursive: true, force: true });
});

/** A database as the first version left it, with a run that succeeded and one whose process was killed. */
function formatOne(): void {
  database.exec(migrations[0] as string);
  database.exec(`
    PRAGMA user_version = 1;
    INSERT INTO runs (id, name, path, status, trigger_type, params, created_at, started_at, finished_at, log_dir, artifacts_dir)
    VALUES ('one', 'invoices', '/flows/invoices.yaml', 'succeeded', 'manual', '{"A":"1 \uF8A1 2"}',
      '2026-01-02T03:04:05.678Z', '2026-01-02T03:04:06.000Z', '2026-01-02T03:04:07.000Z', '/l', '/a'),
      ('two', 'invoices', '/flows/invoices.yaml', 'running', 'tray', '{}',
      '2026-01-03T03:04:05.678Z', '2026-01-03T03:04:06.000Z', NULL, '/l', '/a');
    INSERT INTO steps (run_id, position, step, action, status, exit_code, outputs, stdout_file)
    VALUES ('one', 0, 'read', 'run', 'succeeded', 0, '{"text":"\uF8A3\uF8A4"}', '/l/read.out'),
      ('two', 0, 'read', 'run', 'running', NULL, '{}', NULL);
    INSERT INTO events (run_id, step, sequence, event) VALUES ('one', 'read', 1, '{"sequence":1,"id":"computer-1-1",
      "step":"read","type":"tool","timestamp":"2026-01-02T03:04:06.500Z","status":"completed","content":"Done"}');
  `);
}

describe('a database of the first format', () => {
  it('is brought to the newest one with all that is in it', () => {
    formatOne();
    const store = new Store(home);
    expect(store.getRun('one')).toMatchObject({
      run: {
        runId: 'one',
        attempt: 1,
        status: 'succeeded',
        params: { A: '1 \uF8A1 2' },
        createdAt: '2026-01-02T03:04:05.678Z',
        finishedAt: '2026-01-02T03:04:07.000Z',
      },
      steps: [{ step: 'read', exitCode: 0, outputs: { text: '\uF8A3\uF8A4' }, stdoutFile: '/l/read.out' }],
      events: [{ sequence: 1, content: 'Done' }],
      children: [],
    });
    expect(store.getRun('two')?.run.status).toBe('failed');
    expect(store.listRuns({ limit: 9, workflow: 'invoices' }).map(({ runId }) => runId)).toEqual(['two', 'one']);
    expect(store.attempts('one')).toMatchObject([{ attempt: 1, status: 'succeeded' }]);
    expect(store.stateOf('one')).not.toHaveProperty('workflowText');
    expect(store.newAttempt('one', { trigger: 'retry', at: '2026-01-04T00:00:00.000Z', keep: ['read'] })).toBe(2);
    expect(store.getRun('one', { attempt: 2 })?.events).toHaveLength(1);
    store.close();
  });

  it('has no broken reference and no other tables than a new one', () => {
    formatOne();
    migrate(database, 'old');
    const fresh = new DatabaseSync(':memory:');
    migrate(fresh, 'fresh');
    const schema = (one: DatabaseSyncInstance) => one.prepare('SELECT type, name, sql FROM sqlite_schema').all();
    expect(schema(database)).toEqual(schema(fresh));
    expect(database.prepare('PRAGMA foreign_key_check').all()).toEqual([]);
    expect(database.prepare('PRAGMA integrity_check').all()).toEqual([{ integrity_check: 'ok' }]);
    fresh.close();
  });

  it('is as it was where the migration does not come to its end', () => {
    formatOne();
    // A table that stands in the way of the last one.
    database.exec('CREATE TABLE schedule_marks (path TEXT)');
    expect(() => new Store(home)).toThrow('schedule_marks already exists');
    expect(database.prepare('PRAGMA user_version').get()).toEqual({ user_version: 1 });
    expect(database.prepare('SELECT count(*) AS count FROM steps').get()).toEqual({ count: 2 });
    database.exec('DROP TABLE schedule_marks');
    const store = new Store(home);
    expect(store.getRun('one')?.run.status).toBe('succeeded');
    store.close();
  });
});
