import type { Step } from '../../core/workflow/types.ts';
import type { StepEnd } from './step.ts';

/** How a step of the graph ended, also one that never began. */
export type GraphEnd = StepEnd | { status: 'skipped'; error?: string };

export interface GraphOptions {
  maxActive: number;
  signal: AbortSignal;
  start(step: Step): Promise<StepEnd>;
  /** Told of each step that never begins, with why. */
  notRun(step: Step, end: GraphEnd): void;
}

/**
 * Runs steps in the order of their dependencies, as many at once as are free and allowed.
 * A step whose dependency failed or was stopped does not begin, unless that dependency's
 * `continue_on` says so.
 */
export async function runGraph(steps: readonly Step[], options: GraphOptions): Promise<ReadonlyMap<Step, GraphEnd>> {
  const byName = new Map(steps.flatMap((step) => [[step.key, step] as const, [step.name, step] as const]));
  const ends = new Map<Step, GraphEnd>();
  const dependents = new Map<Step, Step[]>();
  const waitsFor = new Map<Step, Set<Step>>();
  for (const step of steps) {
    const others = new Set(step.depends.map((name) => byName.get(name) as Step));
    waitsFor.set(step, others);
    for (const other of others) dependents.set(other, [...(dependents.get(other) ?? []), step]);
  }
  const ready = steps.filter((step) => waitsFor.get(step)?.size === 0);
  const running = new Set<Promise<void>>();

  const finish = (step: Step, end: GraphEnd) => {
    ends.set(step, end);
    for (const dependent of dependents.get(step) ?? []) {
      const left = waitsFor.get(dependent);
      left?.delete(step);
      if (left?.size === 0) ready.push(dependent);
    }
  };
  const begin = (step: Step) => {
    const blocked = options.signal.aborted ? stopped(options.signal) : blockedBy(step, byName, ends);
    if (blocked !== undefined) {
      options.notRun(step, blocked);
      return finish(step, blocked);
    }
    const going: Promise<void> = options.start(step).then((end) => {
      running.delete(going);
      finish(step, end);
    });
    running.add(going);
  };

  while (ready.length > 0 || running.size > 0) {
    while (ready.length > 0 && running.size < options.maxActive) begin(ready.shift() as Step);
    if (running.size > 0) await Promise.race(running);
  }
  return ends;
}

function stopped(signal: AbortSignal): GraphEnd {
  return { status: 'aborted', error: `not run: ${(signal.reason as Error).message}` };
}

function blockedBy(step: Step, byName: Map<string, Step>, ends: ReadonlyMap<Step, GraphEnd>): GraphEnd | undefined {
  for (const name of step.depends) {
    const other = byName.get(name) as Step;
    const end = ends.get(other);
    if (end?.status === 'failed' && !other.continueOn.failure) {
      return { status: 'aborted', error: `not run: step "${other.key}" failed` };
    }
    if (end?.status === 'aborted')
      return { status: 'aborted', error: `not run: step "${other.key}" did not run to its end` };
    if (end?.status === 'skipped' && !other.continueOn.skipped) {
      return { status: 'skipped', error: `skipped: step "${other.key}" was skipped` };
    }
  }
  return undefined;
}
