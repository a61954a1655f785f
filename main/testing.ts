import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { channelPair } from '../core/contract/channel.ts';
import type { RunRequest } from '../core/contract/messages.ts';
import { type Client, connect, serve } from '../core/contract/protocol.ts';
import type { RunParent, RunStatus } from '../core/contract/run.ts';
import { type FileLock, tryFileLock } from '../core/store/lock.ts';
import { Store } from '../core/store/store.ts';
import { queriesProtocol } from './queries-protocol.ts';
import { storeQueries } from './store-queries.ts';
import type { RunEnd, StartedRun, Supervisor } from './supervisor.ts';

/** For tests: a data directory with a real store, its queries, and runs that a test ends. */
export class TestStore {
  readonly home = mkdtempSync(join(tmpdir(), 'dagu-main-'));
  readonly store = new Store(this.home);
  readonly queries: Client<typeof queriesProtocol>;
  readonly supervisor = new TestSupervisor(this.store);

  constructor() {
    const [ours, theirs] = channelPair();
    serve(theirs, queriesProtocol, storeQueries(this.store));
    this.queries = connect(ours, queriesProtocol);
  }

  /** Status of each run, by its id. */
  statuses(): Record<string, RunStatus> {
    return Object.fromEntries(this.store.listRuns({ limit: 1000 }).map(({ runId, status }) => [runId, status]));
  }

  /** Writes a run that waits for its turn. */
  queue(runId: string, path: string, rest: Partial<RunRequest> & { source?: string } = {}): void {
    const { source = 'steps:\n  - id: a\n    run: echo\n', ...request } = rest;
    const complete: RunRequest = {
      mode: 'queued',
      runId,
      path,
      params: [],
      trigger: 'tray',
      home: this.home,
      ...request,
    };
    this.store.createRun({ ...runOf(complete), source, status: 'queued', request: complete }, []);
  }

  /** Writes a run whose step `check` waits for a person. */
  wait(runId: string, path: string, parent?: RunParent): void {
    const run = runOf({ runId, path, trigger: 'tray' });
    const source = 'steps: []';
    this.store.createRun({ ...run, source, ...(parent !== undefined && { parent }) }, [
      { step: 'check', action: 'run' },
    ]);
    this.store.startRun(runId, now());
    const approval = {
      state: 'waiting' as const,
      input: ['AMOUNT'],
      required: ['AMOUNT'],
      rewindTo: 'check',
      inputs: {},
    };
    this.store.changeSteps(runId, [{ step: 'check', change: { status: 'waiting', approval } }]);
    this.store.waitRun(runId);
  }

  close(): void {
    for (const runId of this.supervisor.active()) this.supervisor.finish(runId, 'aborted');
    this.store.close();
    rmSync(this.home, { recursive: true, force: true });
  }
}

/** Does what executors do to the store, and lets a test say when they end. */
export class TestSupervisor implements Pick<Supervisor, 'start' | 'stop' | 'active'> {
  readonly requests: Pick<RunRequest, 'mode' | 'runId' | 'path'>[] = [];
  readonly stopped: [runId: string, reason: string][] = [];
  /** What the next start is refused with. */
  refusal: Omit<RunEnd, 'status'> | undefined;
  readonly #store: Store;
  readonly #running = new Map<string, { resolve: (end: RunEnd) => void; lock: FileLock | undefined }>();

  constructor(store: Store) {
    this.#store = store;
  }

  start(request: Parameters<Supervisor['start']>[0]): StartedRun {
    const { mode, path, trigger, runId = '' } = request;
    this.requests.push({ mode, runId, path });
    if (this.refusal !== undefined) {
      const end: RunEnd = { status: 'failed', ...this.refusal };
      this.refusal = undefined;
      return { runId, finished: Promise.resolve(end) };
    }
    // As the run's own process holds it: without it a run at work is a dead one.
    const lock = tryFileLock(this.#store.runLockPath(runId));
    if (mode === 'queued') {
      const source = this.#store.stateOf(runId)?.workflowText ?? '';
      this.#store.takeQueued({ ...runOf({ runId, path, trigger }), source }, []);
    }
    if (mode === 'resume') this.#store.resumeRun(runId, now());
    if (mode === 'retry') this.#store.newAttempt(runId, { trigger, at: now(), keep: [] });
    this.#store.startRun(runId, now());
    return { runId, finished: new Promise((resolve) => this.#running.set(runId, { resolve, lock })) };
  }

  /** Ends a run. */
  finish(runId: string, status: RunStatus): void {
    const run = this.#running.get(runId);
    this.#running.delete(runId);
    this.#store.finishRun(runId, status, now());
    run?.lock?.release({ remove: true });
    run?.resolve({ status });
  }

  async stop(runId: string, reason: string): Promise<void> {
    if (this.#running.has(runId)) this.stopped.push([runId, reason]);
  }

  active(): string[] {
    return [...this.#running.keys()];
  }
}

/** Lets what was set going come to its end: calls over memory channels and of promises. */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < 10; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

function runOf({ runId, path, trigger, scheduledAt }: Pick<RunRequest, 'runId' | 'path' | 'trigger' | 'scheduledAt'>) {
  return {
    runId,
    name: 'flow',
    path,
    trigger,
    createdAt: now(),
    params: {},
    logDir: '/logs',
    artifactsDir: '/artifacts',
    ...(scheduledAt !== undefined && { scheduledAt }),
  };
}

function now(): string {
  return new Date().toISOString();
}
