import { basename } from 'node:path';
import { newRunId } from '../../core/store/run-id.ts';
import type { RunState } from '../../core/store/shapes.ts';
import { ParamError, resolveParams } from '../../core/workflow/params.ts';
import type { Step, Workflow } from '../../core/workflow/types.ts';
import { type ChildEnd, type ChildRequest, StepError } from '../action.ts';
import { beginAgain, beginNew, goOn, type Opening } from './begin-run.ts';
import { type BegunRun, runToEnd } from './course.ts';
import { endsToResume } from './earlier-ends.ts';
import type { Family } from './family.ts';
import { type SourcedWorkflow, workflowUnder } from './find-workflow.ts';
import {
  makeFolders,
  namedFor,
  newRunOf,
  newStepsOf,
  openRun,
  type RunPlace,
  secretsFor,
  storedPlace,
} from './open-run.ts';
import type { RunContext, RunsUnder, StepPlace } from './run-context.ts';
import { Stopped } from './stop-watch.ts';
import { takeUp } from './waiting.ts';

/** How many runs may be one under another, the first one counted. */
export const maxDepth = 16;

/** A step that runs a workflow under it. */
interface Asked {
  above: RunContext;
  step: Step;
  request: ChildRequest;
  place: StepPlace;
}

/**
 * Runs workflows under steps, as runs of their own in the same process: each has its rows, its
 * folders and its log, and is found again by its step and item when the run above goes on.
 */
export class SubRuns implements RunsUnder {
  readonly #family: Family;

  constructor(family: Family) {
    this.#family = family;
  }

  async run(above: RunContext, step: Step, request: ChildRequest, place: StepPlace): Promise<ChildEnd> {
    const { store } = this.#family;
    const asked = { above, step, request, place };
    const found = store.findChild(above.runId, step.key, sealedItem(asked));
    const state = found && store.stateOf(found.runId);
    if (state === undefined) return await this.#finish(asked, await this.#begin(asked));
    const { runId, status, error } = state.summary;
    const opening = this.#stored(asked, state);
    if (isGood(status)) return await this.#outputs(asked, opening, state);
    if (status === 'waiting') {
      if (!store.isAnswered(runId)) return { runId, status, outputs: {} };
      return await this.#finish(asked, await goOn(opening, state));
    }
    if (place.goesOn && status !== 'not_started') {
      return { runId, status, outputs: {}, ...(error !== undefined && { error }) };
    }
    return await this.#finish(asked, await beginAgain(opening, state, { trigger: 'retry' }));
  }

  async find(above: RunContext, step: Step, name: string): Promise<SourcedWorkflow> {
    const { store, finder } = this.#family;
    const found = store.findChild(above.runId, step.key, '');
    const state = found && store.stateOf(found.runId);
    if (state === undefined) return await finder.find(name, above);
    const stored = workflowUnder(above, step.key, state);
    if (isNamed(stored.workflow, name)) return stored;
    throw new StepError(
      `the run under this step, ${state.summary.runId}, is of workflow "${state.summary.name}", and now "${name}" is asked for; start the workflow anew`,
    );
  }

  async stopWaiting(above: RunContext, reason: string, except: readonly string[]): Promise<void> {
    const { store } = this.#family;
    for (const { runId, status, parent } of store.listChildren(above.runId)) {
      const state = store.stateOf(runId);
      if (status !== 'waiting' || state === undefined || parent === undefined || except.includes(parent.step)) continue;
      const sourced = workflowUnder(above, parent.step, state);
      const place = { ...storedPlace(state, sourced, above.depth + 1), ...secretsBetween(above, parent.step) };
      const ends = endsToResume(sourced.workflow, state.steps);
      const run = await openRun(this.#family, this, place, { sealed: state.params }, { state, ends });
      takeUp(store, runId);
      await runToEnd(
        { run, ends, answers: [], isFirst: false },
        AbortSignal.abort(new Stopped(above.masker.text(reason))),
      );
    }
  }

  async #begin(asked: Asked): Promise<BegunRun> {
    const { above, step, request } = asked;
    if (above.depth + 1 >= maxDepth) throw tooDeep(request.workflow);
    const { store } = this.#family;
    const runId = newRunId();
    const place: RunPlace = {
      ...this.#under(asked),
      runId,
      attempt: 1,
      trigger: 'subdag',
      startedAt: new Date().toISOString(),
      folders: makeFolders(store, request.workflow, runId, above.folders),
    };
    const parent = { runId: above.runId, step: step.key, item: sealedItem(asked) };
    return await beginNew(this.#opening(asked, place), (run) =>
      store.createRun({ ...newRunOf(run, place), parent }, newStepsOf(place.workflow)),
    );
  }

