/** Times, durations, numbers and lists as people of one language say them. */
export interface Formats {
  /** How long ago, in the largest unit that fits: "2 minutes ago". Under ten seconds: `justNow`. */
  ago(then: Date, now: Date): string;
  /** Date and time in full, for hover text. */
  full(time: Date): string;
  /** The time of day: "14:02". */
  clock(time: Date): string;
  /** A length of time in at most two units: "1 min 5 sec"; under ten seconds with one decimal. */
  duration(ms: number): string;
  /** A date and a time, for what is to come: "Mar 3, 2026, 8:30 AM". */
  moment(time: Date): string;
  number(value: number): string;
  /** A number of bytes, in the largest unit that fits: "1.2 MB". */
  bytes(count: number): string;
  list(items: readonly string[]): string;
}

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

/** Makes the formats of a locale (BCP 47). */
export function formatsFor(locale: string, justNow: string): Formats {
  const relative = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' });
  const full = new Intl.DateTimeFormat(locale, { dateStyle: 'full', timeStyle: 'medium' });
  const moment = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' });
  const clock = new Intl.DateTimeFormat(locale, { timeStyle: 'short' });
  const plain = new Intl.NumberFormat(locale);
  const list = new Intl.ListFormat(locale, { type: 'conjunction' });
  const unit = (name: 'second' | 'minute' | 'hour' | 'day', digits = 0) => {
    const format = new Intl.NumberFormat(locale, {
      style: 'unit',
      unit: name,
      unitDisplay: 'short',
      maximumFractionDigits: digits,
    });
    return (value: number) => format.format(value);
  };
  const units = {
    tenths: unit('second', 1),
    seconds: unit('second'),
    minutes: unit('minute'),
    hours: unit('hour'),
    days: unit('day'),
  };

  const pair = (ms: number, large: number, small: number, one: keyof typeof units, two: keyof typeof units) => {
    const rest = Math.floor((ms % large) / small);
    const first = units[one](Math.floor(ms / large));
    return rest === 0 ? first : `${first} ${units[two](rest)}`;
  };

  return {
    ago(then, now) {
      const ms = Math.max(0, now.getTime() - then.getTime());
      if (ms < 10 * second) return justNow;
      if (ms < minute) return relative.format(-Math.floor(ms / second), 'second');
      if (ms < hour) return relative.format(-Math.floor(ms / minute), 'minute');
      if (ms < day) return relative.format(-Math.floor(ms / hour), 'hour');
      if (ms < 30 * day) return relative.format(-Math.floor(ms / day), 'day');
      if (ms < 365 * day) return relative.format(-Math.floor(ms / (30 * day)), 'month');
      return relative.format(-Math.floor(ms / (365 * day)), 'year');
    },
    full: (time) => full.format(time),
    clock: (time) => clock.format(time),
    duration(ms) {
      if (ms < 10 * second) return units.tenths(Math.round(Math.max(0, ms) / 100) / 10);
      if (ms < minute) return units.seconds(Math.floor(ms / second));
      if (ms < hour) return pair(ms, minute, second, 'minutes', 'seconds');
      if (ms < day) return pair(ms, hour, minute, 'hours', 'minutes');
      return pair(ms, day, hour, 'days', 'hours');
    },
    moment: (time) => moment.format(time),
    number: (value) => plain.format(value),
    bytes: bytesFormat(locale),
    list: (items) => list.format(items),
  };
}

const byteUnits = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'] as const;

function bytesFormat(locale: string): (count: number) => string {
  const formats = byteUnits.map(
    (unit, index) =>
      new Intl.NumberFormat(locale, {
        style: 'unit',
        unit,
        unitDisplay: index === 0 ? 'long' : 'short',
        maximumFractionDigits: index === 0 ? 0 : 1,
      }),
  );
  return (count) => {
    const power = count < 1000 ? 0 : Math.min(Math.floor(Math.log10(count) / 3), byteUnits.length - 1);
    return (formats[power] as Intl.NumberFormat).format(count / 1000 ** power);
  };
}
