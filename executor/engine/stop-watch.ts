import { StoreFailure } from '../../core/store/database.ts';
import type { Store } from '../../core/store/store.ts';

/** How often the store is asked whether another program changed it, in ms: one number is read. */
const lookEveryMs = 200;

/** Why a run is to end; its message is shown. */
export class Stopped extends Error {}

/** Sees in the store when somebody asks runs to end that this process executes. */
export class StopWatch {
  readonly #store: Pick<Store, 'dataVersion' | 'stopRequest'>;
  readonly #watched = new Map<string, AbortController>();
  readonly #timer: NodeJS.Timeout;
  #version: number | undefined;

  constructor(store: Pick<Store, 'dataVersion' | 'stopRequest'>) {
    this.#store = store;
    this.#timer = setInterval(() => this.#lookIfChanged(), lookEveryMs);
    this.#timer.unref();
  }

  /** A signal that aborts when the run is asked to end, at once where that was before. */
  watch(runId: string): AbortSignal {
    const stop = new AbortController();
    this.#watched.set(runId, stop);
    this.#look(runId, stop);
    return stop.signal;
  }

  forget(runId: string): void {
    this.#watched.delete(runId);
  }

  close(): void {
    clearInterval(this.#timer);
  }

  /** Looks now. */
  look(): void {
    for (const [runId, stop] of this.#watched) this.#look(runId, stop);
  }

  #lookIfChanged(): void {
    try {
      const version = this.#store.dataVersion();
      if (version === this.#version) return;
      this.look();
      this.#version = version;
    } catch (error) {
      // Busy for a moment: the next look sees the same change.
      if (!(error instanceof StoreFailure)) throw error;
    }
  }

  #look(runId: string, stop: AbortController): void {
    const reason = this.#store.stopRequest(runId);
    if (reason !== undefined && !stop.signal.aborted) stop.abort(new Stopped(reason));
  }
}
