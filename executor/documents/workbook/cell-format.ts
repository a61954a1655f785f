import { format, isDateFormat } from 'numfmt';
import { japaneseEra } from './japanese-era.ts';

/** Shows a cell's number. */
export type ShowNumber = (value: number) => string;

/**
 * A number as people see it in a cell of a number format. Days count from 1904 or, with
 * 1900's 29th of February, which Excel has, from 1900. What the format hides is empty;
 * a format that nobody can follow gives the number itself.
 */
export function numberFormat(code: string | undefined, from1904: boolean): ShowNumber {
  // The General format rounds to what fits a narrow cell, which would cut long numbers.
  if (code === undefined || /^(?:general|@|standard)?$/i.test(code)) return plainNumber;
  if (!isFollowable(code)) return plainNumber;
  if (!isDateFormat(code)) {
    const pattern = withoutLanguage(code);
    // Space is left for signs that other numbers of the column have.
    return (value) => format(pattern, value).trim();
  }
  const isElapsed = /\[(?:h+|m+|s+)\]/i.test(code);
  const unit = /s\.0/i.test(code) ? 86_400_000 : 86_400;
  return (value) => {
    const day = from1904 && !isElapsed ? value + 1462 : value;
    // Binary noise must not end in a minute, or a day, too early.
    const serial = Math.round(day * unit) / unit;
    if (serial < 0 || serial >= 2_958_466) return plainNumber(value);
    return format(japaneseEra(code, serial), serial);
  };
}

/** A number with the fifteen digits that Excel itself keeps; the rest is binary noise. */
export function plainNumber(value: number): string {
  if (Number.isSafeInteger(value)) return String(value);
  const [digits = '', exponent] = value.toPrecision(15).split('e');
  if (exponent === undefined) return digits.includes('.') ? digits.replace(/\.?0+$/, '') : digits;
  const isLong = Math.abs(value) < 1e21 && Math.abs(value) >= 1;
  return isLong ? BigInt(Math.round(value)).toString() : String(Number(`${digits}e${exponent}`));
}

function isFollowable(code: string): boolean {
  try {
    format(code, 1);
    return true;
  } catch {
    return false; // numfmt throws what it is about a format that is none
  }
}

/** A currency's language would choose the signs between digits, which differ within one sheet then. */
function withoutLanguage(code: string): string {
  return code.replace(/\[\$([^\]-]*)-[^\]]*\]/g, (_, sign: string) => (sign === '' ? '' : `"${sign}"`));
}
