import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { DatabaseSync } from '@photostructure/sqlite';
import type { RunQuery } from '../../core/store/shapes.ts';
import { Store } from '../../core/store/store.ts';
import { type Figure, median } from './figure.ts';

const rounds = 15;
const few = 1000;
const many = 100_000;
/** What a page of a long list may take, in ms. */
const limitMs = 100;

const lists: readonly (readonly [name: string, query: RunQuery])[] = [
  ['newest 50', { limit: 50 }],
  ['50 from the middle on', { limit: 50, before: 'middle' }],
  ['50 of one workflow', { limit: 50, workflow: 'workflow-7', path: '/flows/workflow-7.yaml' }],
  ['50 of a status that few have', { limit: 50, statuses: ['rejected'] }],
  ['50 that wait', { limit: 50, statuses: ['waiting'] }],
  ['50 of a long time ago', { limit: 50, to: '2026-01-01T00:10:00.000Z' }],
];

/**
 * A page of a list of 100,000 runs, beside one of 1,000: both with the look for runs whose
 * process is gone, as every list has it.
 */
export async function run(): Promise<Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), 'dagu-bench-'));
  try {
    const [short, long] = [filled(join(folder, 'short'), few), filled(join(folder, 'long'), many)];
    const figures = lists.map(([name, query]) => figure(`store: ${name} of 100,000 runs`, query, { short, long }));
    for (const store of [short, long]) store.close();
    return figures;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function figure(name: string, query: RunQuery, { short, long }: { short: Store; long: Store }): Figure {
  const times = { short: [] as number[], long: [] as number[] };
  // Taken in turns, so that whatever else the machine does meets both.
  for (let round = 0; round < rounds; round += 1) {
    times.short.push(timeOf(() => short.listRuns(query)));
    times.long.push(timeOf(() => long.listRuns(query)));
  }
  const [ours, theirs] = [median(times.long), median(times.short)];
  return { name, ours, theirs, unit: 'ms', ratio: ours / theirs, limit: `below ${limitMs} ms`, holds: ours < limitMs };
}

function timeOf(work: () => unknown): number {
  const began = performance.now();
  work();
  return performance.now() - began;
}

/** A store with runs of ten workflows, one in the middle, every thousandth rejected, the newest ten waiting. */
function filled(home: string, count: number): Store {
  const store = new Store(home);
  const database = new DatabaseSync(store.paths.database);
  database.exec(`
    BEGIN;
    INSERT INTO sources (hash, text) VALUES ('h', 'steps: []');
    WITH RECURSIVE numbers (n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM numbers WHERE n < ${count})
    INSERT INTO runs (id, name, path, status, trigger_type, params, created_at, started_at, finished_at, log_dir,
      artifacts_dir, source_hash, root_id)
    SELECT iif(n = ${count / 2}, 'middle', 'run-' || n), 'workflow-' || (n % 10), '/flows/workflow-' || (n % 10) || '.yaml',
      CASE WHEN n > ${count} - 10 THEN 'waiting' WHEN n % 1000 = 0 THEN 'rejected' ELSE 'succeeded' END, 'manual',
      '{"FOLDER":"/invoices/2026","LIMIT":"100"}', strftime('%Y-%m-%dT%H:%M:%fZ', '2026-01-01', n || ' seconds'),
      strftime('%Y-%m-%dT%H:%M:%fZ', '2026-01-01', n || ' seconds'),
      strftime('%Y-%m-%dT%H:%M:%fZ', '2026-01-01', n + 9 || ' seconds'), '/logs/' || n, '/artifacts/' || n, 'h', 'run-' || n
    FROM numbers;
    COMMIT;
  `);
  database.close();
  return store;
}
