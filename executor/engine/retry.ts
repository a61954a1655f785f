import { setTimeout as delay } from 'node:timers/promises';
import type { RetryPolicy } from '../../core/workflow/types.ts';
import { StepError } from '../action.ts';

/** A retry policy whose references are resolved. */
export interface Retries {
  /** Tries after the first. */
  limit: number;
  intervalSec: number;
  backoff: number;
  maxIntervalSec: number;
  /** Exit codes that are tried again; all where it is absent. */
  exitCodes?: readonly number[];
}

/** The longest time that a timer can be set to, in ms. */
const longestTimerMs = 2 ** 31 - 1;

/** A step's retries as they stand at its start. Throws a {@link StepError} for a value that is no whole number. */
export function resolveRetries(policy: RetryPolicy | undefined, resolve: (text: string) => string): Retries {
  if (policy === undefined) return { limit: 0, intervalSec: 0, backoff: 1, maxIntervalSec: Number.POSITIVE_INFINITY };
  return {
    limit: wholeNumber(policy.limit, 'limit', resolve),
    intervalSec: wholeNumber(policy.intervalSec, 'interval_sec', resolve),
    backoff: policy.backoff,
    maxIntervalSec: policy.maxIntervalSec || Number.POSITIVE_INFINITY,
    ...(policy.exitCodes !== undefined && { exitCodes: policy.exitCodes }),
  };
}

function wholeNumber(written: number | string, field: string, resolve: (text: string) => string): number {
  if (typeof written === 'number') return written;
  const value = resolve(written).trim();
  if (/^\d{1,9}$/.test(value)) return Number(value);
  throw new StepError(
    `retry_policy.${field} must be a whole number, 0 or more; ${written} has the value ${JSON.stringify(value)}`,
  );
}

/** Whether a try that ended so is followed by another. @param done tries after the first that there were */
export function triesAgain(retries: Retries, done: number, exitCode: number): boolean {
  return done < retries.limit && (retries.exitCodes?.includes(exitCode) ?? true);
}

/** How long to wait before the next try, in ms. @param done tries after the first that there were */
export function waitMs({ intervalSec, backoff, maxIntervalSec }: Retries, done: number): number {
  return intervalSec === 0 ? 0 : Math.min(intervalSec * backoff ** done, maxIntervalSec) * 1000;
}

/** Waits, and rejects with the signal's reason as soon as it aborts. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  for (let left = ms; left > 0; left -= longestTimerMs) {
    await delay(Math.min(left, longestTimerMs), undefined, { signal }).catch((error) => {
      signal.throwIfAborted();
      throw error;
    });
  }
}

/** Calls back after a time, which may be longer than a timer can be set to; gives what takes it back. */
export function after(ms: number, call: () => void): () => void {
  let timer: NodeJS.Timeout;
  const set = (left: number) => {
    timer = setTimeout(
      () => (left > longestTimerMs ? set(left - longestTimerMs) : call()),
      Math.min(left, longestTimerMs),
    );
  };
  set(ms);
  return () => clearTimeout(timer);
}
