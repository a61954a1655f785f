import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { RunDetail } from '../core/contract/run.ts';
import { StoreFailure } from '../core/store/database.ts';
import type { Store } from '../core/store/store.ts';
import { Progress } from './progress.ts';

const at = (second: number) => `2026-01-02T03:04:0${second}.000Z`;
const step = (name: string, from: number, to: number) =>
  ({ step: name, action: 'run', status: 'succeeded', outputs: {}, startedAt: at(from), finishedAt: at(to) }) as const;
const detail = {
  run: { name: 'flow' },
  steps: [step('b', 2, 3), step('a', 1, 1), step('c', 3, 4)],
  events: [{ step: 'c', sequence: 1, timestamp: at(3), status: 'completed', content: 'pressed' }],
} as unknown as RunDetail;

let printed: string[];
beforeEach(() => {
  printed = [];
  vi.useFakeTimers();
  vi.spyOn(process.stdout, 'write').mockImplementation(
    (text) => printed.push(...String(text).trimEnd().split('\n')) > 0,
  );
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

describe('the progress of a run', () => {
  it('is read once for many changes, and printed once in the order of what happened', () => {
    const getRun = vi.fn(() => detail);
    const progress = new Progress({ getRun } as unknown as Store, 'r1');
    for (let change = 0; change < 100; change += 1) progress.changed();
    vi.advanceTimersByTime(50);
    expect(getRun).toHaveBeenCalledTimes(1);
    progress.show(detail);
    expect(printed).toEqual([
      'flow, run r1',
      '  a  started',
      '  a  succeeded after 0.0 s',
      '  b  started',
      '  b  succeeded after 1.0 s',
      '  c  started',
      '  c  pressed - completed',
      '  c  succeeded after 1.0 s',
    ]);
  });

  it('is not read after its end, nor does a store that fails break it', () => {
    const getRun = vi.fn(() => {
      throw new StoreFailure('the disk is full', { diskFull: true });
    });
    const progress = new Progress({ getRun } as unknown as Store, 'r1');
    progress.changed();
    vi.advanceTimersByTime(50);
    progress.changed();
    progress.close();
    vi.advanceTimersByTime(50);
    expect(getRun).toHaveBeenCalledTimes(1);
    expect(printed).toEqual([]);
  });

  it('leaves out what happened before, and shows a step that begins again', () => {
    const progress = new Progress({} as unknown as Store, 'r1');
    progress.passOver(detail);
    const [first, ...others] = detail.steps;
    const again = { ...first, startedAt: at(7), finishedAt: at(8) } as (typeof detail.steps)[number];
    progress.show({ ...detail, steps: [again, ...others] });
    expect(printed).toEqual(['flow, run r1', '  b  started', '  b  succeeded after 1.0 s']);
  });
});