  /** What opens a run under a step that there is already. */
  #stored(asked: Asked, state: RunState): Opening {
    const { workflow, ...under } = this.#under(asked);
    return this.#opening(asked, { ...storedPlace(state, { workflow, source: under.source }, under.depth), ...under });
  }

  #opening({ above, request }: Asked, place: RunPlace): Opening {
    return { family: this.#family, runsUnder: this, place, params: { given: paramsOf(above, request) } };
  }

  /** A run's place as far as it follows from the step above. */
  #under({
    above,
    step,
    request,
    place,
  }: Asked): Pick<RunPlace, 'workflow' | 'source' | 'depth' | 'adopt' | 'secretsAbove' | 'inherited'> {
    const { foreach, source = above.source, workflow } = request;
    const common = { source, depth: above.depth + 1, ...secretsBetween(above, step.key) };
    if (foreach === undefined) return { ...common, workflow };
    return {
      ...common,
      // The steps of a body work where the step itself does.
      workflow: { ...workflow, workingDir: place.workingDir },
      inherited: {
        foreach: { ...above.values.foreach, ...foreach },
        outerOutputs: above.values.outputsSeenBy(step),
        outerEnv: place.env,
      },
    };
  }

  async #finish({ above, request, place }: Asked, begun: BegunRun): Promise<ChildEnd> {
    const { run } = begun;
    const { stops } = this.#family;
    let outputs: Record<string, unknown> = {};
    const collect = () => {
      outputs = outputsOf(run, request);
    };
    const stop = new AbortController();
    const signals = [place.signal, stops.watch(run.runId)];
    // A reason of its own: that the time of the step above is up is not that of a step here.
    const onStop = () => {
      const reason: Error = signals.find(({ aborted }) => aborted)?.reason;
      stop.abort(new Stopped(above.masker.text(reason.message)));
    };
    for (const signal of signals) signal.addEventListener('abort', onStop);
    if (signals.some(({ aborted }) => aborted)) onStop();
    try {
      const end = await runToEnd({ ...begun, collect }, stop.signal);
      return { runId: run.runId, ...end, outputs: isGood(end.status) ? outputs : {} };
    } finally {
      for (const signal of signals) signal.removeEventListener('abort', onStop);
      stops.forget(run.runId);
    }
  }

  /** What a run published that succeeded before. */
  async #outputs({ request }: Asked, { place, params }: Opening, state: RunState): Promise<ChildEnd> {
    const { runId, status } = state.summary;
    const ends = endsToResume(place.workflow, state.steps);
    const run = await openRun(this.#family, this, place, params, { state, ends });
    return { runId, status, outputs: outputsOf(run, request) };
  }
}

/** An item's key as the store has it: an item may be, or hold, a secret. */
function sealedItem({ above, request }: Asked): string {
  return above.masker.seal(request.item);
}

function outputsOf({ values }: RunContext, { collect }: ChildRequest): Record<string, unknown> {
  return collect === undefined ? values.published() : collect(values.scope());
}

function isNamed(workflow: Workflow, name: string): boolean {
  const stem = (path: string) => basename(path).replace(/\.ya?ml$/i, '');
  return workflow.name === name || stem(workflow.path) === stem(name);
}

function isGood(status: string): boolean {
  return status === 'succeeded' || status === 'partially_succeeded';
}

/** What a run masks of the one above, and that one of it. */
function secretsBetween(above: RunContext, step: string): Pick<RunPlace, 'adopt' | 'secretsAbove'> {
  return {
    adopt: (secrets) => above.adoptSecrets(namedFor(step, secrets)),
    secretsAbove: secretsFor(above),
  };
}

function paramsOf(above: RunContext, { workflow, params, foreach }: ChildRequest): Record<string, string> {
  if (foreach !== undefined) return { ...above.values.params };
  try {
    return resolveParams(workflow, params);
  } catch (error) {
    if (error instanceof ParamError)
      throw new StepError(`the parameters for workflow "${workflow.name}": ${error.message}`);
    throw error;
  }
}

function tooDeep({ name }: Workflow): StepError {
  return new StepError(
    `the workflow "${name}" would be the ${maxDepth + 1}th run one under another, and there may be ${maxDepth}: does a workflow run itself?`,
  );
}
