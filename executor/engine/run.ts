import { setTimeout as delay } from 'node:timers/promises';
import type { RunRequest } from '../../core/contract/messages.ts';
import { CallError } from '../../core/contract/protocol.ts';
import type { RunSummary } from '../../core/contract/run.ts';
import type { Network } from '../../core/net/network.ts';
import { type FileLock, tryFileLock } from '../../core/store/lock.ts';
import { noSuchRun, RunExists } from '../../core/store/shapes.ts';
import { Store } from '../../core/store/store.ts';
import type { DesktopSession } from '../action.ts';
import { type RunEnd, runToEnd } from './course.ts';
import { Guardian } from './guardian.ts';
import { beginRoot, nothingToDo } from './root-run.ts';
import { StopWatch } from './stop-watch.ts';

export type { RunEnd } from './course.ts';

export interface RunOptions {
  session: DesktopSession;
  network: Network;
  /** Stops the run: its `reason` is an Error whose message says why. */
  signal: AbortSignal;
  /** Called after each change that is stored, with the run that changed: this one, or one under it. */
  changed: (runId: string) => void;
}

/**
 * Executes one run from its beginning, or from where it stands, to its end, or to where it waits
 * for a person; all of it is in the store when this resolves. This process is the only writer of
 * the run and of those under it; it holds the lock of the run at the top meanwhile. Rejects with
 * a code where the run could not begin, or not go on: `run_exists`, `not_found`, `broken`,
 * `bad_params`, `changed`, `disk_full`, `not_ended`, `nothing_to_do`.
 */
export async function runWorkflow(request: RunRequest, options: RunOptions): Promise<RunEnd> {
  const store = new Store(request.home);
  try {
    if (request.mode !== 'start') store.markDeadRuns();
    // What is to be answered or stopped needs next to nothing.
    if (request.mode !== 'resume') store.checkFreeSpace();
    const root = request.mode === 'start' ? request : { ...request, runId: topOf(store, request) };
    const lock = await takeLock(store, root);
    try {
      return await execute(store, root, options);
    } finally {
      lock.release({ remove: true });
    }
  } finally {
    store.close();
  }
}

/** The run at the top of the family that a run is of: that one waits, and goes on, with all under it. */
function topOf(store: Store, { runId, mode }: Pick<RunRequest, 'runId' | 'mode'>): string {
  let summary = summaryOf(store, runId);
  while (summary.parent !== undefined) summary = summaryOf(store, summary.parent.runId);
  if (summary.runId === runId || mode === 'resume') return summary.runId;
  throw new CallError('invalid', `run ${runId} is one under run ${summary.runId}; try that one again`);
}

function summaryOf(store: Store, runId: string): RunSummary {
  const summary = store.stateOf(runId)?.summary;
  if (summary === undefined) throw noSuchRun(runId);
  return summary;
}

/** How long the process of a run that ended, or came to wait, may take to leave, in ms: it ends what steps left behind. */
const leaveMs = 15_000;
const lookEveryMs = 50;

async function takeLock(store: Store, { runId, mode }: RunRequest): Promise<FileLock> {
  for (const end = Date.now() + leaveMs; ; await delay(lookEveryMs)) {
    const lock = tryFileLock(store.runLockPath(runId));
    if (lock !== undefined) return lock;
    if (mode === 'start') throw new RunExists(runId);
    const status = store.stateOf(runId)?.summary.status;
    const isAtWork = status === 'running' || status === 'not_started';
    if (!isAtWork && Date.now() < end) continue;
    if (mode === 'retry') throw new CallError('not_ended', `run ${runId} is still at work`);
    throw nothingToDo(runId, 'another process has taken it up');
  }
}

/** Executes the run whose lock is held, and leaves nothing of its steps behind. */
async function execute(store: Store, request: RunRequest, options: RunOptions): Promise<RunEnd> {
  const { session, network, changed, signal } = options;
  const guardian = new Guardian();
  const stops = new StopWatch(store);
  try {
    const begun = await beginRoot(request, { store, session, network, guardian, stops, changed });
    return await runToEnd(begun, AbortSignal.any([signal, stops.watch(request.runId)]));
  } finally {
    stops.close();
    await guardian.close();
  }
}
