import { describe, expect, it } from 'vitest';
import { BadSchedule, momentsBetween, nextMoment } from './schedule-times.ts';

const cron = (expression: string) => ({ does: 'start', cron: expression }) as const;
const between = (expression: string, after: string, until: string, most = 100) =>
  momentsBetween(cron(expression), new Date(after), new Date(until), most).map((moment) =>
    moment.toISOString().replace(':00.000Z', 'Z'),
  );

describe('a cron expression', () => {
  it.each([
    ['the zone that it names', 'CRON_TZ=Asia/Tokyo 0 9 * * *', '2026-05-01T00:00Z', '2026-05-02T00:00:00.000Z'],
    ['TZ for CRON_TZ', 'TZ=Asia/Tokyo 0 9 * * *', '2026-05-01T00:00Z', '2026-05-02T00:00:00.000Z'],
    ['names of days', 'CRON_TZ=UTC 30 8 * * MON-FRI', '2026-05-01T09:00Z', '2026-05-04T08:30:00.000Z'],
    ['0 and 7 as Sunday', 'CRON_TZ=UTC 0 9 * * 7', '2026-05-01T00:00Z', '2026-05-03T09:00:00.000Z'],
    ['a day of the month or of the week', 'CRON_TZ=UTC 0 9 1 * 1', '2026-05-01T10:00Z', '2026-05-04T09:00:00.000Z'],
    ['its short names', 'CRON_TZ=UTC @daily', '2026-05-01T10:00Z', '2026-05-02T00:00:00.000Z'],
  ])('has %s', (_, expression, after, next) => {
    expect(nextMoment(cron(expression), new Date(after))?.toISOString()).toBe(next);
  });

  it('may never come again', () => {
    expect(nextMoment(cron('0 9 30 2 *'), new Date('2026-05-01T00:00Z'))).toBeUndefined();
    expect(nextMoment({ does: 'start', at: '2026-05-01T00:00Z' }, new Date('2026-05-01T00:00Z'))).toBeUndefined();
  });

  it.each([
    ['60 9 * * *', 'not a cron expression'],
    ['0 0 9 * * *', 'not a cron expression'],
    ['every day', 'not a cron expression'],
    ['CRON_TZ=Nowhere/Land 0 9 * * *', 'there is no time zone Nowhere/Land'],
  ])('is refused with a reason: %s', (expression, reason) => {
    expect(() => nextMoment(cron(expression), new Date())).toThrow(BadSchedule);
    expect(() => nextMoment(cron(expression), new Date())).toThrow(reason);
  });
});

/** Berlin goes to summer time on 2026-03-29 at 02:00 (01:00Z), and back on 2026-10-25 at 03:00 (01:00Z). */
describe('a change of the clocks', () => {
  it.each([
    {
      name: 'an hour that is left out: a fixed time comes once, right after it',
      expression: '30 2 * * *',
      days: ['2026-03-28T12:00Z', '2026-03-30T12:00Z'],
      moments: ['2026-03-29T01:00Z', '2026-03-30T00:30Z'],
    },
    {
      name: 'an hour that is left out: steps go on without it',
      expression: '*/30 * * * *',
      days: ['2026-03-29T00:00Z', '2026-03-29T02:00Z'],
      moments: ['2026-03-29T00:30Z', '2026-03-29T01:00Z', '2026-03-29T01:30Z', '2026-03-29T02:00Z'],
    },
    {
      name: 'an hour that comes twice: a fixed time comes once, the first time',
      expression: '30 2 * * *',
      days: ['2026-10-24T12:00Z', '2026-10-26T12:00Z'],
      moments: ['2026-10-25T00:30Z', '2026-10-26T01:30Z'],
    },
    {
      name: 'an hour that comes twice: hours by name come once each',
      expression: '0 1-3 * * *',
      days: ['2026-10-24T22:00Z', '2026-10-25T12:00Z'],
      moments: ['2026-10-24T23:00Z', '2026-10-25T00:00Z', '2026-10-25T02:00Z'],
    },
    {
      name: 'an hour that comes twice: steps come in both',
      expression: '*/30 * * * *',
      days: ['2026-10-25T00:00Z', '2026-10-25T02:00Z'],
      moments: ['2026-10-25T00:30Z', '2026-10-25T01:00Z', '2026-10-25T01:30Z', '2026-10-25T02:00Z'],
    },
    {
      name: 'a day after it: the time on the clock stays',
      expression: '0 9 * * *',
      days: ['2026-03-28T00:00Z', '2026-03-30T00:00Z'],
      moments: ['2026-03-28T08:00Z', '2026-03-29T07:00Z'],
    },
  ])('$name', ({ expression, days: [after, until], moments }) => {
    const inBerlin = `CRON_TZ=Europe/Berlin ${expression}`;
    expect(between(inBerlin, after as string, until as string)).toEqual(moments);
    // The same, moment by moment, as the scheduler meets them.
    const met: string[] = [];
    for (let at = new Date(after as string); ; ) {
      const next = nextMoment(cron(inBerlin), at);
      if (next === undefined || next > new Date(until as string)) break;
      met.push(next.toISOString().replace(':00.000Z', 'Z'));
      at = next;
    }
    expect(met).toEqual(moments);
  });

  it('does not bring a time again to whoever asks between its two hours', () => {
    const daily = cron('CRON_TZ=Europe/Berlin 30 2 * * *');
    expect(nextMoment(daily, new Date('2026-10-25T00:45Z'))?.toISOString()).toBe('2026-10-26T01:30:00.000Z');
    expect(between('CRON_TZ=Europe/Berlin 30 2 * * *', '2026-10-25T00:45Z', '2026-10-25T12:00Z')).toEqual([]);
  });
});

describe('momentsBetween', () => {
  it('is without its beginning and with its end, also within a second', () => {
    expect(between('CRON_TZ=UTC * * * * *', '2026-05-01T10:00Z', '2026-05-01T10:02Z')).toEqual([
      '2026-05-01T10:01Z',
      '2026-05-01T10:02Z',
    ]);
    expect(between('CRON_TZ=UTC * * * * *', '2026-05-01T10:00Z', '2026-05-01T10:00:59.999Z')).toEqual([]);
    expect(between('CRON_TZ=UTC * * * * *', '2026-05-01T10:00:00.200Z', '2026-05-01T10:01:00.100Z')).toEqual([
      '2026-05-01T10:01Z',
    ]);
  });

  it('gives the newest of very many at once', () => {
    expect(between('CRON_TZ=UTC * * * * *', '2024-01-01T00:00Z', '2026-05-01T10:00Z', 2)).toEqual([
      '2026-05-01T09:59Z',
      '2026-05-01T10:00Z',
    ]);
  });
});
