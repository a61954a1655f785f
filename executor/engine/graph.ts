import type { Step } from '../../core/workflow/types.ts';
import { letsDependentsRun } from './continue-on.ts';
import type { StepEnd } from './step.ts';

export interface GraphOptions {
  maxActive: number;
  signal: AbortSignal;
  /** Steps that are at their end already, or wait for a person, by their keys: they are not run. */
  ended: ReadonlyMap<string, StepEnd>;
  start(step: Step): Promise<StepEnd>;
  /** Told of each step that never begins, with why. */
  notRun(step: Step, end: StepEnd): void;
}

/** Steps that wait for the same others. */
interface Gate {
  depends: readonly Step[];
  /** How many of them are not at their end. */
  left: number;
  behind: Step[];
}

/**
 * Runs steps in the order of their dependencies, as many at once as are free and allowed.
 * A step whose dependency failed or was stopped does not begin, unless that dependency's
 * `continue_on` says so. What depends on a step that waits for a person has no end in what
 * comes back; when the run is stopped, both are.
 */
export async function runGraph(
  steps: readonly Step[],
  { maxActive, signal, ended, start, notRun }: GraphOptions,
): Promise<ReadonlyMap<Step, StepEnd>> {
  const ends = new Map<Step, StepEnd>();
  const { free, gates } = gatesOf(steps);
  const ready: { step: Step; blocked: StepEnd | undefined }[] = [];
  const running = new Set<Promise<void>>();

  const release = (step: Step, blocked: StepEnd | undefined) => {
    if (!ended.has(step.key)) ready.push({ step, blocked });
  };
  const finish = (step: Step, end: StepEnd) => {
    ends.set(step, end);
    if (end.status === 'waiting') return;
    for (const gate of gates.get(step) ?? []) {
      gate.left -= 1;
      if (gate.left > 0) continue;
      const blocked = blockedBy(gate.depends, ends);
      for (const dependent of gate.behind) release(dependent, blocked);
    }
  };
  const leaveOut = (step: Step, end: StepEnd) => {
    notRun(step, end);
    finish(step, end);
  };
  const begin = (step: Step, blocked: StepEnd | undefined) => {
    const end = signal.aborted ? stopped(signal) : blocked;
    if (end !== undefined) return leaveOut(step, end);
    const going: Promise<void> = start(step).then((end) => {
      running.delete(going);
      finish(step, end);
    });
    running.add(going);
  };
  const beginAll = async () => {
    for (let next = 0; next < ready.length || running.size > 0; ) {
      for (let one = ready[next]; one !== undefined && running.size < maxActive; one = ready[next]) {
        next += 1;
        begin(one.step, one.blocked);
      }
      if (running.size > 0) await Promise.race(running);
    }
    ready.length = 0;
  };

  for (const step of free) release(step, undefined);
  for (const step of steps) {
    const end = ended.get(step.key);
    if (end !== undefined) finish(step, end);
  }
  await beginAll();
  if (signal.aborted) {
    for (const [step, end] of [...ends]) if (end.status === 'waiting') leaveOut(step, stopped(signal));
    await beginAll();
  }
  return ends;
}

/** The steps that wait for none, and for each other the gates that it opens. Steps may share one list of dependencies. */
function gatesOf(steps: readonly Step[]): { free: Step[]; gates: Map<Step, Gate[]> } {
  const byName = new Map(steps.flatMap((step) => [[step.key, step] as const, [step.name, step] as const]));
  const byList = new Map<readonly string[], Gate>();
  const free: Step[] = [];
  for (const step of steps) {
    if (step.depends.length === 0) {
      free.push(step);
      continue;
    }
    let gate = byList.get(step.depends);
    if (gate === undefined) {
      const depends = [...new Set(step.depends.map((name) => byName.get(name) as Step))];
      gate = { depends, left: depends.length, behind: [] };
      byList.set(step.depends, gate);
    }
    gate.behind.push(step);
  }
  const gates = new Map<Step, Gate[]>();
  for (const gate of byList.values()) {
    for (const other of gate.depends) {
      const opened = gates.get(other);
      if (opened === undefined) gates.set(other, [gate]);
      else opened.push(gate);
    }
  }
  return { free, gates };
}

function stopped(signal: AbortSignal): StepEnd {
  return { status: 'aborted', error: `not run: ${(signal.reason as Error).message}` };
}

function blockedBy(depends: readonly Step[], ends: ReadonlyMap<Step, StepEnd>): StepEnd | undefined {
  for (const other of depends) {
    const end = ends.get(other) as StepEnd;
    if (letsDependentsRun(other, end)) continue;
    if (end.status === 'skipped') return { status: 'skipped', error: `skipped: step "${other.key}" was skipped` };
    const what = end.status === 'failed' ? 'failed' : 'did not run to its end';
    return { status: 'aborted', error: `not run: step "${other.key}" ${what}` };
  }
  return undefined;
}

/** Steps that depend on one, directly or through others, that one among them. */
export function withDependents(steps: readonly Step[], first: Step): ReadonlySet<Step> {
  const { gates } = gatesOf(steps);
  const found = new Set([first]);
  for (const step of found) {
    for (const gate of gates.get(step) ?? []) for (const dependent of gate.behind) found.add(dependent);
  }
  return found;
}
