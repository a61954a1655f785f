import type { StepSummary } from '../../core/contract/run.ts';
import type { Step } from '../../core/workflow/types.ts';
import type { PushBack } from '../action.ts';
import { withDependents } from './graph.ts';
import type { StepValues } from './values.ts';

/** What a person sent back, with what it says to the steps that run again. */
export class PushBacks {
  readonly #bySteps = new Map<string, PushBack & { stdoutFile?: string }>();

  /** A step runs again by what a person decided. */
  add(step: StepSummary, iteration: number, { inputs, at }: Pick<PushBack, 'inputs' | 'at'>): void {
    const { stdoutFile } = step;
    this.#bySteps.set(step.step, {
      iteration,
      inputs,
      ...(at !== undefined && { at }),
      ...(stdoutFile !== undefined && { stdoutFile }),
    });
  }

  of(step: Step): PushBack | undefined {
    const found = this.#bySteps.get(step.key);
    if (found === undefined) return undefined;
    const { stdoutFile: _, ...pushBack } = found;
    const own = step.approval?.input ?? [];
    if (own.length === 0) return pushBack;
    const inputs = Object.fromEntries(Object.entries(pushBack.inputs).filter(([name]) => own.includes(name)));
    return { ...pushBack, inputs };
  }

  /** The variables and references of Dagu for a step that runs again, and a variable for each input. */
  valuesFor(step: Step): StepValues {
    const pushBack = this.of(step);
    if (pushBack === undefined) return { env: {}, context: {} };
    const file = this.#bySteps.get(step.key)?.stdoutFile;
    const iteration = String(pushBack.iteration);
    return {
      env: {
        ...pushBack.inputs,
        DAG_PUSHBACK: JSON.stringify(pushBack),
        DAG_PUSHBACK_ITERATION: iteration,
        ...(file !== undefined && { DAG_PUSHBACK_PREVIOUS_STDOUT_FILE: file }),
      },
      context: {
        'pushback.iteration': iteration,
        ...(file !== undefined && { 'pushback.previous_stdout_file': file }),
      },
    };
  }

  /** What the store has of earlier decisions: for each step that was sent back, the newest one. */
  static restored(steps: readonly Step[], stored: readonly StepSummary[]): PushBacks {
    const pushBacks = new PushBacks();
    const byKey = new Map(steps.map((step) => [step.key, step]));
    const summaries = new Map(stored.map((summary) => [summary.step, summary]));
    const decided = stored
      .filter(({ approval }) => approval?.state === 'pushed_back')
      .sort((one, other) => ((one.approval?.decidedAt ?? '') < (other.approval?.decidedAt ?? '') ? -1 : 1));
    for (const { step, approval } of decided) {
      const approving = byKey.get(step);
      if (approving === undefined || approval === undefined) continue;
      const { inputs, decidedAt: at } = approval;
      for (const { key } of rewound(steps, approving, approval.rewindTo)) {
        const summary = summaries.get(key);
        if (summary?.pushBacks === undefined) continue;
        pushBacks.add(summary, summary.pushBacks, { inputs, ...(at !== undefined && { at }) });
      }
    }
    return pushBacks;
  }
}

/**
 * The steps that a push-back of a step takes back: the one where it begins again and all that
 * depend on it, but for what comes after the step itself, which has not begun.
 */
export function rewound(steps: readonly Step[], approving: Step, rewindTo: string): Step[] {
  const first = steps.find(({ key }) => key === rewindTo) ?? approving;
  const after = withDependents(steps, approving);
  return [...withDependents(steps, first)].filter((step) => step === approving || !after.has(step));
}
