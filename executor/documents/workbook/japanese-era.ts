const eras: [from: number, name: string, letter: string, firstYear: number][] = [
  [43_586, '令和', 'R', 2019],
  [32_516, '平成', 'H', 1989],
  [9856, '昭和', 'S', 1926],
  [4595, '大正', 'T', 1912],
  [1, '明治', 'M', 1868],
];

/**
 * A date format with its Japanese era and year of it (`ggge"年"`) written in for a day,
 * counted from 1900; other formats as they are.
 */
export function japaneseEra(code: string, day: number): string {
  if (!/[ge]/i.test(code) || !/g/i.test(outsideQuotes(code))) return code;
  const era = eras.find(([from]) => day >= from);
  if (era === undefined) return code;
  const [, name, letter, firstYear] = era;
  const year = yearOf(day) - firstYear + 1;
  return code.replace(/"[^"]*"|\\.|\[[^\]]*\]|general|g+|e+/gi, (token) => {
    if (/^g{3,}$/i.test(token)) return `"${name}"`;
    if (/^g{2}$/i.test(token)) return `"${name[0]}"`;
    if (/^g$/i.test(token)) return `"${letter}"`;
    return /^e+$/i.test(token) ? `"${String(year).padStart(token.length, '0')}"` : token;
  });
}

function outsideQuotes(code: string): string {
  return code.replace(/"[^"]*"|\\.|\[[^\]]*\]|general/gi, '');
}

/** From the days that Excel counts: the 60th is a 29th of February that there was not. */
function yearOf(day: number): number {
  return new Date(Date.UTC(1899, 11, day < 61 ? 31 : 30) + Math.floor(day) * 86_400_000).getUTCFullYear();
}
