import { setMaxListeners } from 'node:events';
import type { RunStatus, StepStatus } from '../../core/contract/run.ts';
import type { Answer } from '../../core/store/decisions.ts';
import type { Step } from '../../core/workflow/types.ts';
import { StepError } from '../action.ts';
import { applyAnswers } from './approval.ts';
import { runGraph } from './graph.ts';
import { runEndHandlers, runHandler } from './handlers.ts';
import { endUnusedRuns } from './renew.ts';
import { after, pause } from './retry.ts';
import type { RunContext } from './run-context.ts';
import { whyRunNotMet } from './run-preconditions.ts';
import { runStep, type StepEnd } from './step.ts';
import { takeAnswers } from './waiting.ts';

/** How a run ended, or that it waits for a person. */
export interface RunEnd {
  status: RunStatus;
  error?: string;
}

/** A run that has begun, in the store too. */
export interface BegunRun {
  run: RunContext;
  /** Steps that are at their end from before, or wait, by their keys. */
  ends: Map<string, StepEnd>;
  /** What people answered, for a run that goes on after it waited. */
  answers?: readonly Answer[];
  /** The run's first attempt, which waits for `delay_sec`. */
  isFirst: boolean;
  /** Takes the run's outputs when its steps succeeded; a {@link StepError} makes it fail. */
  collect?: () => void;
}

/** How many steps run at once when the file does not say. */
const defaultMaxActive = 100;

/**
 * Takes a run that has begun to its end, or to where nothing more can happen before a person
 * answers. Either is in the store when this resolves.
 */
export async function runToEnd(begun: BegunRun, signal: AbortSignal): Promise<RunEnd> {
  const { run } = begun;
  const limited = withTimeout(signal, run.workflow.timeoutSec);
  // Every step that runs listens to the same signal; there may be hundreds.
  setMaxListeners(0, limited.signal);
  try {
    return await new Course(begun, limited.signal).toEnd();
  } finally {
    limited.clear();
    run.close();
  }
}

class Course {
  readonly #run: RunContext;
  readonly #begun: BegunRun;
  readonly #ends: Map<string, StepEnd>;
  readonly #signal: AbortSignal;
  readonly #positions: ReadonlyMap<Step, number>;

  constructor(begun: BegunRun, signal: AbortSignal) {
    this.#run = begun.run;
    this.#begun = begun;
    this.#ends = begun.ends;
    this.#signal = signal;
    this.#positions = new Map(begun.run.workflow.steps.map((step, position) => [step, position]));
  }

  async toEnd(): Promise<RunEnd> {
    const early = this.#whyIncomplete() ?? (this.#begun.answers === undefined ? await this.#begin() : undefined);
    if (early !== undefined) return await this.#end(early);
    let answers = this.#begun.answers ?? [];
    for (;;) {
      const rejected = this.#goOn(answers);
      if (rejected !== undefined) return await this.#end(rejected);
      const before = this.#waiting();
      const end = await this.#runSteps();
      if (end.status !== 'waiting') return await this.#end(end);
      const given = await this.#wait(before);
      if (given === undefined) return end;
      answers = given;
    }
  }

