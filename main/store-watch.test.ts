import { expect, it } from 'vitest';
import type { RunStatus, RunSummary } from '../core/contract/run.ts';
import { StoreWatch } from './store-watch.ts';

it('tells of runs that came, work or ended since the last look, and reads nothing when nothing changed', async () => {
  const runs: Record<string, RunStatus> = { old: 'succeeded', mine: 'running' };
  let version = 1;
  let lists = 0;
  const told: string[] = [];
  const watch = new StoreWatch(
    {
      version: async () => ({ version }),
      listRuns: async () => {
        lists += 1;
        return { runs: Object.entries(runs).map(([runId, status]) => summary(runId, status)) };
      },
    },
    (runId) => told.push(runId),
  );
  const change = (runId: string, status: RunStatus) => {
    runs[runId] = status;
    version += 1;
  };

  await watch.look();
  await watch.look();
  expect({ told, lists }).toEqual({ told: [], lists: 1 });

  change('new', 'running');
  await watch.look();
  expect(told.splice(0)).toEqual(['mine', 'new']);

  change('mine', 'failed');
  await watch.look();
  expect(told.splice(0)).toEqual(['mine', 'new']);

  change('new', 'succeeded');
  await watch.look();
  expect(told.splice(0)).toEqual(['new']);
});

function summary(runId: string, status: RunStatus): RunSummary {
  return {
    runId,
    name: 'invoices',
    path: '/flows/invoices.yaml',
    status,
    attempt: 1,
    trigger: 'manual',
    createdAt: '2026-03-02T12:00:00Z',
    params: {},
    logDir: '/logs',
    artifactsDir: '/artifacts',
  };
}
