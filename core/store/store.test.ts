import { closeSync, openSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RunRequest } from '../contract/messages.ts';
import type { TimelineEvent } from '../contract/run.ts';
import { Masker } from '../masking/masker.ts';
import { newRunId } from './run-id.ts';
import { RunExists, Store } from './store.ts';
import { at, later, TestStore } from './testing.ts';

let test: TestStore;
let store: Store;

beforeEach(() => {
  test = new TestStore();
  store = test.store;
});
afterEach(() => test.close());

function event(step: string, sequence: number, content = 'Started'): TimelineEvent {
  return { sequence, id: `computer-1-${sequence}`, step, type: 'lifecycle', timestamp: at, status: 'running', content };
}

describe('the store', () => {
  it('gives back what was written, by another connection too', () => {
    test.hold('one');
    test.create('one', { scheduledAt: later(-60) });
    store.startRun('one', at);
    const approval = { state: 'waiting', input: ['A'], required: [], rewindTo: 'read', inputs: {} } as const;
    store.changeSteps('one', [
      {
        step: 'read',
        change: {
          status: 'succeeded',
          startedAt: at,
          finishedAt: later(1),
          exitCode: 0,
          outputs: { n: [1, 'x'] },
          retries: 2,
          stdoutFile: 'a.out',
        },
      },
      { step: 'post', change: { status: 'waiting', approval: { ...approval, input: ['A'], required: [] } } },
    ]);
    store.addEvent('one', event('post', 1));
    const detail = test.seen((other) => other.getRun('one'));
    expect(detail?.run).toMatchObject({
      runId: 'one',
      attempt: 1,
      status: 'running',
      params: { A: '1' },
      startedAt: at,
      scheduledAt: later(-60),
    });
    expect(detail?.steps).toEqual([
      {
        step: 'read',
        action: 'run',
        status: 'succeeded',
        startedAt: at,
        finishedAt: later(1),
        exitCode: 0,
        outputs: { n: [1, 'x'] },
        retries: 2,
        stdoutFile: 'a.out',
      },
      { step: 'post', action: 'computer.run', status: 'waiting', outputs: {}, approval },
    ]);
    expect(detail?.events).toEqual([event('post', 1)]);
    expect(detail?.children).toEqual([]);
  });

  it('takes away what a failed try left when the step begins again', () => {
    test.create('one');
    const change = (status: 'running' | 'retrying' | 'succeeded', more = {}) =>
      store.changeSteps('one', [{ step: 'read', change: { status, ...more } }]);
    change('running', { startedAt: at });
    change('retrying', { exitCode: 3, error: 'exit code 3', retries: 1 });
    change('running');
    change('succeeded', { finishedAt: later(2) });
    test.hold('one');
    expect(store.getRun('one')?.steps[0]).toEqual({
      step: 'read',
      action: 'run',
      status: 'succeeded',
      startedAt: at,
      finishedAt: later(2),
      outputs: {},
      retries: 1,
    });
  });

  it('writes changes all or none, and refuses a step that the run does not have', () => {
    test.create('one');
    const changes = ['read', 'nope'].map((step) => ({ step, change: { status: 'running' as const } }));
    expect(() => store.changeSteps('one', changes)).toThrow('no step "nope"');
    expect(test.sql("SELECT status FROM steps WHERE step = 'read'")).toEqual([{ status: 'not_started' }]);
  });

  it('keeps every event and shows the newest thousand, in their order', () => {
    test.hold('one');
    test.create('one');
    store.addEvent('one', event('post', 1));
    test.sql(`WITH RECURSIVE numbers (n) AS (VALUES (2) UNION ALL SELECT n + 1 FROM numbers WHERE n < 1002)
      INSERT INTO events (run_id, attempt, step, sequence, event)
      SELECT run_id, attempt, step, n, json_set(event, '$.sequence', n) FROM events, numbers`);
    store.addEvent('one', event('post', 1003));
    expect(store.getRun('one')?.events.map(({ sequence }) => sequence)).toEqual(
      Array.from({ length: 1000 }, (_, index) => index + 4),
    );
    expect(test.sql('SELECT count(*) AS count FROM events')).toEqual([{ count: 1003 }]);
    expect(store.stateOf('one')?.sequences).toEqual(new Map([['post', 1003]]));
  });

  it('shows the mask where the process finds the sealed value', () => {
    const masker = new Masker([{ name: 'KEY', value: 'very-secret' }]);
    test.hold('one');
    test.create('one', { params: masker.seal({ A: 'a very-secret' }) });
    const outputs = masker.seal({ text: '<very-secret>' });
    store.changeSteps('one', [{ step: 'read', change: { status: 'succeeded', outputs } }]);
    expect(store.getRun('one')?.run.params).toEqual({ A: 'a *******' });
    expect(store.listRuns({ limit: 1 })[0]?.params).toEqual({ A: 'a *******' });
    expect(store.getRun('one')?.steps[0]?.outputs).toEqual({ text: '<*******>' });
    expect(store.stateOf('one')?.params).toEqual(masker.seal({ A: 'a very-secret' }));
    expect(store.stateOf('one')?.steps[0]?.outputs).toEqual(outputs);
  });

  it('keeps the text of the workflow file, once for all runs that have it', () => {
    test.create('one', { source: 'steps: [a]', workDir: '/work-dir' });
    test.create('two', { source: 'steps: [a]' });
    expect(test.sql('SELECT text FROM sources')).toEqual([{ text: 'steps: [a]' }]);
    expect(store.stateOf('one')).toMatchObject({ workflowText: 'steps: [a]', workDir: '/work-dir' });
    expect(store.stateOf('nope')).toBeUndefined();
  });

  it('keeps the newest conversation of a step', () => {
    test.create('one');
    expect(store.session('one', 'read')).toBeUndefined();
    store.saveSession('one', 'read', [{ role: 'user' }]);
    store.saveSession('one', 'read', [{ role: 'user' }, { role: 'assistant' }]);
    expect(test.seen((other) => other.session('one', 'read'))).toEqual([{ role: 'user' }, { role: 'assistant' }]);
  });

  it('adds up what a run and those under it exchanged', () => {
    test.hold('one');
    test.create('one');
    test.create('two', { parent: { runId: 'one', step: 'read', item: '' } });
    const entry = { host: 'models.example', kind: 'model', requests: 1, bytesSent: 10, bytesReceived: 100 };
    store.addEgress('one', [{ ...entry, pictures: false, loopback: false }]);
    store.addEgress('one', [{ ...entry, pictures: true, loopback: false }]);
    store.addEgress('two', [
      { ...entry, pictures: false, loopback: false },
      { ...entry, pictures: false, loopback: false, proxy: 'proxy.example:3128' },
    ]);
    const sum = { ...entry, requests: 3, bytesSent: 30, bytesReceived: 300, pictures: true, loopback: false };
    expect(store.getRun('one')?.egress).toEqual([
      sum,
      { ...entry, pictures: false, loopback: false, proxy: 'proxy.example:3128' },
    ]);
    expect(store.getRun('two')?.egress).toHaveLength(2);
  });

  it('knows the contents that may run, and how far schedules were dealt with', () => {
    store.trust('/flows/a.yaml', 'hash-1', 'person');
    store.trust('/flows/a.yaml', 'hash-1', 'person');
    store.setScheduleMark('/flows/a.yaml', at);
    store.setScheduleMark('/flows/a.yaml', later(60));
    test.seen((other) => {
      expect(other.isTrusted('/flows/a.yaml', 'hash-1')).toBe(true);
      expect(other.isTrusted('/flows/a.yaml', 'hash-2')).toBe(false);
      expect(other.isTrusted('/flows/b.yaml', 'hash-1')).toBe(false);
      expect(other.hasTrusted('/flows/a.yaml')).toBe(true);
      expect(other.hasTrusted('/flows/b.yaml')).toBe(false);
      expect(other.scheduleMark('/flows/a.yaml')).toBe(later(60));
      expect(other.scheduleMark('/flows/b.yaml')).toBeUndefined();
    });
  });

  it("is the owner's alone", () => {
    for (const path of [test.home, join(test.home, 'dagu-desktop.db'), join(test.home, 'runs')]) {
      expect(statSync(path).mode & 0o077, path).toBe(0);
    }
  });

  it('refuses a database of a newer version and leaves it as it is', () => {
    test.sql('PRAGMA user_version = 999');
    expect(() => new Store(test.home)).toThrow('newer version of Dagu Desktop (format 999');
  });

  it('gives an id to one run alone', () => {
    test.create('one');
    expect(() => test.create('one')).toThrow(RunExists);
    test.create('two');
  });
});

