import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { after, pause, resolveRetries, triesAgain, waitMs } from './retry.ts';

const asWritten = (text: string) => text;

it('waits longer each time, up to the longest wait', () => {
  const waits = (policy: Partial<Parameters<typeof resolveRetries>[0]>) => {
    const retries = resolveRetries({ limit: 5, intervalSec: 2, backoff: 1, ...policy }, asWritten);
    return [0, 1, 2, 3, 4].map((done) => waitMs(retries, done) / 1000);
  };
  expect(waits({})).toEqual([2, 2, 2, 2, 2]);
  expect(waits({ backoff: 2, maxIntervalSec: 30 })).toEqual([2, 4, 8, 16, 30]);
  expect(waits({ backoff: 1.5, intervalSec: 4 })).toEqual([4, 6, 9, 13.5, 20.25]);
  expect(waits({ backoff: 1e300, maxIntervalSec: 60 })).toEqual([2, 60, 60, 60, 60]);
  expect(waits({ intervalSec: 0, backoff: 1e300 })).toEqual([0, 0, 0, 0, 0]);
});

it('tries as often as it may, and no more', () => {
  const retries = resolveRetries({ limit: 2, intervalSec: 0, backoff: 1, exitCodes: [1, 9] }, asWritten);
  expect([triesAgain(retries, 0, 9), triesAgain(retries, 1, 1), triesAgain(retries, 2, 1)]).toEqual([
    true,
    true,
    false,
  ]);
  expect(triesAgain(retries, 0, 2)).toBe(false);
  expect(triesAgain(resolveRetries(undefined, asWritten), 0, 1)).toBe(false);
});

it.each(['-1', '1.5', '', 'three', '99999999999'])('takes a text as a number of tries, but not %j', (text) => {
  const limit = (written: string) => resolveRetries({ limit: written, intervalSec: 0, backoff: 1 }, asWritten).limit;
  expect(limit(' 12 ')).toBe(12);
  expect(() => limit(text)).toThrow('retry_policy.limit must be a whole number, 0 or more');
});

const fortyDaysMs = 40 * 24 * 3600 * 1000;

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

it('calls back after a time that no timer can be set to', () => {
  const call = vi.fn();
  after(fortyDaysMs, call);
  vi.advanceTimersByTime(fortyDaysMs - 1);
  expect(call).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(call).toHaveBeenCalledOnce();
  const takeBack = after(fortyDaysMs, call);
  vi.advanceTimersByTime(fortyDaysMs - 1);
  takeBack();
  vi.advanceTimersByTime(fortyDaysMs);
  expect(call).toHaveBeenCalledOnce();
});

it('does not wait where it was stopped before', async () => {
  await expect(pause(1000, AbortSignal.abort(new Error('stopped')))).rejects.toThrow('stopped');
});
