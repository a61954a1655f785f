import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Store } from './store.ts';
import { at, TestStore } from './testing.ts';

let test: TestStore;
let store: Store;

beforeEach(() => {
  test = new TestStore();
  store = test.store;
});
afterEach(() => test.close());

const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();
const left = () => test.seen((other) => other.listRuns({ limit: 99, children: true }).map(({ runId }) => runId));

describe('deleting runs of a workflow', () => {
  it('deletes their rows, their folders and those of runs under them', () => {
    const folder = test.ended('one', { source: 'one' });
    const child = test.ended('child', { name: 'items', parent: { runId: 'one', step: 'post', item: 'a' } });
    const other = test.ended('two', { name: 'other', source: 'two' });
    store.addEvent('one', {
      sequence: 1,
      id: 'computer-1-1',
      step: 'read',
      type: 'tool',
      timestamp: at,
      status: 'completed',
      content: '',
    });
    expect(store.removeRuns({ workflow: 'invoices' })).toEqual(['one']);
    expect([folder, child, other].map((path) => existsSync(path))).toEqual([false, false, true]);
    expect(left()).toEqual(['two']);
    for (const table of ['steps', 'events']) {
      expect(test.sql(`SELECT DISTINCT run_id FROM ${table} WHERE run_id <> 'two'`)).toEqual([]);
    }
    expect(test.sql('SELECT text FROM sources')).toEqual([{ text: 'two' }]);
  });

  it('is by name or path, and by age', () => {
    test.ended('old', { createdAt: daysAgo(10) });
    test.ended('new', { createdAt: daysAgo(1) });
    test.ended('other', { name: 'other', createdAt: daysAgo(10) });
    const olderThan = new Date(daysAgo(5));
    expect(store.removeRuns({ workflow: './invoices', path: '/flows/invoices.yaml', olderThan })).toEqual(['old']);
    expect(left()).toEqual(['other', 'new']);
  });

  it('only says which, when told so', () => {
    const folders = [test.ended('one'), test.ended('two')];
    expect(store.removeRuns({ workflow: 'invoices', dryRun: true })).toEqual(['two', 'one']);
    expect(left()).toEqual(['two', 'one']);
    expect(folders.every((folder) => existsSync(folder))).toBe(true);
  });

  it('leaves runs alone that are not at their end, or that a process took up', () => {
    test.hold('running');
    test.create('running');
    store.startRun('running', at);
    test.waiting('waiting');
    test.create('queued', { status: 'queued' });
    const folder = test.ended('retried');
    test.hold('retried');
    expect(store.removeRuns({ workflow: 'invoices' })).toEqual([]);
    expect(left()).toEqual(['retried', 'queued', 'waiting', 'running']);
    expect(existsSync(folder)).toBe(true);
  });

  it('deletes nothing but the folders of runs', () => {
    const elsewhere = join(test.home, 'elsewhere', 'one');
    const artifacts = join(test.home, 'artifacts');
    mkdirSync(artifacts);
    test.ended('one', { logDir: join(elsewhere, 'logs'), artifactsDir: artifacts });
    // A log folder that is not below a folder with the run's id.
    test.ended('two', { logDir: join(store.paths.runs, 'invoices', 'logs') });
    expect(store.removeRuns({ workflow: 'invoices' })).toEqual(['two', 'one']);
    for (const path of [elsewhere, artifacts, join(store.paths.runs, 'invoices')]) expect(existsSync(path)).toBe(true);
  });

  it('goes on after a crash between the folder and the rows', () => {
    const folder = test.ended('one');
    test.sql("CREATE TRIGGER crash BEFORE DELETE ON runs BEGIN SELECT RAISE(ABORT, 'crash'); END");
    expect(() => store.removeRuns({ workflow: 'invoices' })).toThrow('crash');
    expect(existsSync(folder)).toBe(false);
    expect(left()).toEqual(['one']);
    test.sql('DROP TRIGGER crash');
    expect(store.removeRuns({ workflow: 'invoices' })).toEqual(['one']);
  });
});

describe('retention', () => {
  it('deletes runs that ended too long ago', () => {
    for (const days of [40, 31, 29, 1]) test.ended(`${days}`, { createdAt: daysAgo(days) });
    expect(store.prune({ maxAgeDays: 30 })).toEqual(['40', '31']);
    expect(left()).toEqual(['1', '29']);
  });

  it('keeps the newest runs of each workflow file', () => {
    for (const [runId, name] of Object.entries({ 1: 'a', 2: 'a', 3: 'b', 4: 'a', 5: 'a' })) test.ended(runId, { name });
    test.waiting('6');
    expect(store.prune({ maxRuns: 2 })).toEqual(['1', '2']);
    expect(left()).toEqual(['6', '5', '4', '3']);
  });

  it('keeps the newest runs whose folders take no more than the limit', () => {
    for (const [index, size] of [500_000, 200_000, 300_000, 400_000].entries()) {
      writeFileSync(join(test.ended(`${index}`), 'logs', 'big.out'), Buffer.alloc(size));
    }
    const folder = test.ended('child', { parent: { runId: '3', step: 'post', item: '' } });
    writeFileSync(join(folder, 'logs', 'big.out'), Buffer.alloc(100_000));
    expect(store.prune({ maxBytes: 900_000 })).toEqual(['0', '1']);
    expect(left()).toEqual(['child', '3', '2']);
  });

  it('does nothing without limits', () => {
    test.ended('1', { createdAt: daysAgo(1000) });
    expect(store.prune({})).toEqual([]);
    expect(left()).toEqual(['1']);
  });
});
