import { describe, expect, it } from 'vitest';
import { parseCron } from './cron.ts';
import { parseWindow, scheduleProblem } from './schedule.ts';

describe('a cron expression', () => {
  it.each([
    ['0 9 * * MON-FRI', '2026-03-06T12:00:00Z', 'UTC', '2026-03-09T09:00:00.000Z'],
    ['CRON_TZ=Asia/Tokyo 0 9 * * *', '2026-03-06T12:00:00Z', '', '2026-03-07T00:00:00.000Z'],
    ['TZ=America/New_York */15 0 1 * *', '2026-03-06T12:00:00Z', '', '2026-04-01T04:00:00.000Z'],
    ['0 0 * * 7', '2026-03-06T12:00:00Z', 'UTC', '2026-03-08T00:00:00.000Z'],
  ])('%s', (expression, after, zone, next) => {
    const cron = parseCron(zone === '' ? expression : `CRON_TZ=${zone} ${expression}`);
    expect(cron.nextRun(new Date(after))?.toISOString()).toBe(next);
  });

  it('at a change of the clocks comes once', () => {
    const cron = parseCron('CRON_TZ=Europe/Paris 30 2 * * *');
    const after = new Date('2026-10-24T12:00:00Z');
    expect(cron.nextRuns(2, after).map((time) => time.toISOString())).toEqual([
      '2026-10-25T00:30:00.000Z',
      '2026-10-26T01:30:00.000Z',
    ]);
  });

  it.each(['', '* * * *', '* * * * * *', '60 * * * *', 'a b c d e', 'CRON_TZ=Nowhere/Land * * * * *', '0 0 31 2 *'])(
    'is none: %j',
    (cron) => {
      expect(scheduleProblem({ does: 'start', cron })).toContain('cron expression');
    },
  );
});

describe('a moment', () => {
  it.each(['2030-01-31T09:00:00Z', '2030-01-31T09:00:00.5+01:00', '2030-01-31T09:00Z'])('%s', (at) => {
    expect(scheduleProblem({ does: 'start', at })).toBeUndefined();
  });
  it.each(['2030-01-31', '2030-13-31T09:00:00Z', '2030-01-31T09:00:00', 'soon'])('is none: %s', (at) => {
    expect(scheduleProblem({ does: 'start', at })).toContain('must be a moment');
  });
});

describe('catchup_window', () => {
  it.each([
    ['6h', 6],
    ['90m', 1.5],
    ['2d', 48],
    ['1w1d1h', 193],
    ['0', 0],
  ])('%s', (text, hours) => {
    expect(parseWindow(text)).toBe(hours * 3_600_000);
  });
  it.each(['', 'd', '2', '-1h', '1h2d', 'x'])('is none: %j', (text) => {
    expect(parseWindow(text)).toBeUndefined();
  });
});
