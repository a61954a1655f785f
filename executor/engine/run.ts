import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { RunRequest } from '../../core/contract/messages.ts';
import { CallError } from '../../core/contract/protocol.ts';
import { isEnded } from '../../core/contract/run-state.ts';
import type { Network } from '../../core/net/network.ts';
import { checkContent } from '../../core/process/workflow-content.ts';
import { type FileLock, tryFileLock } from '../../core/store/lock.ts';
import { noSuchRun, RunExists, type RunState } from '../../core/store/shapes.ts';
import { Store } from '../../core/store/store.ts';
import { ParamError, resolveParams } from '../../core/workflow/params.ts';
import { type DesktopSession, StepError } from '../action.ts';
import { beginAgain, beginNew, goOn } from './begin-run.ts';
import { type BegunRun, type RunEnd, runToEnd } from './course.ts';
import { type Family, sharedKeychain } from './family.ts';
import { type SourcedWorkflow, WorkflowFinder, workflowOf } from './find-workflow.ts';
import { Guardian } from './guardian.ts';
import { makeFolders, newRunOf, newStepsOf, type RunPlace, storedPlace } from './open-run.ts';
import { StopWatch } from './stop-watch.ts';
import { SubRuns } from './sub-run.ts';
import { isAnswered } from './waiting.ts';

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
    const root = { ...request, runId: request.mode === 'start' ? request.runId : topOf(store, request) };
    const lock = takeLock(store, root);
    try {
      return await new RunProcess(store, root, options).run();
    } finally {
      lock.release({ remove: true });
    }
  } finally {
    store.close();
  }
}

/** The run at the top of the family that a run is of. */
function topOf(store: Store, { runId, mode }: RunRequest): string {
  const summary = store.stateOf(runId)?.summary;
  if (summary === undefined) throw noSuchRun(runId);
  if (summary.parent === undefined) return runId;
  const top = topOf(store, { runId: summary.parent.runId, mode } as RunRequest);
  if (mode === 'resume') return top;
  throw new CallError('invalid', `run ${runId} is one under run ${top}; try that one again`);
}

function takeLock(store: Store, { runId, mode }: RunRequest): FileLock {
  const lock = tryFileLock(store.runLockPath(runId));
  if (lock !== undefined) return lock;
  if (mode === 'start') throw new RunExists(runId);
  if (mode === 'retry') throw new CallError('not_ended', `run ${runId} is still at work`);
  throw new CallError('nothing_to_do', `another process has taken up run ${runId} already`);
}

/** The one run that this process executes, with all under it. */
class RunProcess {
  readonly #store: Store;
  readonly #request: RunRequest;
  readonly #options: RunOptions;
  readonly #guardian = new Guardian();
  readonly #stops: StopWatch;

  constructor(store: Store, request: RunRequest, options: RunOptions) {
    this.#store = store;
    this.#request = request;
    this.#options = options;
    this.#stops = new StopWatch(store);
  }

