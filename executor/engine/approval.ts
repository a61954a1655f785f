import type { ApprovalState, StepSummary } from '../../core/contract/run.ts';
import type { Answer } from '../../core/store/decisions.ts';
import type { Step } from '../../core/workflow/types.ts';
import { rewound } from './push-back.ts';
import { forgetRunsUnder } from './renew.ts';
import type { RunContext } from './run-context.ts';
import type { StepEnd } from './step.ts';
import { variablesOf } from './values.ts';

/** A step that waits for a decision. */
interface Waiting {
  step: Step;
  summary: StepSummary;
  approval: ApprovalState;
}

/** Why a run goes no further: what a person rejected, in words. */
export interface Rejection {
  error: string;
}

/**
 * Does what people decided about steps that wait: an approved one has succeeded, with what was
 * given among its outputs; a rejected one ends the run; one that was sent back begins again,
 * with the steps between. An answer that does not fit leaves its step waiting.
 *
 * @param ends of the run's steps, changed as the decisions are
 */
export function applyAnswers(
  run: RunContext,
  answers: readonly Answer[],
  ends: Map<string, StepEnd>,
): Rejection | undefined {
  const stored = run.store.stateOf(run.runId)?.steps ?? [];
  let rejection: Rejection | undefined;
  // What is sent back takes with it what else was decided behind it.
  const inOrder = [...answers].sort(
    (one, other) => Number(one.kind === 'push_back') - Number(other.kind === 'push_back'),
  );
  for (const answer of inOrder) {
    const waiting = ends.get(answer.step)?.status === 'waiting' ? waitingStep(run, stored, answer.step) : undefined;
    if (waiting === undefined) continue;
    const problem = whyNotTaken(waiting.approval, answer);
    if (problem !== undefined) refuse(run, waiting, problem);
    else if (answer.kind === 'approve') approve(run, waiting, answer, ends);
    else if (answer.kind === 'reject') rejection ??= reject(run, waiting, answer, ends);
    else if (answer.kind === 'push_back' && rejection === undefined) pushBack(run, waiting, answer, { ends, stored });
  }
  run.flush();
  return rejection;
}

function waitingStep(run: RunContext, stored: readonly StepSummary[], key: string): Waiting | undefined {
  const step = run.workflow.steps.find((one) => one.key === key);
  const summary = stored.find((one) => one.step === key);
  const approval = summary?.approval;
  return step === undefined || summary === undefined || approval === undefined
    ? undefined
    : { step, summary, approval };
}

/** Why an answer does not fit what was asked, in words. */
export function whyNotTaken({ input, required }: ApprovalState, { kind, inputs }: Answer): string | undefined {
  const unknown = Object.keys(inputs).find((name) => !input.includes(name));
  if (unknown !== undefined) {
    return `it gives "${unknown}", and ${input.length === 0 ? 'nothing was asked for' : `asked for was: ${input.join(', ')}`}`;
  }
  const missing = required.find((name) => (inputs[name] ?? '') === '');
  return kind === 'approve' && missing !== undefined ? `it does not give "${missing}", which is required` : undefined;
}

function refuse(run: RunContext, { step }: Waiting, problem: string): void {
  run.log.line(`the answer to step "${step.key}" was not taken: ${problem}`);
  run.changeStep(step.key, { status: 'waiting' });
}

function decided(approval: ApprovalState, state: ApprovalState['state'], { inputs, reason }: Answer): ApprovalState {
  return { ...approval, state, inputs, ...(reason !== undefined && { reason }), decidedAt: now() };
}

function approve(
  run: RunContext,
  { step, summary, approval }: Waiting,
  answer: Answer,
  ends: Map<string, StepEnd>,
): void {
  const outputs = { ...run.unseal(summary.outputs), ...answer.inputs };
  run.values.addOutputs(step, outputs, { ...variablesOf(step, outputs), ...answer.inputs });
  run.changeStep(step.key, {
    status: 'succeeded',
    finishedAt: now(),
    outputs,
    approval: decided(approval, 'approved', answer),
  });
  ends.set(step.key, { status: 'succeeded' });
}

function reject(run: RunContext, { step, approval }: Waiting, answer: Answer, ends: Map<string, StepEnd>): Rejection {
  const { reason } = answer;
  const error = `rejected by a person${reason === undefined ? '' : `: ${reason}`}`;
  const end = { status: 'rejected', error } as const;
  run.changeStep(step.key, { ...end, finishedAt: now(), approval: decided(approval, 'rejected', answer) });
  ends.set(step.key, end);
  return { error: `step "${step.key}" was ${error}` };
}

function pushBack(
  run: RunContext,
  { step, approval }: Waiting,
  answer: Answer,
  { ends, stored }: { ends: Map<string, StepEnd>; stored: readonly StepSummary[] },
): void {
  const state = decided(approval, 'pushed_back', answer);
  const { inputs } = answer;
  const again = rewound(run.workflow.steps, step, approval.rewindTo);
  const keys = again.map(({ key }) => key);
  forgetRunsUnder(run.store, run.runId, keys);
  run.changeStep(step.key, { status: 'waiting', approval: state });
  run.flush();
  run.store.resetSteps(run.runId, keys);
  run.log.line(`step "${step.key}" was sent back; these run again: ${keys.join(', ')}`);
  for (const one of again) {
    ends.delete(one.key);
    run.values.addOutputs(one, {});
    const summary = stored.find((each) => each.step === one.key);
    if (summary === undefined) continue;
    run.pushBacks.add(summary, (summary.pushBacks ?? 0) + 1, { inputs, at: state.decidedAt as string });
  }
}

function now(): string {
  return new Date().toISOString();
}
