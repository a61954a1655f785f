import { randomUUID } from 'node:crypto';
import { isObject } from '../../core/workflow/json.ts';
import { toSortedJson } from '../json.ts';

/**
 * Parses JSON text as JSON.parse does, except that an integer too large for a number
 * comes as a bigint, so that a document number keeps all its digits. Throws a SyntaxError.
 */
export function parseExact(text: string): unknown {
  const mark = `${randomUUID()}:`;
  const marked = text.replace(/"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?/g, (token) =>
    /^-?\d{16,}$/.test(token) && !Number.isSafeInteger(Number(token)) ? `"${mark}${token}"` : token,
  );
  return JSON.parse(marked, (_, value: unknown) =>
    typeof value === 'string' && value.startsWith(mark) ? BigInt(value.slice(mark.length)) : value,
  );
}

/** The value with its bigints as numbers, for checks that know no bigints. */
export function withNumbers(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value);
  if (Array.isArray(value)) return value.map(withNumbers);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withNumbers(item)]));
}

/**
 * The value as a step output: itself, or its exact JSON text where a bigint is in it,
 * since outputs are JSON values.
 */
export function asOutput(value: unknown): unknown {
  return holdsBigint(value) ? toSortedJson(value) : value;
}

function holdsBigint(value: unknown): boolean {
  if (typeof value === 'bigint') return true;
  if (Array.isArray(value)) return value.some(holdsBigint);
  return isObject(value) && Object.values(value).some(holdsBigint);
}
