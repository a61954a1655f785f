import { randomUUID } from 'node:crypto';

/** A number of a JSON text that JavaScript's numbers cannot hold, by its digits as they were written. */
export class ExactNumber {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  /** Where JSON is made without {@link toJson}: a text keeps the digits, a number would not. */
  toJSON(): string {
    return this.text;
  }
}

/** JSON text of a value, with the digits of every number in it. */
export function toJson(value: unknown): string {
  return write(value, (entries) => entries);
}

/** One line of JSON with the keys of every object in sorted order, and the digits of every number in it. */
export function toSortedJson(value: unknown): string {
  return write(value, (entries) => entries.sort(([left], [right]) => (left < right ? -1 : 1)));
}

type Entries = [key: string, value: unknown][];

function write(value: unknown, order: (entries: Entries) => Entries): string {
  if (typeof value === 'bigint') return value.toString();
  if (value instanceof ExactNumber) return value.text;
  if (Array.isArray(value)) return `[${value.map((item) => write(item, order)).join(',')}]`;
  if (typeof value === 'object' && value !== null) {
    const entries = order(Object.entries(value).filter(([, item]) => item !== undefined));
    return `{${entries.map(([key, item]) => `${JSON.stringify(key)}:${write(item, order)}`).join(',')}}`;
  }
  return JSON.stringify(value) ?? 'null';
}

/**
 * Parses JSON text as JSON.parse does, except that a number which JavaScript cannot hold comes
 * as an {@link ExactNumber}, so that a document number keeps all its digits. Throws a SyntaxError.
 */
export function parseExact(text: string): unknown {
  // What no number of this length or form is in, JSON.parse reads exactly.
  if (!/\d{16}|[\d.]{17}|\d[eE]/.test(text)) return JSON.parse(text);
  const mark = `${randomUUID()}:`;
  const marked = text.replace(/"[^"\\]*(?:\\.[^"\\]*)*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?/gs, (token) =>
    token.startsWith('"') || isHeld(token) ? token : `"${mark}${token}"`,
  );
  return JSON.parse(marked, (_, value: unknown) =>
    typeof value === 'string' && value.startsWith(mark) ? new ExactNumber(value.slice(mark.length)) : value,
  );
}

/** Whether a number is the one that it is read as. */
function isHeld(token: string): boolean {
  const number = Number(token);
  return Number.isFinite(number) && decimalOf(token) === decimalOf(String(number));
}

/** The same text for every way to write a decimal number. */
function decimalOf(token: string): string {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([-+]?\d+))?$/.exec(token) ?? [];
  const digits = `${whole}${fraction}`.replace(/^0+/, '');
  const significant = digits.replace(/0+$/, '');
  if (significant === '') return '0';
  return `${sign}${significant}e${Number(exponent) - fraction.length + digits.length - significant.length}`;
}

/** The value with numbers in the place of exact ones, for checks that know nothing else. */
export function withNumbers(value: unknown): unknown {
  if (value instanceof ExactNumber) return Number(value.text);
  if (Array.isArray(value)) return value.map(withNumbers);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withNumbers(item)]));
}

/**
 * The value as a step output: itself, or its JSON text with all digits where an exact number
 * is in it, since outputs are plain JSON values.
 */
export function asOutput(value: unknown): unknown {
  return holdsExact(value) ? toSortedJson(value) : value;
}

function holdsExact(value: unknown): boolean {
  if (value instanceof ExactNumber) return true;
  if (Array.isArray(value)) return value.some(holdsExact);
  return typeof value === 'object' && value !== null && Object.values(value).some(holdsExact);
}