describe('a queued run', () => {
  const request: RunRequest = {
    mode: 'queued',
    runId: 'one',
    path: '/f.yaml',
    params: [{ name: 'A', value: '1' }],
    trigger: 'scheduler',
    home: '/h',
  };
  const queued = { status: 'queued', request } as const;

  it('has no process, keeps its request, and is not dead', () => {
    test.create('one', queued, []);
    expect(store.getRun('one')?.run.status).toBe('queued');
    expect(store.stateOf('one')?.request).toEqual(request);
  });

  it('is taken by one process alone, which tells what the run is', () => {
    const run = test.create('one', queued, []);
    const found = { ...run, name: 'named', params: { A: '2' }, source: 'steps: [b]' };
    store.takeQueued(found, [{ step: 'b', action: 'run' }]);
    expect(test.seen((other) => other.stateOf('one'))).toMatchObject({
      summary: { status: 'not_started', name: 'named', params: { A: '2' }, createdAt: at },
      steps: [{ step: 'b', status: 'not_started' }],
      workflowText: 'steps: [b]',
    });
    expect(() => store.takeQueued(found, [])).toThrow(expect.objectContaining({ code: 'nothing_to_do' }));
  });
});

describe('a store that cannot be used', () => {
  it('names the database that is damaged', () => {
    test.create('one');
    // What is in the log goes into the file, which is then damaged behind the description of its tables.
    const database = new DatabaseSync(store.paths.database);
    database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    const { first } = database.prepare("SELECT rootpage AS first FROM sqlite_schema WHERE name = 'runs'").get() as {
      first: number;
    };
    database.close();
    store.close();
    const file = openSync(store.paths.database, 'r+');
    for (let page = first; page < first + 3; page += 1)
      writeSync(file, Buffer.alloc(4096, 0xa5), 0, 4096, 4096 * (page - 1));
    closeSync(file);
    test.store = new Store(test.home);
    for (const read of [
      () => test.store.listRuns({ limit: 1 }),
      () => test.store.getRun('one'),
      () => test.create('two'),
    ]) {
      expect(read).toThrow(`the database ${store.paths.database} is damaged; put a backup in its place`);
    }
  });

  it('lists the other runs, and says which one is damaged', () => {
    for (const runId of ['one', 'two', 'three', 'four']) test.ended(runId);
    test.sql("UPDATE runs SET params = '{\"A\": 1' WHERE id = 'two'");
    test.sql("UPDATE runs SET status = 'nonsense' WHERE id = 'three'");
    const runs = store.listRuns({ limit: 9 });
    expect(runs.map(({ runId, status }) => `${runId} ${status}`)).toEqual([
      'four succeeded',
      'three failed',
      'two failed',
      'one succeeded',
    ]);
    expect(runs[2]).toMatchObject({ params: {}, error: expect.stringContaining('is damaged; other runs can be read') });
    for (const runId of ['two', 'three']) {
      expect(() => store.getRun(runId)).toThrow(expect.objectContaining({ name: 'StoreFailure', code: 'store' }));
      expect(() => store.getRun(runId)).toThrow(`run ${runId} in the database ${store.paths.database}`);
    }
    expect(store.getRun('one')?.run.status).toBe('succeeded');
    // They can be deleted.
    expect(store.removeRuns({ workflow: 'invoices' })).toHaveLength(4);
  });

  it.each([
    ['outputs', "UPDATE steps SET outputs = '[1]'"],
    ['event', "UPDATE events SET event = '{}'"],
  ])('names a run whose %s is damaged', (_, sql) => {
    test.ended('one');
    store.addEvent('one', event('read', 1));
    test.sql(sql);
    expect(() => store.getRun('one')).toThrow(`run one in the database ${store.paths.database}`);
    expect(store.listRuns({ limit: 1 })[0]).toMatchObject({ status: 'succeeded' });
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
