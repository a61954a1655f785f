import type { Channel } from '../core/contract/channel.ts';
import { executorProtocol, type RunRequest, supervisorProtocol } from '../core/contract/messages.ts';
import { CallError, type Client, connect, serve } from '../core/contract/protocol.ts';
import type { RunStatus } from '../core/contract/run.ts';
import { newRunId } from '../core/store/run-id.ts';

/** A process that executes one run. */
export interface ExecutorProcess {
  channel: Channel;
  /** Ends the process at once, and its driver with it. */
  kill(): void;
  /** Starts the run's driver and joins it to the executor; only where main starts drivers. */
  openDriver?(): Promise<void>;
}

/** Starts an executor process: a forked Node process, or a utility process of Electron. */
export type ForkExecutor = () => ExecutorProcess;

export interface RunEnd {
  status: RunStatus;
  error?: string;
  /** The code of the executor's refusal: it could not begin the run, or not go on with it. */
  code?: string;
  /** The executor's process ended before it answered. */
  died?: boolean;
}

export interface StartedRun {
  runId: string;
  /** Resolves when the run has its final status in the store, also when its process died. */
  finished: Promise<RunEnd>;
}

interface ActiveRun {
  process: ExecutorProcess;
  executor: Client<typeof executorProtocol>;
}

/** How long a stopped run may take to end by itself (its handlers run), in ms. */
const stopGraceMs = 30_000;

/** Starts runs, each in a process of its own, and stops them. The same under the command and the tray. */
export class Supervisor {
  readonly #home: string;
  readonly #fork: ForkExecutor;
  readonly #active = new Map<string, ActiveRun>();
  readonly #listeners: ((runId: string) => void)[] = [];

  constructor({ home, fork }: { home: string; fork: ForkExecutor }) {
    this.#home = home;
    this.#fork = fork;
  }

  /** Starts a run of a workflow file that was found valid. */
  start(
    request: Omit<RunRequest, 'runId' | 'home' | 'params'> & Partial<Pick<RunRequest, 'runId' | 'params'>>,
  ): StartedRun {
    const complete: RunRequest = { params: [], ...request, runId: request.runId ?? newRunId(), home: this.#home };
    const { runId } = complete;
    const process = this.#fork();
    serve(process.channel, supervisorProtocol, {
      changed: ({ runId: changed }) => {
        this.#tell(runId);
        // A run under the one that this process executes.
        if (changed !== runId) this.#tell(changed);
        return {};
      },
      openDriver: async () => {
        if (process.openDriver === undefined) throw new CallError('unsupported', 'the executor starts its own driver');
        await process.openDriver();
        return {};
      },
    });
    const executor = connect(process.channel, executorProtocol);
    this.#active.set(runId, { process, executor });
    const finished = executor
      .run(complete)
      .catch(asEnd)
      .finally(() => {
        this.#active.delete(runId);
        this.#tell(runId);
      });
    return { runId, finished };
  }

  /** Asks a run to end, and ends its process when it does not. */
  async stop(runId: string, reason: string): Promise<void> {
    const run = this.#active.get(runId);
    if (run === undefined) return;
    const timer = setTimeout(() => run.process.kill(), stopGraceMs);
    timer.unref?.();
    run.process.channel.onClose(() => clearTimeout(timer));
    await run.executor.stop({ reason });
  }

  /** Stops every run that this supervisor started. */
  async stopAll(reason: string): Promise<void> {
    await Promise.allSettled(this.active().map((runId) => this.stop(runId, reason)));
  }

  /** Ids of the runs that are running now. */
  active(): string[] {
    return [...this.#active.keys()];
  }

  /** Calls the listener with the id of a run that changed in the store. */
  onChanged(listener: (runId: string) => void): void {
    this.#listeners.push(listener);
  }

  #tell(runId: string): void {
    for (const listener of this.#listeners) listener(runId);
  }
}

/** The executor rejected the run or died; a look at the store then writes the dead run's end. */
function asEnd(error: unknown): RunEnd {
  if (error instanceof CallError && error.code === 'closed') {
    return { status: 'failed', error: `the run's process ended before the run did: ${error.message}`, died: true };
  }
  const { message } = error as Error;
  return { status: 'failed', error: message, code: error instanceof CallError ? error.code : 'failed' };
}
