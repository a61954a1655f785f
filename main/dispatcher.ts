import type { RunRequest } from '../core/contract/messages.ts';
import { CallError } from '../core/contract/protocol.ts';
import type { RunSummary } from '../core/contract/run.ts';
import type { Queries } from './queries-client.ts';
import { turns } from './queue.ts';
import type { RunEnd, Supervisor } from './supervisor.ts';

export interface DispatcherParts {
  supervisor: Pick<Supervisor, 'start' | 'stop' | 'active'>;
  queries: Pick<Queries['client'], 'work' | 'contentOf' | 'requestStop' | 'failQueued' | 'version'>;
  /** How many runs of all workflows may be at work. */
  maxActiveRuns: () => number;
  /** Told of what nobody waits for. */
  onError: (error: unknown) => void;
}

/** How often a run is tried again that could not be taken up, and after how long the first time, in ms. */
const mostTries = 5;
const firstPauseMs = 1000;

/**
 * Starts what the store has to do: runs that wait for their turn, runs that a person answered,
 * runs without a process that are asked to stop, whoever wrote them there. Each is taken up
 * exactly once, since its own process takes the run's lock and the row in one transaction; this
 * only sees to it that somebody does.
 */
export class Dispatcher {
  readonly #parts: DispatcherParts;
  /** Paths of the runs that were started here and go on. */
  readonly #started = new Map<string, string>();
  /** Runs that could not be gone on with: they are left for the next start of the app. */
  readonly #refused = new Set<string>();
  /** How often each run could not be taken up, and those that are left alone for a while. */
  readonly #tries = new Map<string, number>();
  readonly #pauses = new Set<string>();
  #looking: Promise<void> | undefined;
  #again = false;
  #version: number | undefined;
  #ended = false;

  constructor(parts: DispatcherParts) {
    this.#parts = parts;
  }

  /** Looks, where the store changed since the last look. */
  async lookIfChanged(): Promise<void> {
    const { version } = await this.#parts.queries.version();
    if (version === this.#version) return;
    this.#version = version;
    await this.look();
  }

  /** Starts what can start; a call while one looks makes it look once more after that. */
  async look(): Promise<void> {
    if (this.#looking !== undefined) {
      this.#again = true;
      return this.#looking;
    }
    this.#looking = this.#lookUntilCalm();
    try {
      await this.#looking;
    } finally {
      this.#looking = undefined;
    }
  }

  /** Tries a run at its end again. Code `busy` where as many runs are at work as may be. */
  async retry(run: Pick<RunSummary, 'runId' | 'path'>, fromStep?: string): Promise<void> {
    const { queries } = this.#parts;
    const [{ active }, { maxActiveRuns }] = await Promise.all([
      queries.work(),
      queries.contentOf({ runId: run.runId }),
    ]);
    const [turn] = turns([{ run, maxActiveRuns }], this.#atWork(active), this.#parts.maxActiveRuns());
    if (turn === undefined || this.#isOurs(run.runId)) throw new CallError('busy', 'too many runs are at work');
    this.#start(run, { mode: 'retry', trigger: 'retry', ...(fromStep !== undefined && { fromStep }) });
  }

  /**
   * Asks a run to end, whoever works on it. False where it is at its end already.
   *
   * @param reason stands in the run as why it ended
   */
  async stop(runId: string, reason: string): Promise<boolean> {
    const { isAsked } = await this.#parts.queries.requestStop({ runId, reason });
    if (!isAsked) return false;
    await this.#parts.supervisor.stop(runId, reason).catch((error: unknown) => {
      // It ended meanwhile, or died: the request stands in the store.
      if (!(error instanceof CallError && error.code === 'closed')) throw error;
    });
    await this.look();
    return true;
  }

  /** Starts nothing more. */
  end(): void {
    this.#ended = true;
  }

  async #lookUntilCalm(): Promise<void> {
    do {
      this.#again = false;
      await this.#lookOnce();
    } while (this.#again);
  }

  async #lookOnce(): Promise<void> {
    const { queued, active, resumable } = await this.#parts.queries.work();
    if (this.#ended) return;
    const isFree = ({ runId }: RunSummary) =>
      !this.#isOurs(runId) && !this.#refused.has(runId) && !this.#pauses.has(runId);
    const stopped = queued.filter(({ isStopped }) => isStopped).map(({ run }) => run);
    for (const run of [...resumable, ...stopped].filter(isFree)) {
      this.#start(run, { mode: 'resume', trigger: run.trigger });
    }
    const waiting = queued.filter(({ run, isStopped }) => !isStopped && isFree(run));
    for (const { run } of turns(waiting, this.#atWork(active), this.#parts.maxActiveRuns())) {
      this.#start(run, { mode: 'queued', trigger: run.trigger });
    }
  }

  #isOurs(runId: string): boolean {
    return this.#started.has(runId) || this.#parts.supervisor.active().includes(runId);
  }

  /** The runs at work, with those of which the store does not know yet that they are. */
  #atWork(active: readonly RunSummary[]): { path: string }[] {
    const stored = new Set(active.map(({ runId }) => runId));
    const fresh = [...this.#started].filter(([runId]) => !stored.has(runId)).map(([, path]) => ({ path }));
    return [...active, ...fresh];
  }

  #start(
    { runId, path }: Pick<RunSummary, 'runId' | 'path'>,
    request: Pick<RunRequest, 'mode' | 'trigger' | 'fromStep'>,
  ): void {
    this.#started.set(runId, path);
    const { finished } = this.#parts.supervisor.start({ ...request, runId, path });
    finished.then((end) => this.#finished(runId, request.mode, end)).catch(this.#parts.onError);
  }

  async #finished(runId: string, mode: RunRequest['mode'], { code, error, died }: RunEnd): Promise<void> {
    this.#started.delete(runId);
    const reason = error ?? 'the run could not begin';
    const isTakenUp = code === 'nothing_to_do' || code === 'run_exists';
    if (code === undefined && !died) this.#tries.delete(runId);
    else if ((isTakenUp || died) && this.#pause(runId)) return;
    else if (!isTakenUp && mode === 'queued') await this.#parts.queries.failQueued({ runId, error: reason });
    else if (mode !== 'retry') this.#refuse(runId, reason);
    if (!this.#ended) await this.look();
  }

  /**
   * Leaves a run for a while that another process takes up, or whose process died, so that it
   * is not tried without end. False when it was tried often enough.
   */
  #pause(runId: string): boolean {
    const tries = (this.#tries.get(runId) ?? 0) + 1;
    this.#tries.set(runId, tries);
    if (tries > mostTries) return false;
    const timer = setTimeout(
      () => {
        this.#pauses.delete(runId);
        if (!this.#ended) this.look().catch(this.#parts.onError);
      },
      firstPauseMs * 2 ** (tries - 1),
    );
    timer.unref();
    this.#pauses.add(runId);
    return true;
  }

  #refuse(runId: string, reason: string): void {
    this.#refused.add(runId);
    this.#parts.onError(new Error(`run ${runId} could not go on: ${reason}`));
  }
}
