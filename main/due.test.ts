import { describe, expect, it } from 'vitest';
import type { Schedule } from '../core/workflow/types.ts';
import { type Due, dueNow, mostCaughtUp, nextDue, withOverlap } from './due.ts';

const hour = 3_600_000;
const at = (time: string) => new Date(`2026-05-04T${time}Z`);
const cron = (does: Schedule['does'], expression: string): Schedule => ({ does, cron: `CRON_TZ=UTC ${expression}` });
const hourly = [cron('start', '0 * * * *')];
const due = (schedules: Schedule[], mark: string | undefined, now: string, catchupWindowMs = 0) =>
  dueNow(
    { path: '/flows/a.yaml', schedules, overlapPolicy: 'all', catchupWindowMs },
    mark === undefined ? undefined : at(mark),
    at(now),
  );
const told = (found: { due: Due[] }) =>
  found.due.map(({ does, at: moment, trigger }) => `${does} ${moment.toISOString().slice(11, 16)} ${trigger}`);

describe('dueNow', () => {
  it('begins now with a workflow that has just become known', () => {
    expect(due(hourly, undefined, '10:00:30', 24 * hour)).toEqual({ due: [], mark: at('10:00:30') });
  });

  it('gives each moment once: what a mark is past never comes again', () => {
    const first = due(hourly, '09:59:30', '10:00:00');
    expect(told(first)).toEqual(['start 10:00 scheduler']);
    expect(first.mark).toEqual(at('10:00:00'));
    expect(told(due(hourly, '10:00:00', '10:00:30'))).toEqual([]);
  });

  it('gives a moment that is looked at a little late on time', () => {
    expect(told(due(hourly, '09:59:30', '10:01:00'))).toEqual(['start 10:00 scheduler']);
  });

  it('leaves missed starts where the workflow does not catch up', () => {
    expect(told(due(hourly, '07:30:00', '10:30:00'))).toEqual([]);
  });

  it('catches up with each missed start of the window, the oldest first', () => {
    expect(told(due(hourly, '05:30:00', '10:00:10', 3 * hour))).toEqual([
      'start 08:00 catchup',
      'start 09:00 catchup',
      'start 10:00 scheduler',
    ]);
  });

  it('does nothing twice when the clock is set back', () => {
    expect(due(hourly, '10:00:05', '09:30:00', 24 * hour)).toEqual({ due: [], mark: at('10:00:05') });
    expect(told(due(hourly, '10:00:05', '10:00:01', 24 * hour))).toEqual([]);
    expect(told(due(hourly, '10:00:05', '11:00:01'))).toEqual(['start 11:00 scheduler']);
  });

  it('begins anew where the mark is of a clock that was days ahead', () => {
    const now = new Date('2026-05-01T10:00:00Z');
    const found = dueNow(
      { path: '', schedules: hourly, overlapPolicy: 'all', catchupWindowMs: hour },
      at('10:00'),
      now,
    );
    expect(found).toEqual({ due: [], mark: now });
  });

  it('gives one start for entries that meet at a moment', () => {
    expect(told(due([...hourly, cron('start', '*/30 * * * *')], '09:59:00', '10:00:00'))).toEqual([
      'start 10:00 scheduler',
    ]);
  });

  it('stops late and once, and catches up with no start that a stop has followed', () => {
    const day = [cron('start', '0 8 * * *'), cron('stop', '0 9,18 * * *')];
    expect(told(due(day, '07:00:00', '20:00:00', 24 * hour))).toEqual(['stop 18:00 scheduler']);
    expect(told(due(day, '07:00:00', '08:30:00', 24 * hour))).toEqual(['start 08:00 catchup']);
  });

  it('stops before it starts where both meet', () => {
    expect(told(due([cron('start', '0 8 * * *'), cron('stop', '0 8 * * *')], '07:59:30', '08:00:00'))).toEqual([
      'stop 08:00 scheduler',
      'start 08:00 scheduler',
    ]);
  });

  it('restarts on time, and not late', () => {
    const restart = [cron('restart', '0 8 * * *')];
    expect(told(due(restart, '07:59:30', '08:00:00'))).toEqual(['restart 08:00 scheduler']);
    expect(told(due(restart, '07:00:00', '08:30:00', 24 * hour))).toEqual([]);
  });

  it('starts at a single moment', () => {
    const once: Schedule[] = [{ does: 'start', at: '2026-05-04T10:00:00+02:00' }];
    expect(told(due(once, '07:59:30', '08:00:00'))).toEqual(['start 08:00 scheduler']);
    expect(told(due(once, '08:00:00', '09:00:00', hour))).toEqual([]);
  });

  it('passes over an entry that is not understood', () => {
    expect(told(due([cron('start', 'x'), ...hourly], '09:59:30', '10:00:00'))).toEqual(['start 10:00 scheduler']);
  });

  it('catches up with a bounded number of moments, the newest', () => {
    const minutely = [cron('start', '* * * * *')];
    const found = dueNow(
      { path: '', schedules: minutely, overlapPolicy: 'all', catchupWindowMs: 365 * 24 * hour },
      new Date('2025-06-01T00:00Z'),
      at('10:00:00'),
    ).due;
    expect(found).toHaveLength(mostCaughtUp);
    expect(found.at(-1)?.at).toEqual(at('10:00:00'));
  });
});

it('finds the soonest moment of all workflows', () => {
  const workflow = (schedules: Schedule[]) => ({
    path: '',
    schedules,
    overlapPolicy: 'skip' as const,
    catchupWindowMs: 0,
  });
  const all = [workflow(hourly), workflow([cron('stop', '15 10 * * *'), cron('start', 'x')]), workflow([])];
  expect(nextDue(all, at('10:00:00'))).toEqual(at('10:15:00'));
  expect(nextDue([workflow([])], at('10:00:00'))).toBeUndefined();
});

describe('withOverlap', () => {
  const starts = [at('08:00'), at('09:00'), at('10:00')].map(
    (moment): Due => ({ does: 'start', at: moment, trigger: 'catchup' }),
  );
  const times = (found: { starts: Due[] }) => found.starts.map(({ at: moment }) => moment.toISOString().slice(11, 13));

  it.each([
    ['skip', false, ['08'], false],
    ['skip', true, [], false],
    ['all', false, ['08', '09', '10'], false],
    ['all', true, ['08', '09', '10'], false],
    ['latest', false, ['10'], true],
    ['latest', true, ['10'], true],
  ] as const)('%s, at work: %s', (policy, isAtWork, hours, supersedes) => {
    const found = withOverlap(policy, starts, isAtWork);
    expect(times(found)).toEqual(hours);
    expect(found.supersedes).toBe(supersedes);
  });
});
