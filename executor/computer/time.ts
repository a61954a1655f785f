import { formatDuration } from '../../core/workflow/durations.ts';
import { StepError } from '../action.ts';

/** Waits, or throws the signal's reason as soon as it aborts. */
export function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) {
      reject(signal.reason);
      return;
    }
    const onAbort = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', onAbort);
      resolve();
    }, ms);
    signal.addEventListener('abort', onAbort, { once: true });
  });
}

/**
 * The time of one operation. It bounds what the step does, not what it waits for: it
 * stands still while the step waits for others.
 */
export class OperationTime {
  /** Aborts when the time is up, with a StepError, or when the step is stopped, with its reason. */
  readonly signal: AbortSignal;
  readonly #step: AbortSignal;
  readonly #controller = new AbortController();
  readonly #late: StepError;
  #leftMs: number;
  #runningSince = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(kind: string, limitMs: number, step: AbortSignal) {
    this.#late = new StepError(`${kind} did not finish within ${formatDuration(limitMs)}`);
    this.#step = step;
    this.signal = AbortSignal.any([step, this.#controller.signal]);
    this.#leftMs = limitMs;
    this.#start();
  }

  get remainingMs(): number {
    const passed = this.#timer === undefined ? 0 : performance.now() - this.#runningSince;
    return Math.max(0, this.#leftMs - passed);
  }

  /** Runs a wait for others, which does not count; it ends with the step alone. */
  async paused<T>(wait: (signal: AbortSignal) => Promise<T>): Promise<T> {
    this.end();
    try {
      return await wait(this.#step);
    } finally {
      this.#start();
    }
  }

  #start(): void {
    this.#runningSince = performance.now();
    this.#timer = setTimeout(() => this.#controller.abort(this.#late), this.#leftMs);
  }

  /** Stops the time. */
  end(): void {
    this.#leftMs = this.remainingMs;
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}
