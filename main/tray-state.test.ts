import { expect, it } from 'vitest';
import type { RunDetail, RunStatus } from '../core/contract/run.ts';
import { en } from '../core/contract/words/en.ts';
import { formatsFor } from '../core/contract/words/formats.ts';
import { Activity } from './activity.ts';
import { type TrayInput, trayState } from './tray-state.ts';

const formats = formatsFor('en', en.common.justNow);
const state = (input: Partial<TrayInput>) => trayState({ active: [], waiting: [], ...input }, en, formats);

it('is idle when nothing runs, also after a run that went well', () => {
  expect(state({ active: [] })).toEqual({ icon: 'idle', sentence: 'Nothing is running', stoppable: [] });
  expect(state({ active: [], unseen: detail('a', 'succeeded') }).icon).toBe('idle');
});

it('tells of the one run that works, or how many, and what can be stopped', () => {
  expect(state({ active: [detail('a', 'running')] })).toEqual({
    icon: 'working',
    sentence: 'invoices: Working: step 1 of 1, post',
    stoppable: [{ runId: 'a', label: 'Stop invoices' }],
  });
  const two = state({ active: [detail('a', 'running'), detail('b', 'running')] });
  expect(two.sentence).toBe('2 automations are working');
  expect(two.stoppable.map(({ runId }) => runId)).toEqual(['a', 'b']);
});

it('tells first of what needs a person', () => {
  const one = detail('w', 'waiting').run;
  expect(state({ waiting: [one], unseen: detail('a', 'failed') })).toEqual({
    icon: 'problem',
    sentence: 'invoices: Needs an answer from you',
    stoppable: [],
  });
  expect(state({ waiting: [one, one], active: [detail('b', 'running')] })).toMatchObject({
    icon: 'working',
    sentence: '2 automations need an answer from you',
  });
});

it('tells of a failure until work begins again', () => {
  const unseen = detail('a', 'failed');
  expect(state({ active: [], unseen })).toMatchObject({
    icon: 'problem',
    sentence: 'invoices: Failed at step 1 of 1, post',
  });
  expect(state({ active: [detail('b', 'running')], unseen }).icon).toBe('working');
});

it('notices runs that begin and end, until a person has looked', async () => {
  const runs: Record<string, RunStatus> = { a: 'running' };
  const shown: TrayInput[] = [];
  const activity = new Activity(
    {
      supervisor: { active: () => Object.keys(runs).filter((runId) => runs[runId] === 'running') },
      queries: {
        getRun: async ({ runId }) => ({ detail: detail(runId, runs[runId] ?? 'running') }),
        listRuns: async () => ({ runs: [] }),
      },
    },
    (input) => shown.push(input),
  );
  await activity.refresh();
  expect(shown.at(-1)).toMatchObject({ active: [{ run: { runId: 'a' } }] });
  runs.a = 'failed';
  await activity.refresh();
  expect(shown.at(-1)).toMatchObject({ active: [], unseen: { run: { runId: 'a', status: 'failed' } } });
  await activity.seen();
  expect(shown.at(-1)).toEqual({ active: [], waiting: [], unseen: undefined });
});

it('reads once more when something changed while it read', async () => {
  let active = ['a'];
  const shown: TrayInput[] = [];
  const activity = new Activity(
    {
      supervisor: { active: () => active },
      queries: {
        getRun: async ({ runId }) => ({ detail: detail(runId, 'running') }),
        listRuns: async () => ({ runs: [] }),
      },
    },
    (input) => shown.push(input),
  );
  const first = activity.refresh();
  active = ['a', 'b'];
  await Promise.all([first, activity.refresh(), activity.refresh()]);
  expect(shown.map((input) => input.active.length)).toEqual([1, 2]);
});

function detail(runId: string, status: RunStatus): RunDetail {
  const stepStatus = status === 'failed' || status === 'running' ? status : 'succeeded';
  return {
    run: {
      runId,
      name: 'invoices',
      path: '/flows/invoices.yaml',
      status,
      attempt: 1,
      trigger: 'tray',
      createdAt: '2026-03-02T12:00:00Z',
      params: {},
      logDir: '/logs',
      artifactsDir: '/artifacts',
    },
    steps: [{ step: 'post', action: 'run', status: stepStatus, outputs: {} }],
    events: [],
    children: [],
    egress: [],
  };
}
