import { normalise } from '../../native/normalise.ts';

/** Conversion of what an element shows to a field's type (spec: Extract binding). */

export type ScalarType = 'string' | 'number' | 'integer' | 'boolean';

/** A field's value, or why the text is none of its type. */
export type Converted = { value: string | number } | { miss: string };

export function convert(text: string, type: 'string' | 'number' | 'integer'): Converted {
  if (type === 'string') return { value: text.trim() };
  const value = readNumber(text);
  if (value === undefined) return { miss: `${JSON.stringify(text)} is not a number` };
  if (type === 'integer' && !Number.isInteger(value)) return { miss: `${JSON.stringify(text)} is not a whole number` };
  return { value };
}

/** Signs of less than nothing, as accounts in several countries write them. */
const minus = /^[-−‐‑–△▲]/;
const symbols = /\p{Sc}|円|元/gu;
const codes = new Set(Intl.supportedValuesOf('currency'));

/**
 * The number that a text shows, without grouping and currency symbols and whatever the
 * width of its digits. A mark that could be either is never guessed at: a comma groups
 * only before three digits, and is the decimal mark only where it cannot group.
 */
function readNumber(text: string): number | undefined {
  const bare = withoutCurrency(normalise(text));
  const negative = minus.test(bare);
  const digits = withoutCurrency(negative ? bare.slice(1) : bare.replace(/^\+/, ''));
  const plain = withoutGrouping(digits);
  if (plain === undefined) return undefined;
  const value = Number(plain);
  if (!Number.isFinite(value)) return undefined;
  return negative ? -value : value;
}

/** Without currency symbols, and without the code of a currency before or after the number. */
function withoutCurrency(text: string): string {
  const [, before, rest = ''] = /^([A-Z]{3})(.*)$/.exec(text) ?? [];
  if (before !== undefined && codes.has(before)) return rest.trim();
  const [, amount = '', after] = /^(.*\d)\s*([A-Z]{3})$/.exec(text) ?? [];
  if (after !== undefined && codes.has(after)) return amount;
  return text.replace(symbols, '').trim();
}

function withoutGrouping(text: string): string | undefined {
  const digits = text.replace(/(?<=\d)['’\s](?=\d{3}(?:\D|$))/g, '');
  if (/^\d+(?:\.\d+)?$|^\.\d+$/.test(digits)) return digits;
  if (/^\d{1,3}(?:,\d{2,3})*,\d{3}(?:\.\d+)?$/.test(digits)) return digits.replaceAll(',', '');
  if (/^\d{1,3}(?:\.\d{3})+,\d+$|^\d{1,3}(?:\.\d{3}){2,}$/.test(digits)) {
    return digits.replaceAll('.', '').replace(',', '.');
  }
  if (/^\d+,\d{1,2}$/.test(digits)) return digits.replace(',', '.');
  return undefined;
}
