import { describe, expect, it } from 'vitest';
import { runGraph, withDependents } from './graph.ts';
import type { StepEnd } from './step.ts';
import { makeStep } from './testing.ts';

const steps = (graph: Record<string, string[]>) =>
  Object.entries(graph).map(([id, depends]) => makeStep({ id, depends }));

async function run(
  graph: Record<string, string[]>,
  outcome: Record<string, StepEnd> = {},
  { ended = {}, signal = new AbortController().signal }: { ended?: Record<string, StepEnd>; signal?: AbortSignal } = {},
) {
  const started: string[] = [];
  const ends = await runGraph(steps(graph), {
    maxActive: 10,
    signal,
    ended: new Map(Object.entries(ended)),
    start: async ({ key }) => {
      started.push(key);
      return outcome[key] ?? { status: 'succeeded' };
    },
    notRun: () => {},
  });
  return { started, ends: Object.fromEntries([...ends].map(([{ key }, { status }]) => [key, status])) };
}

describe('runGraph', () => {
  it('goes on behind steps that are at their end, and does not run those again', async () => {
    const { started, ends } = await run(
      { a: [], b: ['a'], c: ['a', 'b'], d: [] },
      {},
      { ended: { a: { status: 'succeeded' }, d: { status: 'failed' } } },
    );
    expect(started).toEqual(['b', 'c']);
    expect(ends).toEqual({ a: 'succeeded', b: 'succeeded', c: 'succeeded', d: 'failed' });
  });

  it('leaves what waits for a person, and what is behind it, without an end', async () => {
    const { started, ends } = await run({ a: [], b: ['a'], c: ['b'], d: [] }, { a: { status: 'waiting' } });
    expect(started).toEqual(['a', 'd']);
    expect(ends).toEqual({ a: 'waiting', d: 'succeeded' });
  });

  it('ends what waits when it is stopped', async () => {
    const signal = AbortSignal.abort(new Error('stopped'));
    const { started, ends } = await run({ a: [], b: ['a'] }, {}, { ended: { a: { status: 'waiting' } }, signal });
    expect(started).toEqual([]);
    expect(ends).toEqual({ a: 'aborted', b: 'aborted' });
  });

  it('runs a step behind two that end in whatever order, once', async () => {
    const { started } = await run({ c: ['a', 'b'], a: [], b: [], d: ['c', 'a'] });
    expect(started.slice(2)).toEqual(['c', 'd']);
  });

  it('takes ten thousand steps behind a shared list of as many', async () => {
    const first = Array.from({ length: 5000 }, (_, at) => makeStep({ id: `a${at}` }));
    const names = first.map(({ key }) => key);
    const second = Array.from({ length: 5000 }, (_, at) => makeStep({ id: `b${at}`, depends: names }));
    const before = performance.now();
    const ends = await runGraph([...first, ...second], {
      maxActive: 100,
      signal: new AbortController().signal,
      ended: new Map(),
      start: async () => ({ status: 'succeeded' }),
      notRun: () => {},
    });
    expect(ends.size).toBe(10_000);
    expect(performance.now() - before).toBeLessThan(5000);
  });
});

it('withDependents tells all that depend on a step, and the step', () => {
  const all = steps({ a: [], b: ['a'], c: ['b'], d: [], e: ['d', 'c'] });
  const keys = (id: string) =>
    [...withDependents(all, all.find(({ key }) => key === id) as (typeof all)[number])].map(({ key }) => key).sort();
  expect(keys('b')).toEqual(['b', 'c', 'e']);
  expect(keys('e')).toEqual(['e']);
});
