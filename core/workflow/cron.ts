import { Cron } from 'croner';

/**
 * The times of a cron expression of five fields. It is in the computer's time zone unless it
 * begins with `CRON_TZ=<zone>` (or `TZ=<zone>`). At a change of the clocks, a time that names
 * hours and minutes comes once; one with `*` or steps there as often as its moments do.
 * Throws an Error that says what is wrong with the expression.
 */
export function parseCron(expression: string): Cron {
  const [, zone, fields = ''] = /^(?:(?:CRON_)?TZ=(\S+)\s+)?([\s\S]*)$/.exec(expression.trim()) ?? [];
  if (zone !== undefined && !isZone(zone))
    throw new Error(`there is no time zone ${zone}; use a name such as Asia/Tokyo`);
  if (!fields.startsWith('@') && fields.split(/\s+/).length !== 5) {
    throw new Error('it must have five fields: minute, hour, day of the month, month, day of the week');
  }
  try {
    return new Cron(fields, {
      mode: '5-part',
      fixedTimeRule: 'no-wildcard',
      paused: true,
      ...(zone !== undefined && { timezone: zone }),
    });
  } catch (error) {
    throw new Error((error as Error).message.replace(/^CronPattern: /, ''));
  }
}

function isZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}
