import type { OverlapPolicy, Schedule } from '../core/workflow/types.ts';
import { BadSchedule, momentsBetween, nextMoment } from './schedule-times.ts';

/** What the scheduler needs to know of a workflow. */
export interface ScheduledWorkflow {
  path: string;
  schedules: readonly Schedule[];
  overlapPolicy: OverlapPolicy;
  /** How far back missed starts are caught up with, in ms; 0: not at all. */
  catchupWindowMs: number;
}

/** Something that a schedule does now. */
export interface Due {
  does: Schedule['does'];
  /** The moment that it is for. */
  at: Date;
  /** `catchup` for a start whose moment was missed. */
  trigger: 'scheduler' | 'catchup';
}

/** A moment that is looked at this late is still on time, in ms: the scheduler sleeps a minute at most. */
export const onTimeMs = 90_000;

/** The most moments of one workflow that are caught up with at once: the newest ones. */
export const mostCaughtUp = 1000;

/** A mark this far ahead is of a clock that was wrong, in ms; one that is nearer, of a clock that was set back. */
const wrongClockMs = 24 * 3_600_000;

/**
 * What a workflow's schedules do now, oldest first, and the mark to store once it is done:
 * moments up to a mark have been dealt with and never come again, also when the clock is set
 * back. Without a mark the workflow has just become known, and begins now.
 *
 * - Starts: one for each moment since the mark. Those that were missed (the computer slept, or
 *   the app did not run) come as `catchup`, as far back as the workflow's catch-up window
 *   goes, unless a stop has come after them.
 * - Stops that were missed come late, and once. Restarts that were missed do not come.
 */
export function dueNow(
  { schedules, catchupWindowMs }: ScheduledWorkflow,
  mark: Date | undefined,
  now: Date,
): { due: Due[]; mark: Date } {
  if (mark === undefined || mark.getTime() - now.getTime() > wrongClockMs) return { due: [], mark: now };
  if (mark >= now) return { due: [], mark };
  const moments = (does: Schedule['does']) =>
    distinct(
      schedules
        .filter((schedule) => schedule.does === does)
        .flatMap((schedule) => understood(() => momentsBetween(schedule, mark, now, mostCaughtUp)) ?? []),
    );
  const isOnTime = (at: Date) => now.getTime() - at.getTime() < onTimeMs;
  const lastStop = moments('stop').at(-1);
  const starts = moments('start')
    .filter((at) => isOnTime(at) || now.getTime() - at.getTime() <= catchupWindowMs)
    .filter((at) => isOnTime(at) || lastStop === undefined || at > lastStop)
    .slice(-mostCaughtUp)
    .map((at): Due => ({ does: 'start', at, trigger: isOnTime(at) ? 'scheduler' : 'catchup' }));
  const restart = moments('restart').filter(isOnTime).at(-1);
  const due: Due[] = [
    ...starts,
    ...(lastStop === undefined ? [] : [{ does: 'stop', at: lastStop, trigger: 'scheduler' } as const]),
    ...(restart === undefined ? [] : [{ does: 'restart', at: restart, trigger: 'scheduler' } as const]),
  ];
  // At the same moment a stop comes first: it is for what ran before.
  const order = { stop: 0, restart: 1, start: 2 };
  due.sort((one, other) => one.at.getTime() - other.at.getTime() || order[one.does] - order[other.does]);
  return { due, mark: now };
}

/** The soonest moment at which any of the workflows' schedules does something. */
export function nextDue(workflows: readonly ScheduledWorkflow[], now: Date): Date | undefined {
  const all = workflows.flatMap(({ schedules }) =>
    schedules.flatMap((schedule) => understood(() => nextMoment(schedule, now)) ?? []),
  );
  return all.sort((one, other) => one.getTime() - other.getTime())[0];
}

/**
 * What becomes of scheduled starts while runs of the workflow are at work or wait for their
 * turn. `skip`: none starts beside another. `all`: each waits for its turn. `latest`: only the
 * newest waits, in place of those that waited before it.
 */
export function withOverlap(
  policy: OverlapPolicy,
  starts: readonly Due[],
  isAtWork: boolean,
): { starts: Due[]; supersedes: boolean } {
  switch (policy) {
    case 'all':
      return { starts: [...starts], supersedes: false };
    case 'latest':
      return { starts: starts.slice(-1), supersedes: starts.length > 0 };
    case 'skip':
      return { starts: isAtWork ? [] : starts.slice(0, 1), supersedes: false };
  }
}

function distinct(moments: Date[]): Date[] {
  return [...new Set(moments.map((moment) => moment.getTime()))].sort((a, b) => a - b).map((time) => new Date(time));
}

/** Nothing for a schedule whose expression is not understood; its page says so. */
function understood<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (error instanceof BadSchedule) return undefined;
    throw error;
  }
}
