import type { Desktop } from '../../native/desktop.ts';
import { StepError } from '../action.ts';
import { pinSystem } from './act.ts';
import { checkAsWritten, checkSubject, checkWhen } from './conditions.ts';
import { Lease } from './lease.ts';
import { type OperationResult, runOperation, subjectOf, viaOfFailure } from './operations.ts';
import type { Operation } from './plan.ts';
import { asStepError, endingWith, failedWith } from './port.ts';
import { automatic } from './screenshots.ts';
import { OperationTime } from './time.ts';
import type { OperationReport } from './timeline.ts';
import { holdDesktop, type OperationWork, type Work } from './work.ts';

/** How long the screenshot of a failure may take, in milliseconds. */
const failureShotMs = 20_000;

/** An operation's own clock, lease and desktop beside what the step shares. */
export function operationWork(work: Work, desktop: Desktop, time: OperationTime, position: number): OperationWork {
  const { timeline } = work;
  const log = (line: string) => timeline.log(position, line);
  const lease = new Lease(desktop, {
    log,
    waiting: (holder) =>
      timeline.lifecycle(position, {
        status: 'waiting',
        name: 'desktop',
        content: 'Waiting for another computer step to finish using the desktop',
        code: 'waiting_desktop',
        ...(holder !== undefined && { parameters: { holder } }),
      }),
    free: () =>
      timeline.lifecycle(position, {
        status: 'running',
        name: 'desktop',
        content: 'The desktop is free again',
        code: 'desktop_free',
      }),
  });
  return { ...work, position, time, lease, log, desktop: endingWith(desktop, time.signal) };
}

/** A screenshot that the step's policy asks for; undefined where it cannot be taken or kept. */
export async function automaticShot(work: OperationWork, label: string): Promise<string | undefined> {
  if (!work.artifacts.areKept) return undefined;
  return await automatic(async () => {
    await holdDesktop(work);
    return await work.artifacts.save(label, await work.screenshots.take(work.desktop, work.position));
  }, work.log);
}

/** One operation from its `when` to its event. */
export class Attempt {
  readonly #work: OperationWork;
  readonly #operation: Operation;
  readonly #index: number;
  readonly #startedAt = performance.now();
  /** What failed: the operation, or the check before it. */
  #inWhen = false;

  constructor(work: Work, desktop: Desktop, operation: Operation, index: number) {
    const time = new OperationTime(operation.kind, operation.timeoutMs, work.context.signal);
    this.#work = operationWork(work, desktop, time, index + 1);
    this.#operation = operation;
    this.#index = index;
  }

  /** Returns the outputs of the operation. */
  async run(): Promise<Record<string, unknown>> {
    try {
      if (!(await this.#mayRun())) return {};
      const result = await runOperation(this.#work, this.#operation);
      await this.#report(result);
      return result.outputs ?? {};
    } catch (error) {
      await this.#end();
      return await this.#fail(error);
    } finally {
      await this.#end();
    }
  }

  async #end(): Promise<void> {
    await this.#work.lease.release();
    this.#work.time.end();
  }

  /** Whether the operation's `when` holds; one that does not leaves the event of a skipped operation. */
  async #mayRun(): Promise<boolean> {
    const { when } = this.#operation;
    if (when === undefined) return true;
    this.#inWhen = true;
    const { holds, reason } = await checkWhen(this.#work, when);
    this.#inWhen = false;
    this.#work.log(`when ${checkSubject(this.#work, when)}: ${reason}`);
    if (!holds) {
      await this.#event({ status: 'skipped', subject: checkSubject(this.#work, when), detail: reason, via: 'exact' });
    }
    return holds;
  }

  async #report({ status, detail, via, files = [] }: OperationResult): Promise<void> {
    const each =
      this.#work.plan.screenshots === 'each' ? await automaticShot(this.#work, this.#operation.kind) : undefined;
    const all = each === undefined ? files : [...files, each];
    await this.#event({
      status,
      subject: subjectOf(this.#work, this.#operation),
      ...(detail !== undefined && { detail }),
      ...(via !== undefined && { via }),
      ...(all.length > 0 && { files: all }),
    });
  }

  async #event(report: Omit<OperationReport, 'kind' | 'position' | 'durationMs'>): Promise<void> {
    await this.#work.timeline.operation({
      ...report,
      kind: this.#operation.kind,
      position: this.#work.position,
      durationMs: performance.now() - this.#startedAt,
    });
  }

  /** Tells the failure of the operation, and ends the step by it. */
  async #fail(error: unknown): Promise<never> {
    const { context, timeline, position } = this.#work;
    const { kind } = this.#operation;
    const reason = asStepError(error)?.message ?? (error instanceof Error ? error.message : String(error));
    const via = this.#inWhen ? 'exact' : viaOfFailure(pinSystem(this.#work.system), this.#operation);
    await this.#event({
      status: 'failed',
      subject: this.#failedSubject(),
      detail: reason,
      ...(via !== undefined && { via }),
    });
    const content = `do[${this.#index}] ${kind} failed: ${reason}`;
    const file = context.runSignal.aborted ? undefined : await afterFailure(this.#work, error);
    await timeline.lifecycle(position, {
      status: 'failed',
      content,
      code: 'operation_failed',
      parameters: { position, kind, reason },
      ...(file !== undefined && { files: [file] }),
    });
    context.signal.throwIfAborted();
    if (asStepError(error) === undefined) throw error;
    throw new StepError(`computer: ${content}`, { cause: error });
  }

  /** A check that has no values to be told with is told as it is written. */
  #failedSubject(): string {
    const operation = this.#operation;
    const check = this.#inWhen ? operation.when : operation.kind === 'expect' ? operation : undefined;
    if (check === undefined) return subjectOf(this.#work, operation);
    try {
      return checkSubject(this.#work, check);
    } catch (error) {
      if (!(error instanceof StepError)) throw error;
      return checkAsWritten(this.#work, check);
    }
  }
}

/**
 * Leaves the desktop of a failed operation in order: a fresh driver lets up what one that
 * died held down, and the screen is captured when no other step holds the desktop.
 */
async function afterFailure(work: OperationWork, error: unknown): Promise<string | undefined> {
  const { context, plan, artifacts, screenshots, position, log } = work;
  const wantsShot = plan.screenshots !== 'never' && artifacts.areKept;
  if (!wantsShot && !failedWith(error, 'closed')) return undefined;
  return await automatic(async () => {
    const driver = await context.session.desktop();
    // Not the step's signal: its time may be what was up.
    const time = new OperationTime('the screenshot', failureShotMs, context.runSignal);
    const lease = new Lease(driver, { log, waiting: async () => {}, free: async () => {} });
    try {
      if (!(await lease.tryTake(time.signal))) throw new StepError('another step holds the desktop');
      if (!wantsShot) return undefined;
      return await artifacts.save('failure', await screenshots.take(endingWith(driver, time.signal), position));
    } finally {
      await lease.release();
      time.end();
    }
  }, log);
}