  async run(): Promise<RunEnd> {
    const { signal } = this.#options;
    try {
      const begun = await this.#begin();
      return await runToEnd(begun, AbortSignal.any([signal, this.#stops.watch(this.#request.runId)]));
    } finally {
      this.#stops.close();
      await this.#guardian.close();
    }
  }

  async #begin(): Promise<BegunRun> {
    if (this.#request.mode === 'start') return await this.#start(this.#request);
    const { runId } = this.#request;
    const state = this.#store.stateOf(runId);
    if (state === undefined) throw noSuchRun(runId);
    switch (this.#request.mode) {
      case 'queued':
        return await this.#startQueued(state);
      case 'retry':
        return await this.#retry(state);
      case 'resume':
        return await this.#resume(state);
    }
  }

  async #start(request: RunRequest): Promise<BegunRun> {
    const source = await readSource(request.path);
    await checkAllowed(request, source);
    const place = this.#newPlace(request, source);
    return await beginNew({ ...this.#common(place, request), params: { given: given(place, request) } }, (run) =>
      this.#store.createRun(newRunOf(run, place), newStepsOf(place.workflow)),
    );
  }

  async #startQueued({ summary, workflowText, request }: RunState): Promise<BegunRun> {
    const { runId, status } = summary;
    if (status !== 'queued') throw nothingToDo(runId, `it is ${status}`);
    if (request === undefined || workflowText === undefined) {
      throw new CallError('broken', `what run ${runId} was queued with is not there`);
    }
    await checkAllowed(request, workflowText);
    const place = this.#newPlace({ ...request, name: summary.name }, workflowText);
    return await beginNew({ ...this.#common(place, request), params: { given: given(place, request) } }, (run) =>
      this.#store.takeQueued(newRunOf(run, place), newStepsOf(place.workflow)),
    );
  }

  async #retry(state: RunState): Promise<BegunRun> {
    const { summary } = state;
    const { fromStep, trigger } = this.#request;
    const { runId, status } = summary;
    if (!isEnded(status)) throw new CallError('not_ended', `run ${runId} is not at its end: it is ${status}`);
    const place = this.#placeAgain(state);
    const first = place.workflow.steps.find(({ key }) => key === fromStep);
    if (fromStep !== undefined && first === undefined) {
      throw new CallError('not_found', `run ${runId} has no step "${fromStep}"`);
    }
    if (status === 'succeeded' && first === undefined) {
      throw nothingToDo(runId, 'all of it succeeded; name the step to begin at');
    }
    const opening = { ...this.#common(place, state.request), params: { sealed: state.params } };
    return await beginAgain(opening, state, { trigger, ...(first !== undefined && { first }) });
  }

  async #resume(state: RunState): Promise<BegunRun> {
    const { runId, status } = state.summary;
    const isOpen = status === 'waiting' || status === 'queued';
    if (!isOpen || !isAnswered(this.#store, runId))
      throw nothingToDo(runId, `it is ${status}, and no answer to it is open`);
    // It is asked to end before it began: its handlers run all the same.
    if (status === 'queued') return await this.#startQueued(state);
    const place = this.#placeAgain(state);
    return await goOn({ ...this.#common(place, state.request), params: { sealed: state.params } }, state);
  }

  #newPlace({ runId, path, name, trigger, scheduledAt, defaultWorkingDir }: RunRequest, source: string): RunPlace {
    const workflow = loaded(source, path);
    const named = name === undefined ? workflow : { ...workflow, name };
    return {
      workflow: named,
      source,
      runId,
      attempt: 1,
      trigger,
      startedAt: new Date().toISOString(),
      folders: makeFolders(this.#store, named, runId),
      depth: 0,
      ...(scheduledAt !== undefined && { scheduledAt }),
      ...(defaultWorkingDir !== undefined && { defaultWorkingDir }),
    };
  }

  /** The workflow is as it was when the run began, whatever became of its file. */
  #placeAgain(state: RunState): RunPlace {
    const { summary, workflowText: source } = state;
    const { runId, path, name } = summary;
    if (source === undefined) {
      throw new CallError(
        'unsupported',
        `run ${runId} is of an older version, which did not keep its workflow; start it anew`,
      );
    }
    return storedPlace(state, { workflow: { ...loaded(source, path), name }, source }, 0);
  }

  #common(place: RunPlace, request: RunRequest | undefined): { family: Family; runsUnder: SubRuns; place: RunPlace } {
    const { session, network, changed } = this.#options;
    const { runId, workflow } = place;
    const family: Family = {
      root: { runId, name: workflow.name },
      store: this.#store,
      session,
      network,
      guardian: this.#guardian,
      stops: this.#stops,
      finder: this.#finder(place, request?.contentHash),
      openKeychain: sharedKeychain(),
      changed,
    };
    return { family, runsUnder: new SubRuns(family), place };
  }

  /** What a person allowed is all in the folder of the workflow's file. */
  #finder({ workflow, source }: SourcedWorkflow, hash: string | undefined): WorkflowFinder {
    const { path } = workflow;
    if (hash !== undefined) return new WorkflowFinder(dirname(path), () => checkContent(path, { text: source, hash }));
    const folder = process.env.DAGU_DESKTOP_WORKFLOWS || join(this.#request.home, 'workflows');
    return new WorkflowFinder(folder, async () => {});
  }
}

async function readSource(path: string): Promise<string> {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(await readFile(path));
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const why = error instanceof TypeError ? 'the file is not UTF-8 text' : message;
    throw new CallError(code === 'ENOENT' ? 'not_found' : 'broken', `${path} cannot be read: ${why}`);
  }
}

async function checkAllowed({ path, contentHash }: RunRequest, text: string): Promise<void> {
  if (contentHash !== undefined) await checkContent(path, { text, hash: contentHash });
}

function loaded(source: string, path: string): SourcedWorkflow['workflow'] {
  try {
    return workflowOf(source, path);
  } catch (error) {
    if (error instanceof StepError) throw new CallError('broken', error.message);
    throw error;
  }
}

function given({ workflow }: SourcedWorkflow, { params }: RunRequest): Record<string, string> {
  try {
    return resolveParams(workflow, params);
  } catch (error) {
    if (error instanceof ParamError) throw new CallError('bad_params', error.message);
    throw error;
  }
}

function nothingToDo(runId: string, why: string): CallError {
  return new CallError('nothing_to_do', `there is nothing to do for run ${runId}: ${why}`);
}
