import type { StepSummary } from '../../core/contract/run.ts';
import type { Step, Workflow } from '../../core/workflow/types.ts';
import { restoredEnd } from './restored-end.ts';
import type { StepEnd } from './step.ts';

/**
 * The steps that another attempt at a run does not run again: those that succeeded, and those
 * that did their work and wait for a person to look at it.
 *
 * @param anew steps that run again whatever became of them
 */
export function endsToKeep(
  { steps }: Workflow,
  stored: readonly StepSummary[],
  anew: ReadonlySet<Step>,
): Map<string, StepEnd> {
  const isKept = ({ status, approval }: StepSummary) =>
    status === 'succeeded' ||
    status === 'partially_succeeded' ||
    (status === 'waiting' && approval?.state === 'waiting');
  return ends(
    steps.filter((step) => !anew.has(step)),
    stored.filter(isKept),
  );
}

/** The steps of a run in waiting that are at their end, or wait. */
export function endsToResume({ steps }: Workflow, stored: readonly StepSummary[]): Map<string, StepEnd> {
  return ends(
    steps,
    stored.filter(({ status }) => status !== 'not_started'),
  );
}

function ends(steps: readonly Step[], stored: readonly StepSummary[]): Map<string, StepEnd> {
  const summaries = new Map(stored.map((summary) => [summary.step, summary]));
  const found = new Map<string, StepEnd>();
  for (const step of steps) {
    const summary = summaries.get(step.key);
    if (summary !== undefined) found.set(step.key, restoredEnd(step, summary));
  }
  return found;
}
