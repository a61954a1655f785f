/** Excel's own short date: people see it in their system's way, so it is written unambiguously. */
const systemDate = /^(?:mm-dd-yy|m\/d\/yy|)$/i;

/**
 * A date as Excel's number format shows it. Formats that follow the reader's system, and
 * those with parts other than numbers of day, month, year, hour, minute and second, give
 * `2026-03-05` or `2026-03-05 14:30`. The date's UTC fields are what the cell holds.
 */
export function formatDate(date: Date, format: string): string {
  if (Number.isNaN(date.getTime())) return '';
  const code = format
    .replace(/\[[^\]]*\]/g, '')
    .split(';')[0]
    ?.replace(
      /\\(.)|"([^"]*)"/g,
      (_, escaped: string | undefined, quoted: string | undefined) => escaped ?? quoted ?? '',
    );
  if (
    code === undefined ||
    systemDate.test(code) ||
    /([dmhs])\1\1/i.test(code) ||
    !/^(?:d{1,2}|m{1,2}|y{2}|y{4}|h{1,2}|s{1,2}|[-/.,: 年月日時分秒])+$/i.test(code)
  ) {
    return isoText(date);
  }
  return code.replace(/([dmyhs])\1*/gi, (token, letter: string, at: number) => {
    const isMinutes =
      letter.toLowerCase() === 'm' &&
      (/h[^a-z]*$/i.test(code.slice(0, at)) || /^[^a-z]*s/i.test(code.slice(at + token.length)));
    const value = isMinutes ? date.getUTCMinutes() : part(date, letter.toLowerCase());
    const text = String(value).padStart(token.length, '0');
    return letter.toLowerCase() === 'y' && token.length === 2 ? text.slice(-2) : text;
  });
}

function part(date: Date, letter: string): number {
  switch (letter) {
    case 'd':
      return date.getUTCDate();
    case 'm':
      return date.getUTCMonth() + 1;
    case 'y':
      return date.getUTCFullYear();
    case 'h':
      return date.getUTCHours();
    default:
      return date.getUTCSeconds();
  }
}

function isoText(date: Date): string {
  const [day = '', time = ''] = date.toISOString().slice(0, 19).split('T');
  if (time === '00:00:00') return day;
  return `${day} ${time.endsWith(':00') ? time.slice(0, 5) : time}`;
}