  /** A run that lacks a secret has failed, also one that goes on. */
  #whyIncomplete(): RunEnd | undefined {
    try {
      this.#run.values.assertComplete();
      return undefined;
    } catch (error) {
      if (error instanceof StepError) return { status: 'failed', error: error.message };
      throw error;
    }
  }

  /** What comes before the first step. Gives the run's end where it does not come to its steps. */
  async #begin(): Promise<RunEnd | undefined> {
    const run = this.#run;
    this.#tellNotes();
    try {
      const unmet = await whyRunNotMet(run, this.#signal);
      if (unmet !== undefined) return { status: 'aborted', error: unmet };
    } catch (error) {
      if (this.#signal.aborted) return undefined;
      if (error instanceof StepError) return { status: 'failed', error: error.message };
      throw error;
    }
    const problem = await runHandler(run, 'init', this.#signal);
    if (problem !== undefined) return { status: 'failed', error: problem };
    await this.#delay();
    return undefined;
  }

  #tellNotes(): void {
    const { log, workflow, values } = this.#run;
    if (workflow.workerSelector !== undefined) {
      log.line('note: worker_selector has no effect: there are no other workers, and the run stays on this computer');
    }
    for (const file of values.missingDotenv) log.line(`note: the dotenv file ${file} is not there`);
  }

  /** A run that is stopped meanwhile comes to its steps at once, none of which begins then. */
  async #delay(): Promise<void> {
    const { delaySec = 0 } = this.#run.workflow;
    if (!this.#begun.isFirst || delaySec === 0) return;
    this.#run.log.line(`waiting ${delaySec} s before the first step (delay_sec)`);
    try {
      await pause(delaySec * 1000, this.#signal);
    } catch (error) {
      if (!this.#signal.aborted) throw error;
    }
  }

  /** Takes up what people decided. Gives the run's end where they rejected a result. */
  #goOn(answers: readonly Answer[]): RunEnd | undefined {
    const run = this.#run;
    const rejection = applyAnswers(run, answers, this.#ends);
    if (rejection !== undefined) {
      this.#endOthers(`not run: ${rejection.error}`);
      return { status: 'rejected', error: rejection.error };
    }
    for (const key of this.#waiting()) {
      const isAsked = answers.some(({ step, kind }) => step === key && kind === 'ask');
      if (!isAsked && !this.#hasAnsweredRun(key)) continue;
      this.#ends.delete(key);
      run.goingOn.add(key);
    }
    return undefined;
  }

  #hasAnsweredRun(step: string): boolean {
    const { store, runId } = this.#run;
    const children = store
      .listChildren(runId)
      .filter(({ parent, status }) => parent?.step === step && status === 'waiting');
    return children.some((child) => store.isAnswered(child.runId));
  }

  #waiting(): string[] {
    return [...this.#ends].filter(([, { status }]) => status === 'waiting').map(([key]) => key);
  }

  async #runSteps(): Promise<RunEnd> {
    const run = this.#run;
    const { steps, maxActiveSteps } = run.workflow;
    const ends = await runGraph(steps, {
      signal: this.#signal,
      maxActive: maxActiveSteps || defaultMaxActive,
      ended: this.#ends,
      start: (step) => runStep(run, step, this.#positions.get(step) as number, this.#signal),
      notRun: (step, end) => this.#changeUnrun(step, end),
    });
    for (const [step, end] of ends) this.#ends.set(step.key, end);
    return endOf(ends, this.#signal);
  }

  #changeUnrun({ key }: Step, end: { status: StepStatus; error?: string }): void {
    this.#run.changeStep(key, end);
  }

  /** Steps that did not come to their end end with the run. */
  #endOthers(error: string): void {
    const isOpen = (status: StepStatus | undefined) => status === undefined || status === 'waiting';
    for (const step of this.#run.workflow.steps) {
      if (!isOpen(this.#ends.get(step.key)?.status)) continue;
      const end = { status: 'aborted', error } as const;
      this.#changeUnrun(step, end);
      this.#ends.set(step.key, end);
    }
  }

  /** Nothing more can happen: gives what people answered meanwhile, or `undefined` when the run waits. */
  async #wait(before: readonly string[]): Promise<Answer[] | undefined> {
    const run = this.#run;
    const { store, runId, workflow } = run;
    const waiting = this.#waiting();
    if (waiting.some((key) => !before.includes(key))) {
      run.status = 'waiting';
      run.waitingSteps = workflow.steps.filter(({ key }) => waiting.includes(key)).map(({ name }) => name);
      await runHandler(run, 'wait', this.#signal);
      run.status = 'running';
    }
    // What a step has given up waits for nothing any more.
    await run.stopWaiting('the step that it is under has ended', waiting);
    run.stops?.look();
    if (this.#signal.aborted) return [];
    run.close();
    store.waitRun(runId);
    run.log.line(`the run waits for: ${waiting.join(', ')}`);
    run.changed();
    return store.isAnswered(runId) ? takeAnswers(run) : undefined;
  }

  async #end(end: RunEnd): Promise<RunEnd> {
    const run = this.#run;
    const collected = this.#collected(end);
    await run.stopWaiting(collected.error ?? 'the run that it is under has ended');
    const problem = await runEndHandlers(run, collected.status);
    const isGood = collected.status === 'succeeded' || collected.status === 'partially_succeeded';
    const { status, error }: RunEnd =
      isGood && problem !== undefined ? { status: 'failed', error: problem } : collected;
    run.close();
    endUnusedRuns(run.store, run.runId);
    const shown = error === undefined ? undefined : run.masker.text(error);
    run.store.finishRun(run.runId, status, new Date().toISOString(), shown);
    run.log.line(`the run ${status}${shown === undefined ? '' : `: ${shown}`}`);
    run.changed();
    return { status, ...(shown !== undefined && { error: shown }) };
  }

  #collected(end: RunEnd): RunEnd {
    if (end.status !== 'succeeded' && end.status !== 'partially_succeeded') return end;
    try {
      this.#begun.collect?.();
      return end;
    } catch (error) {
      if (error instanceof StepError) return { status: 'failed', error: error.message };
      throw error;
    }
  }
}

/** How a run stands when none of its steps can run any more. */
function endOf(ends: ReadonlyMap<Step, StepEnd>, signal: AbortSignal): RunEnd {
  const all = [...ends];
  const isAny = (status: StepStatus) => all.some(([, end]) => end.status === status);
  if (signal.aborted && isAny('aborted')) {
    const { reason } = signal;
    return { status: reason instanceof RunTimeout ? 'failed' : 'aborted', error: (reason as Error).message };
  }
  if (isAny('waiting')) return { status: 'waiting' };
  const failed = all.find(([step, end]) => end.status === 'failed' && !(end.continues ?? step.continueOn.failure));
  if (failed !== undefined) return { status: 'failed', error: `step "${failed[0].key}" failed: ${failed[1].error}` };
  return { status: isAny('failed') || isAny('partially_succeeded') ? 'partially_succeeded' : 'succeeded' };
}

class RunTimeout extends Error {}

function withTimeout(signal: AbortSignal, seconds: number | undefined): { signal: AbortSignal; clear: () => void } {
  if (seconds === undefined || seconds === 0) return { signal, clear: () => {} };
  const timer = new AbortController();
  const clear = after(seconds * 1000, () =>
    timer.abort(new RunTimeout(`the run did not finish within its timeout_sec of ${seconds} s`)),
  );
  return { signal: AbortSignal.any([signal, timer.signal]), clear };
}
