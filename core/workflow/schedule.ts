import { type Static, Type } from 'typebox';
import { parseCron } from './cron.ts';
import { parseDuration } from './durations.ts';
import type { Findings } from './findings.ts';
import { closed, text } from './shapes.ts';
import type { FieldPath, Schedule } from './types.ts';

/** When a workflow starts, is stopped and starts anew by itself. */

const CronEntry = Type.Object(
  { kind: Type.Literal('cron'), expression: text('A cron expression'), profile: Type.Optional(Type.Unknown()) },
  closed,
);
const AtEntry = Type.Object(
  { kind: Type.Literal('at'), at: text('A moment (RFC 3339)'), profile: Type.Optional(Type.Unknown()) },
  closed,
);

const entry = 'a cron expression, or {kind: cron, expression}, or {kind: at, at}';
const Entry = Type.Union([Type.String(), CronEntry, AtEntry], { description: entry });
const Entries = Type.Union([Entry, Type.Array(Entry)], { description: `${entry}, or a list of them` });
type Entries = Static<typeof Entries>;

export const ScheduleDocument = Type.Union(
  [
    Entry,
    Type.Array(Entry),
    Type.Object(
      { start: Type.Optional(Entries), stop: Type.Optional(Entries), restart: Type.Optional(Entries) },
      { ...closed, minProperties: 1 },
    ),
  ],
  {
    title: 'When it runs by itself; a cron expression may begin with CRON_TZ= and a time zone',
    description: 'a cron expression, a list of them, or an object with start, stop and restart',
  },
);
export type ScheduleDocument = Static<typeof ScheduleDocument>;

/** Schedules whose shape was checked. An expression that never comes, or is none, is a problem. */
export function readSchedules(document: ScheduleDocument | undefined, findings: Findings): Schedule[] {
  if (document === undefined) return [];
  if (typeof document === 'object' && !Array.isArray(document) && !('kind' in document)) {
    return (['start', 'stop', 'restart'] as const).flatMap((does) =>
      document[does] === undefined ? [] : readEntries(does, document[does], ['schedule', does], findings),
    );
  }
  return readEntries('start', document as Entries, ['schedule'], findings);
}

function readEntries(does: Schedule['does'], entries: Entries, path: FieldPath, findings: Findings): Schedule[] {
  if (!Array.isArray(entries)) return [readEntry(does, entries, path, findings)];
  return entries.map((one, index) => readEntry(does, one, [...path, index], findings));
}

function readEntry(
  does: Schedule['does'],
  written: Static<typeof Entry>,
  path: FieldPath,
  findings: Findings,
): Schedule {
  if (typeof written === 'object' && written.profile !== undefined) findings.refused([...path, 'profile']);
  const schedule: Schedule =
    typeof written === 'string'
      ? { does, cron: written }
      : written.kind === 'cron'
        ? { does, cron: written.expression }
        : { does, at: written.at };
  const problem = scheduleProblem(schedule);
  if (problem !== undefined) findings.field(path, problem);
  return schedule;
}

/** Why an entry is not understood; undefined when it is. */
export function scheduleProblem({ cron, at }: Schedule): string | undefined {
  if (at !== undefined)
    return isMoment(at) ? undefined : `at "${at}" must be a moment such as 2030-01-31T09:00:00+01:00`;
  try {
    return parseCron(cron ?? '').nextRun() === null ? `cron expression "${cron}" never comes` : undefined;
  } catch (error) {
    return `cron expression "${cron}" is not valid: ${(error as Error).message}`;
  }
}

function isMoment(written: string): boolean {
  return (
    /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/i.test(written) && !Number.isNaN(Date.parse(written))
  );
}

const day = 24 * 60 * 60 * 1000;

/** The milliseconds of `catchup_window`: a duration that may begin with days or weeks, as `2d12h`. */
export function parseWindow(written: string): number | undefined {
  const [, weeks, days, rest = ''] = /^(?:(\d+)w)?(?:(\d+)d)?(.*)$/s.exec(written.trim()) ?? [];
  const ms = rest === '' ? ((weeks ?? days) === undefined ? undefined : 0) : parseDuration(rest);
  if (ms === undefined || ms < 0) return undefined;
  return ms + Number(weeks ?? 0) * 7 * day + Number(days ?? 0) * day;
}
