/**
 * Durations as Go writes them: `30s`, `1m30s`, `250ms`, `1.5h`, `0`. In code a duration
 * is a number of milliseconds.
 */

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const units: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3, // U+00B5, micro sign
  μs: 1e-3, // U+03BC, Greek letter mu
  ms: 1,
  s: second,
  m: minute,
  h: hour,
};
const amount = String.raw`(\d+\.?\d*|\.\d+)(ns|us|\u00b5s|\u03bcs|ms|s|m|h)`;
const whole = new RegExp(`^[+-]?(?:${amount})+$`);
const parts = new RegExp(amount, 'g');

/** The milliseconds of a duration in Go syntax; undefined when the text is none. */
export function parseDuration(text: string): number | undefined {
  if (/^[+-]?0$/.test(text)) return 0;
  if (!whole.test(text)) return undefined;
  let ms = 0;
  for (const [, number = '', unit = ''] of text.matchAll(parts)) ms += Number(number) * (units[unit] ?? 0);
  return text.startsWith('-') ? -ms : ms;
}

/** A duration in Go's form: `1m30s`, `1.5s`, `250ms`, `0s`; exact to a microsecond. */
export function formatDuration(ms: number): string {
  const sign = ms < 0 ? '-' : '';
  const size = Math.round(Math.abs(ms) * 1000) / 1000;
  if (size === 0) return '0s';
  if (size < 1) return `${sign}${Math.round(size * 1000)}µs`;
  if (size < second) return `${sign}${size}ms`;
  const hours = Math.floor(size / hour);
  const minutes = Math.floor((size % hour) / minute);
  const seconds = `${Math.round((size % minute) * 1000) / 1e6}s`;
  if (hours > 0) return `${sign}${hours}h${minutes}m${seconds}`;
  return minutes > 0 ? `${sign}${minutes}m${seconds}` : `${sign}${seconds}`;
}

/** A duration rounded to 100 ms, in Go's form, as logs show it: `1.5s`. */
export function logDuration(ms: number): string {
  return formatDuration(Math.round(ms / 100) * 100);
}
