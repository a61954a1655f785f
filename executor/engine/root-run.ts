import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { RunRequest } from '../../core/contract/messages.ts';
import { CallError } from '../../core/contract/protocol.ts';
import { isEnded } from '../../core/contract/run-state.ts';
import { checkContent } from '../../core/process/workflow-content.ts';
import { noSuchRun, type RunState } from '../../core/store/shapes.ts';
import { ParamError, resolveParams } from '../../core/workflow/params.ts';
import type { Workflow } from '../../core/workflow/types.ts';
import { StepError } from '../action.ts';
import { beginAgain, beginNew, goOn, type Opening } from './begin-run.ts';
import type { BegunRun } from './course.ts';
import { type Family, sharedKeychain } from './family.ts';
import { type SourcedWorkflow, WorkflowFinder, workflowOf } from './find-workflow.ts';
import { makeFolders, newRunOf, newStepsOf, type RunPlace, storedPlace } from './open-run.ts';
import { SubRuns } from './sub-run.ts';

/** What the run at the top of a family shares with all under it, but for what follows from the run itself. */
export type FamilyParts = Omit<Family, 'root' | 'finder' | 'openKeychain'>;

/**
 * Begins the run at the top of a family, or goes on with it, as it is asked; its lock is held.
 * Rejects with a code where it can not.
 */
export async function beginRoot(request: RunRequest, parts: FamilyParts): Promise<BegunRun> {
  return await new RootRun(request, parts).begin();
}

class RootRun {
  readonly #request: RunRequest;
  readonly #parts: FamilyParts;

  constructor(request: RunRequest, parts: FamilyParts) {
    this.#request = request;
    this.#parts = parts;
  }

  async begin(): Promise<BegunRun> {
    if (this.#request.mode === 'start') return await this.#start(this.#request);
    const { runId } = this.#request;
    const state = this.#parts.store.stateOf(runId);
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
    const { place, ...opening } = this.#newOpening(request, source);
    return await beginNew({ ...opening, place }, (run) =>
      this.#parts.store.createRun(newRunOf(run, place), newStepsOf(place.workflow)),
    );
  }

  async #startQueued({ summary, workflowText, request }: RunState): Promise<BegunRun> {
    const { runId, status } = summary;
    if (status !== 'queued') throw nothingToDo(runId, `it is ${status}`);
    if (request === undefined || workflowText === undefined) {
      throw new CallError('broken', `what run ${runId} was queued with is not there`);
    }
    await checkAllowed(request, workflowText);
    const { place, ...opening } = this.#newOpening({ ...request, name: summary.name }, workflowText);
    return await beginNew({ ...opening, place }, (run) =>
      this.#parts.store.takeQueued(newRunOf(run, place), newStepsOf(place.workflow)),
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
    if (!isOpen || !this.#parts.store.isAnswered(runId))
      throw nothingToDo(runId, `it is ${status}, and no answer to it is open`);
    // It is asked to end before it began: its handlers run all the same.
    if (status === 'queued') return await this.#startQueued(state);
    const place = this.#placeAgain(state);
    return await goOn({ ...this.#common(place, state.request), params: { sealed: state.params } }, state);
  }

  #newOpening(request: RunRequest, source: string): Opening {
    const { runId, path, name, trigger, scheduledAt, defaultWorkingDir } = request;
    const inFile = loaded(source, path);
    const workflow = name === undefined ? inFile : { ...inFile, name };
    // Looked at before anything is made.
    const params = { given: givenParams(workflow, request) };
    const place: RunPlace = {
      workflow,
      source,
      runId,
      attempt: 1,
      trigger,
      startedAt: new Date().toISOString(),
      folders: makeFolders(this.#parts.store, workflow, runId),
      depth: 0,
      ...(scheduledAt !== undefined && { scheduledAt }),
      ...(defaultWorkingDir !== undefined && { defaultWorkingDir }),
    };
    return { ...this.#common(place, request), params };
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

  #common(place: RunPlace, request: RunRequest | undefined): Omit<Opening, 'params'> {
    const family: Family = {
      ...this.#parts,
      root: { runId: place.runId, name: place.workflow.name },
      finder: this.#finder(place, request?.contentHash),
      openKeychain: sharedKeychain(),
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

function loaded(source: string, path: string): Workflow {
  try {
    return workflowOf(source, path);
  } catch (error) {
    if (error instanceof StepError) throw new CallError('broken', error.message);
    throw error;
  }
}

function givenParams(workflow: Workflow, { params }: RunRequest): Record<string, string> {
  try {
    return resolveParams(workflow, params);
  } catch (error) {
    if (error instanceof ParamError) throw new CallError('bad_params', error.message);
    throw error;
  }
}

/** Code `nothing_to_do`. */
export function nothingToDo(runId: string, why: string): CallError {
  return new CallError('nothing_to_do', `there is nothing to do for run ${runId}: ${why}`);
}
