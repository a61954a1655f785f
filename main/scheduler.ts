import { newRunId } from '../core/store/run-id.ts';
import type { OverlapPolicy } from '../core/workflow/types.ts';
import { type Due, dueNow, nextDue, type ScheduledWorkflow, withOverlap } from './due.ts';
import type { Queries } from './queries-client.ts';

/** A workflow that may run by itself: its file is without an error, and its content allowed. */
export interface StartableWorkflow extends ScheduledWorkflow {
  /** The run's name. */
  name: string;
  /** SHA-256 of the content that is allowed, and the text of the file in it. */
  hash: string;
  text: string;
}

export interface SchedulerParts {
  /** The workflows that may run by themselves, as they are now. */
  workflows: () => Promise<StartableWorkflow[]>;
  queries: Pick<Queries['client'], 'work' | 'queueRun' | 'scheduleMarks' | 'setScheduleMark'>;
  dispatcher: { look(): Promise<void>; stop(runId: string, reason: string): Promise<boolean> };
  /** The data directory. */
  home: string;
  now?: () => Date;
}

/** A mark is renewed this often at least, in ms, so that a look never has to go far back. */
const renewMarkMs = 3_600_000;

/** Why runs end that a schedule ends. */
export const stoppedBySchedule = 'stopped by its schedule';
export const replacedBySchedule = 'a newer start of its schedule took its place';

/**
 * Does what the schedules of workflows say. It keeps nothing but the hashes that it saw: what
 * was dealt with stands in the store, so that nothing comes twice however often it looks, and
 * whatever happens between two looks.
 */
export class Scheduler {
  readonly #parts: SchedulerParts;
  readonly #hashes = new Map<string, string>();
  #lastLook: Date | undefined;

  constructor(parts: SchedulerParts) {
    this.#parts = parts;
  }

  /** Does what is due, and gives the next moment of any schedule. */
  async look(): Promise<Date | undefined> {
    const { queries, workflows, now = () => new Date() } = this.#parts;
    const all = (await workflows()).filter(({ schedules }) => schedules.length > 0);
    const { marks } = await queries.scheduleMarks({ paths: all.map(({ path }) => path) });
    const at = now();
    for (const workflow of all) {
      const stored = marks[workflow.path];
      await this.#lookAt(workflow, stored === undefined ? undefined : new Date(stored), at);
    }
    this.#lastLook = at;
    return nextDue(all, at);
  }

  /** Passes over what is due until now: it was not to run. */
  async skip(paths: readonly string[]): Promise<void> {
    const { queries, now = () => new Date() } = this.#parts;
    for (const path of paths) await queries.setScheduleMark({ path, until: now().toISOString() });
  }

  async #lookAt(workflow: StartableWorkflow, stored: Date | undefined, now: Date): Promise<void> {
    const { path, hash } = workflow;
    // Another content has other moments: those of a time when the former one was there are not its own.
    const isAnother = (this.#hashes.get(path) ?? hash) !== hash;
    this.#hashes.set(path, hash);
    const since = isAnother ? laterOf(stored, this.#lastLook) : stored;
    const { due, mark } = dueNow(workflow, since, now);
    for (const { does, starts, at } of inOrder(due)) {
      if (does !== 'start') await this.#stopRuns(path, stoppedBySchedule);
      await this.#startRuns(
        workflow,
        does === 'restart' ? [{ does: 'start', at, trigger: 'scheduler' }] : starts,
        does,
      );
    }
    const isOld = stored === undefined || Math.abs(now.getTime() - stored.getTime()) > renewMarkMs;
    if ((due.length > 0 || isAnother || isOld) && mark.getTime() !== stored?.getTime()) {
      await this.#parts.queries.setScheduleMark({ path, until: mark.toISOString() });
    }
    if (due.length > 0) await this.#parts.dispatcher.look();
  }

  async #startRuns(workflow: StartableWorkflow, due: readonly Due[], does: Due['does']): Promise<void> {
    if (due.length === 0) return;
    const { queued, active } = await this.#parts.queries.work();
    const isOfIt = ({ path }: { path: string }) => path === workflow.path;
    // A restart's old run is about to end.
    const isAtWork = does !== 'restart' && (active.some(isOfIt) || queued.some(({ run }) => isOfIt(run)));
    const { starts, supersedes } = withOverlap(overlapOf(workflow, does), due, isAtWork);
    if (supersedes) {
      const older = queued.filter(({ run }) => isOfIt(run) && run.scheduledAt !== undefined);
      for (const { run } of older) await this.#parts.dispatcher.stop(run.runId, replacedBySchedule);
    }
    for (const start of starts) await this.#queue(workflow, start);
  }

  async #queue({ path, name, hash, text }: StartableWorkflow, { at, trigger }: Due): Promise<void> {
    await this.#parts.queries.queueRun({
      request: {
        mode: 'queued',
        runId: newRunId(),
        path,
        params: [],
        trigger,
        scheduledAt: at.toISOString(),
        contentHash: hash,
        home: this.#parts.home,
      },
      name,
      source: text,
    });
  }

  async #stopRuns(path: string, reason: string): Promise<void> {
    const { queued, active } = await this.#parts.queries.work();
    for (const run of [...queued.map((one) => one.run), ...active].filter((one) => one.path === path)) {
      await this.#parts.dispatcher.stop(run.runId, reason);
    }
  }
}

function overlapOf({ overlapPolicy }: ScheduledWorkflow, does: Due['does']): OverlapPolicy {
  return does === 'restart' ? 'all' : overlapPolicy;
}

function laterOf(one: Date | undefined, other: Date | undefined): Date | undefined {
  return one === undefined || (other !== undefined && other > one) ? other : one;
}

/** What is due, with starts that follow each other together, since what overlaps is decided over all of them. */
function inOrder(due: readonly Due[]): { does: Due['does']; at: Date; starts: Due[] }[] {
  const groups: { does: Due['does']; at: Date; starts: Due[] }[] = [];
  for (const one of due) {
    const last = groups.at(-1);
    if (one.does === 'start' && last?.does === 'start') last.starts.push(one);
    else groups.push({ does: one.does, at: one.at, starts: one.does === 'start' ? [one] : [] });
  }
  return groups;
}

/** The longest sleep, in ms: a clock that was set is noticed after it. */
const longestSleepMs = 60_000;

/**
 * Calls `look` at each moment that it names, and once a minute, until the signal aborts.
 * `wake` makes it look at once: after the computer slept, or when files changed. A look that
 * fails is told of and comes again within the minute.
 */
export function scheduleTimer(
  look: () => Promise<Date | undefined>,
  { signal, onError, now = Date.now }: { signal: AbortSignal; onError: (error: unknown) => void; now?: () => number },
): { wake(): void } {
  let timer: NodeJS.Timeout | undefined;
  let state: 'sleeping' | 'looking' | 'looking again' = 'sleeping';
  const run = async () => {
    if (signal.aborted) return;
    if (state !== 'sleeping') {
      state = 'looking again';
      return;
    }
    clearTimeout(timer);
    let next: Date | undefined;
    do {
      state = 'looking';
      next = await look().catch((error: unknown) => {
        if (!signal.aborted) onError(error);
        return undefined;
      });
    } while ((state as string) === 'looking again');
    state = 'sleeping';
    if (signal.aborted) return;
    const wait = next === undefined ? longestSleepMs : Math.max(0, next.getTime() - now());
    timer = setTimeout(run, Math.min(wait, longestSleepMs));
    timer.unref();
  };
  signal.addEventListener('abort', () => clearTimeout(timer));
  return { wake: () => void run() };
}
