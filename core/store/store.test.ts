import { closeSync, mkdtempSync, openSync, rmSync, statSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { tryFileLock } from './lock.ts';
import { newRunId } from './run-id.ts';
import { RunExists, Store } from './store.ts';

let home: string;
let store: Store;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'store-'));
  store = new Store(home);
});
afterEach(() => {
  store.close();
  rmSync(home, { recursive: true, force: true });
});

const at = '2026-01-02T03:04:05.678Z';
function createRun(runId: string, name = 'invoices') {
  store.createRun(
    {
      runId,
      name,
      path: `/flows/${name}.yaml`,
      trigger: 'manual',
      createdAt: at,
      params: { A: '1' },
      logDir: '/l',
      artifactsDir: '/a',
    },
    [
      { step: 'read', action: 'run' },
      { step: 'post', action: 'computer.run' },
    ],
  );
}

describe('the store', () => {
  it('gives back what was written, by another connection too', () => {
    const lock = tryFileLock(store.runLockPath('one'));
    createRun('one');
    store.startRun('one', at);
    store.changeSteps('one', [
      {
        step: 'read',
        change: {
          status: 'succeeded',
          startedAt: at,
          finishedAt: at,
          exitCode: 0,
          outputs: { n: [1, 'x'] },
        },
      },
    ]);
    const event = {
      sequence: 1,
      id: 'computer-1-1',
      step: 'post',
      type: 'lifecycle',
      timestamp: at,
      status: 'running',
      content: 'Started',
    } as const;
    store.addEvent('one', event);
    const other = new Store(home);
    const detail = other.getRun('one');
    other.close();
    expect(detail?.run).toMatchObject({ runId: 'one', status: 'running', params: { A: '1' }, startedAt: at });
    expect(detail?.steps).toEqual([
      {
        step: 'read',
        action: 'run',
        status: 'succeeded',
        startedAt: at,
        finishedAt: at,
        exitCode: 0,
        outputs: { n: [1, 'x'] },
      },
      { step: 'post', action: 'computer.run', status: 'not_started', outputs: {} },
    ]);
    expect(detail?.events).toEqual([event]);
    lock?.release();
  });

  it('lists runs newest first, of one workflow by name or path', () => {
    for (const [runId, name] of [
      ['1', 'a'],
      ['2', 'b'],
      ['3', 'a'],
    ] as const)
      createRun(runId, name);
    const ids = (workflow?: string) =>
      store.listRuns({ limit: 9, ...(workflow && { workflow }) }).map(({ runId }) => runId);
    expect(ids()).toEqual(['3', '2', '1']);
    expect(ids('a')).toEqual(['3', '1']);
    expect(ids('/flows/b.yaml')).toEqual(['2']);
    const either = store.listRuns({ limit: 9, workflow: 'b', path: '/flows/a.yaml' });
    expect(either.map(({ runId }) => runId)).toEqual(['3', '2', '1']);
  });

  it('shows a run whose process is gone as failed, and keeps its finished steps', () => {
    createRun('dead');
    store.startRun('dead', at);
    store.changeSteps('dead', [{ step: 'read', change: { status: 'succeeded', outputs: { total: 3 } } }]);
    store.changeSteps('dead', [{ step: 'post', change: { status: 'running', startedAt: at } }]);
    const detail = store.getRun('dead');
    expect(detail?.run).toMatchObject({ status: 'failed', error: expect.stringContaining("the run's process ended") });
    expect(detail?.steps.map(({ status }) => status)).toEqual(['succeeded', 'failed']);
    expect(detail?.steps[0]?.outputs).toEqual({ total: 3 });
  });

  it('leaves a run alone whose process holds its lock', () => {
    createRun('alive');
    store.startRun('alive', at);
    const lock = tryFileLock(store.runLockPath('alive'));
    expect(store.getRun('alive')?.run.status).toBe('running');
    lock?.release();
  });

  it("is the owner's alone", () => {
    for (const path of [home, join(home, 'dagu-desktop.db'), join(home, 'runs')]) {
      expect(statSync(path).mode & 0o077, path).toBe(0);
    }
  });

  it('refuses a database of a newer version and leaves it as it is', () => {
    const database = new DatabaseSync(store.paths.database);
    database.exec('PRAGMA user_version = 999');
    database.close();
    expect(() => new Store(home)).toThrow('newer version of Dagu Desktop (format 999');
  });
});

describe('a store that cannot be used', () => {
  it('gives an id to one run alone', () => {
    createRun('one');
    expect(() => createRun('one')).toThrow(RunExists);
    createRun('two');
  });

  it('names the database that is damaged', () => {
    createRun('one');
    store.close();
    // What is in the log goes into the file, which is then damaged behind its header.
    const database = new DatabaseSync(store.paths.database);
    database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    database.close();
    const file = openSync(store.paths.database, 'r+');
    writeSync(file, Buffer.alloc(100_000, 0xa5), 0, 100_000, 4096);
    closeSync(file);
    store = new Store(home);
    for (const read of [() => store.listRuns({ limit: 1 }), () => store.getRun('one'), () => createRun('two')]) {
      expect(read).toThrow(`the database ${store.paths.database} is damaged; put a backup in its place`);
    }
  });

  it.each(['/proc/nope', '/dev/null', '/dev/null/home'])('says at once that %s is no place for it', (place) => {
    expect(() => new Store(place)).toThrow(place);
  });
});

describe('a run id', () => {
  it('has 22 letters and digits and sorts by time', () => {
    const ids = [1_700_000_000_000, 1_700_000_000_001, 1_800_000_000_000].map((time) => newRunId(time));
    expect(ids.every((id) => /^[0-9A-Za-z]{22}$/.test(id))).toBe(true);
    expect([...ids].sort((a, b) => (Buffer.from(a) < Buffer.from(b) ? -1 : 1))).toEqual(ids);
  });
});
