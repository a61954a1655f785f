import { computerProblems } from '../../core/workflow/computer.ts';
import { formatDuration } from '../../core/workflow/durations.ts';
import type { Desktop } from '../../native/desktop.ts';
import { type Action, type StepContext, StepError } from '../action.ts';
import { toSortedJson } from '../json.ts';
import { Apps } from './apps.ts';
import { Artifacts } from './artifacts.ts';
import { Attempt, automaticShot, operationWork } from './attempt.ts';
import { type Plan, planOf } from './plan.ts';
import { asStepError, endingWith } from './port.ts';
import { protection } from './protect.ts';
import { readySession } from './ready.ts';
import { Screenshots } from './screenshots.ts';
import { refuseSecretsInTexts } from './secrets.ts';
import { OperationTime } from './time.ts';
import { Timeline } from './timeline.ts';
import { Variables } from './variables.ts';
import type { Work } from './work.ts';

/** How long the screenshot at the end may take, in milliseconds. */
const finalShotMs = 20_000;

/** The actions `computer.run` and `computer.extract` (spec: Computer Actions). */
export const computerRun: Action = {
  async run(context) {
    const plan = readPlan(context);
    const timeline = new Timeline(context, plan.operations.length);
    const { work, desktop } = await start(context, plan, timeline);
    const outputs: Record<string, unknown> = {};
    for (const [index, operation] of plan.operations.entries()) {
      context.signal.throwIfAborted();
      Object.assign(outputs, await new Attempt(work, desktop, operation, index).run());
    }
    await finish(work, desktop);
    if (Object.keys(outputs).length > 0) context.stdout(`${toSortedJson(outputs)}\n`);
    return { outputs };
  },
};

/** The plan of the input as it is now, with its references resolved. */
function readPlan({ step, workflow, with: input, secrets }: StepContext): Plan {
  const [problem] = computerProblems(step.action, input, workflow.llm);
  if (problem !== undefined) throw new StepError(problem.message);
  const plan = planOf(step.action, input);
  failPlainly(() => refuseSecretsInTexts(plan, secrets));
  return plan;
}

/** Gives a failure before the first operation the prefix that all failures of computer steps have. */
function failPlainly<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw prefixed(error);
  }
}

function prefixed(error: unknown): unknown {
  const reason = asStepError(error);
  return reason === undefined ? error : new StepError(`computer: ${reason.message}`, { cause: error });
}

/** Opens the desktop and gathers what the operations share. */
async function start(context: StepContext, plan: Plan, timeline: Timeline): Promise<{ work: Work; desktop: Desktop }> {
  try {
    const desktop = await context.session.desktop();
    const bound = endingWith(desktop, context.signal);
    const { os } = await readySession(bound, context, timeline);
    const capabilities = await bound.capabilities();
    await timeline.lifecycle(0, { status: 'running', content: 'Started on the desktop', code: 'started' });
    if (plan.idleMs > 0) {
      timeline.log(
        0,
        `this version does not wait for a person to stop using the desktop (idle: ${formatDuration(plan.idleMs)})`,
      );
    }
    const apps = new Apps(context.session);
    const isProtected = protection(process.env);
    const work: Work = {
      context,
      plan,
      timeline,
      apps,
      isProtected,
      capabilities,
      system: os,
      variables: new Variables(plan.variables),
      screenshots: new Screenshots({ apps, isProtected, capabilities, timeline }),
      artifacts: new Artifacts(context.artifactsDir, context.step.key),
      sized: new Set(),
    };
    return { work, desktop };
  } catch (error) {
    context.signal.throwIfAborted();
    const reason = asStepError(error);
    if (reason !== undefined) {
      await timeline.lifecycle(0, { status: 'failed', content: reason.message, code: 'start_failed' });
    }
    throw prefixed(error);
  }
}

async function finish(work: Work, desktop: Desktop): Promise<void> {
  const { plan, timeline } = work;
  const position = plan.operations.length;
  const takesFinal = plan.screenshots === 'final' || plan.screenshots === 'each';
  const file = takesFinal ? await finalShot(work, desktop) : undefined;
  await timeline.lifecycle(position, {
    status: 'completed',
    content: `Completed ${position} operations using 0 tokens`,
    code: 'completed',
    parameters: { operations: position, tokens: 0 },
    ...(file !== undefined && { files: [file] }),
  });
}

async function finalShot(work: Work, desktop: Desktop): Promise<string | undefined> {
  const position = work.plan.operations.length;
  const time = new OperationTime('the final screenshot', finalShotMs, work.context.signal);
  const operation = operationWork(work, desktop, time, position);
  try {
    return await automaticShot(operation, 'final');
  } finally {
    await operation.lease.release();
    time.end();
  }
}
