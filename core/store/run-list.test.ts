import { DatabaseSync } from '@photostructure/sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { listStatement } from './run-list.ts';
import type { RunQuery } from './shapes.ts';
import { later, TestStore } from './testing.ts';

let test: TestStore;

beforeEach(() => {
  test = new TestStore();
  for (const [index, name] of ['a', 'b', 'a', 'c', 'a'].entries()) {
    test.ended(`${index + 1}`, { name, createdAt: later(index) }, index % 2 === 0 ? 'succeeded' : 'failed');
  }
});
afterEach(() => test.close());

const ids = (query: Partial<RunQuery>) =>
  test.seen((other) => other.listRuns({ limit: 9, ...query }).map(({ runId }) => runId));

describe('a list of runs', () => {
  it('has the newest first, of one workflow by its name or path', () => {
    expect(ids({})).toEqual(['5', '4', '3', '2', '1']);
    expect(ids({ workflow: 'a' })).toEqual(['5', '3', '1']);
    expect(ids({ workflow: '/flows/b.yaml' })).toEqual(['2']);
    expect(ids({ workflow: 'b', path: '/flows/a.yaml' })).toEqual(['5', '3', '2', '1']);
    expect(ids({ workflow: 'b', path: '/flows/a.yaml', limit: 2 })).toEqual(['5', '3']);
    expect(ids({ workflow: 'nope' })).toEqual([]);
  });

  it('goes on after a run, also when there are new ones', () => {
    expect(ids({ limit: 2 })).toEqual(['5', '4']);
    test.ended('6');
    expect(ids({ limit: 2, before: '4' })).toEqual(['3', '2']);
    expect(ids({ limit: 2, before: '2' })).toEqual(['1']);
    expect(ids({ workflow: 'a', before: '3' })).toEqual(['1']);
    expect(() => ids({ before: 'gone' })).toThrow(expect.objectContaining({ code: 'not_found' }));
  });

  it('is of statuses and of a time', () => {
    test.waiting('6');
    expect(ids({ statuses: ['failed'] })).toEqual(['4', '2']);
    expect(ids({ statuses: ['waiting', 'running'] })).toEqual(['6']);
    expect(ids({ statuses: ['waiting'], workflow: 'invoices' })).toEqual(['6']);
    expect(ids({ statuses: ['waiting'], workflow: 'a' })).toEqual([]);
    expect(ids({ statuses: ['waiting', 'failed'] })).toEqual(['6', '4', '2']);
    expect(ids({ statuses: [] })).toEqual([]);
    expect(ids({ from: later(1), to: later(3) })).toEqual(['3', '2']);
    expect(ids({ from: later(1), to: later(3), workflow: 'a', statuses: ['succeeded'] })).toEqual(['3']);
  });

  it('has runs under others where they are asked for', () => {
    test.ended('6', { parent: { runId: '5', step: 'read', item: '' } });
    expect(ids({ limit: 1 })).toEqual(['5']);
    expect(ids({ limit: 2, children: true })).toEqual(['6', '5']);
    expect(ids({ workflow: 'invoices', children: true, statuses: ['succeeded'] })).toEqual(['6']);
  });
});

describe('what a page of a list reads', () => {
  /** How the database finds the rows of a list; the last line is the lookup of the page's rows. */
  function plan(query: RunQuery): string[] {
    const { sql, values } = listStatement(query);
    const database = new DatabaseSync(test.store.paths.database);
    const rows = database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...values);
    database.close();
    return (rows as { detail: string }[]).map(({ detail }) => detail);
  }

  const limit = 50;
  it.each<[string, RunQuery, string[]]>([
    ['all runs', { limit }, ['runs_at_the_top']],
    ['failed runs of a week', { limit, statuses: ['failed'], from: later(0), to: later(9) }, ['runs_at_the_top']],
    ['a workflow', { limit, workflow: 'a', path: '/a.yaml' }, ['runs_by_name', 'runs_by_path']],
    ['failed runs of it', { limit, workflow: 'a', statuses: ['failed'] }, ['runs_by_name', 'runs_by_path']],
    ['runs that wait', { limit, statuses: ['waiting', 'queued'] }, ['runs_unfinished']],
    ['runs of a workflow that wait', { limit, workflow: 'a', statuses: ['waiting'] }, ['runs_unfinished']],
  ])('of %s is in an index, in its order', (_, query, indexes) => {
    const lines = plan(query);
    const all = lines.join('\n');
    for (const index of indexes) expect(all).toMatch(new RegExp(`SEARCH runs USING (COVERING )?INDEX ${index} \\(`));
    expect(all).not.toMatch(/SCAN runs|MULTI-INDEX OR/);
    // The rows of the page come by their numbers; nothing longer is sorted than a page.
    expect(all).toContain('SEARCH runs USING INTEGER PRIMARY KEY');
    expect(all).not.toContain('TEMP B-TREE FOR ORDER BY');
  });

  it('of runs at work is in an index that has no others', () => {
    const database = new DatabaseSync(test.store.paths.database);
    const rows = database
      .prepare(`EXPLAIN QUERY PLAN SELECT DISTINCT root_id FROM runs WHERE status IN ('running', 'not_started')`)
      .all() as { detail: string }[];
    database.close();
    expect(rows.map(({ detail }) => detail)).toEqual(['SCAN runs USING COVERING INDEX runs_going']);
  });
});
