import type { RunStatus } from '../../core/contract/run.ts';
import { type HandlerName, handlerNames } from '../../core/workflow/types.ts';
import { forgetRunsUnder } from './renew.ts';
import type { RunContext } from './run-context.ts';
import { runStep, type StepEnd } from './step.ts';

/** A handler's name among the steps of its run; no step id can hold a blank. */
export function handlerKey(name: HandlerName): string {
  return `handler ${name}`;
}

/** Which handler runs at an end, before `exit`. */
const ofStatus: Partial<Record<RunStatus, HandlerName>> = {
  succeeded: 'success',
  partially_succeeded: 'success',
  failed: 'failure',
  rejected: 'failure',
  aborted: 'abort',
};

/** The handlers of a run's end, `exit` last; they run also when the run was stopped. Gives why one failed. */
export async function runEndHandlers(run: RunContext, status: RunStatus): Promise<string | undefined> {
  run.status = status;
  const unstoppable = new AbortController().signal;
  let problem: string | undefined;
  for (const name of [ofStatus[status], 'exit' as const]) {
    if (name === undefined) continue;
    const failed = await runHandler(run, name, unstoppable);
    problem ??= failed;
  }
  return problem;
}

/** Runs a handler, where the workflow has it. Gives why it failed. */
export async function runHandler(run: RunContext, name: HandlerName, signal: AbortSignal): Promise<string | undefined> {
  const handler = run.workflow.handlers[name];
  if (handler === undefined) return undefined;
  const key = handlerKey(name);
  // It runs each time that it is due, with all that it runs.
  forgetRunsUnder(run.store, run.runId, [key]);
  const { status, error } = await endOf({ ...handler, key });
  return status === 'failed' ? `handler ${name} failed: ${error}` : undefined;

  async function endOf(step: typeof handler & object): Promise<StepEnd> {
    const end = await runStep(run, step, positionOf(run, name), signal);
    if (end.status !== 'waiting') return end;
    // There is nobody who would wait for it.
    const failed = { status: 'failed', error: 'a handler cannot wait for a person' } as const;
    run.changeStep(step.key, { ...failed, finishedAt: new Date().toISOString() });
    return failed;
  }
}

/** Its place behind the steps, for the names of its logs. */
function positionOf({ workflow: { steps, handlers } }: RunContext, name: HandlerName): number {
  return steps.length + handlerNames.filter((one) => handlers[one] !== undefined).indexOf(name);
}
