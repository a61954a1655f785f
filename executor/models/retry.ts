import { setTimeout as sleep } from 'node:timers/promises';

/** Milliseconds before each further try at a request that failed for a passing reason. */
export const retryDelays: readonly number[] = [1000, 2000, 4000];

/** The longest that a server's Retry-After is followed, in milliseconds. */
const longestWait = 30_000;

/** A failure that may pass by itself; `waitMs` is how long the server asked to be left alone. */
export class Passing extends Error {
  readonly waitMs: number;

  constructor(message: string, waitMs = 0, options?: ErrorOptions) {
    super(message, options);
    this.name = 'Passing';
    this.waitMs = waitMs;
  }
}

/**
 * Tries until an attempt succeeds, fails with something other than {@link Passing}, or
 * the delays are used up. An abort ends the waiting at once with the signal's reason.
 */
export async function withRetries<T>(
  attempt: () => Promise<T>,
  signal: AbortSignal,
  delays: readonly number[],
): Promise<T> {
  for (const delay of delays) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof Passing)) throw error;
      await wait(Math.min(Math.max(delay, error.waitMs), longestWait), signal);
    }
  }
  return await attempt();
}

async function wait(ms: number, signal: AbortSignal): Promise<void> {
  try {
    await sleep(ms, undefined, { signal });
  } catch {
    throw signal.reason;
  }
}
