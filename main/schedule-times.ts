import type { Cron } from 'croner';
import { parseCron } from '../core/workflow/cron.ts';
import type { Schedule } from '../core/workflow/types.ts';

/** A schedule's expression is not understood; its message says why. */
export class BadSchedule extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'BadSchedule';
  }
}

/**
 * When a schedule comes next after a moment, or `undefined` where it never comes again.
 * Throws a {@link BadSchedule}.
 *
 * Cron expressions have five fields, and are in the system's time zone unless one begins with
 * `CRON_TZ=<zone>` (or `TZ=<zone>`). At a change of the clocks, a time that names hours and
 * minutes comes once: in the hour that is left out right after it, in the hour that comes
 * twice the first time. One with `*` or steps there comes as often as its moments do.
 */
export function nextMoment(schedule: Schedule, after: Date): Date | undefined {
  const times = timesOf(schedule);
  if (times instanceof Date) return times > after ? times : undefined;
  return times.nextRun(after) ?? undefined;
}

/**
 * The moments of a schedule after `after` up to and with `until`, oldest first: the newest
 * `most` of them where there are more. Throws a {@link BadSchedule}.
 */
export function momentsBetween(schedule: Schedule, after: Date, until: Date, most: number): Date[] {
  if (after >= until) return [];
  const times = timesOf(schedule);
  if (times instanceof Date) return times > after && times <= until ? [times] : [];
  const first = times.nextRun(after);
  if (first === null || first > until) return [];
  // Backwards from the end, so that a year of minutes costs no more than what is asked for.
  const moments: Date[] = [];
  let before: Date | undefined = new Date(until.getTime() + 1000 - (until.getTime() % 1000));
  while (before !== undefined && moments.length < most) {
    before = times.previousRuns(1, before)[0];
    if (before === undefined || before <= after) break;
    if (before <= until) moments.push(before);
  }
  return moments.reverse();
}

/** A schedule as it is written. */
export function expressionOf({ cron, at }: Schedule): string {
  return cron ?? at ?? '';
}

/** Compiled expressions: a schedule is asked each minute. */
const compiled = new Map<string, Cron>();

function timesOf({ cron, at }: Schedule): Cron | Date {
  if (cron !== undefined) return compile(cron);
  const moment = new Date(at ?? '');
  if (Number.isNaN(moment.getTime()))
    throw new BadSchedule(`"${at}" is not a moment, such as 2026-03-01T08:30:00+01:00`);
  return moment;
}

function compile(expression: string): Cron {
  const known = compiled.get(expression);
  if (known !== undefined) return known;
  try {
    const cron = parseCron(expression);
    compiled.set(expression, cron);
    return cron;
  } catch (error) {
    throw new BadSchedule(`"${expression}" is not a cron expression of five fields: ${(error as Error).message}`);
  }
}
