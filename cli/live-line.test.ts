import { createLogUpdate } from 'log-update';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { RunDetail, StepSummary } from '../core/contract/run.ts';
import { LiveLine, liveText } from './live-line.ts';

const start = Date.parse('2026-01-02T03:04:05.000Z');
const step = (name: string, status: StepSummary['status'], more: Partial<StepSummary> = {}): StepSummary => ({
  step: name,
  action: 'run',
  status,
  outputs: {},
  ...more,
});
const startedAt = new Date(start).toISOString();
const detail = {
  steps: [
    step('read', 'succeeded', { startedAt, finishedAt: startedAt }),
    step('check', 'running', { startedAt }),
    step('post', 'retrying', { startedAt }),
    step('tell', 'not_started'),
    step('handler exit', 'not_started', { handler: 'exit' }),
  ],
} as unknown as RunDetail;

describe('the line below the progress', () => {
  beforeEach(() => {
    vi.useFakeTimers({ now: start + 12_900 });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('tells what runs, how long, and how much is done', () => {
    expect(liveText(detail, Date.now())).toBe('1 of 4 steps done · check 12 s, post (waits to try again) 12 s');
  });

  it('goes on by itself, steps aside for what is printed, and is gone at the end', () => {
    const written: string[] = [];
    const stream = { columns: 80, rows: 24, isTTY: true, write: (text: string) => written.push(text) };
    const line = new LiveLine(createLogUpdate(stream as never, { showCursor: true }));
    line.update(detail);
    vi.advanceTimersByTime(1100);
    expect(written.join('')).toContain('check 13 s');
    line.above(() => written.push('printed'));
    expect(written.at(-1)).toBe('printed');
    line.close();
    const atTheEnd = written.length;
    vi.advanceTimersByTime(5000);
    expect(written).toHaveLength(atTheEnd);
  });
});
