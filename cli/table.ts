import stringWidth from 'string-width';

/** Rows in columns as wide as a terminal shows them, two blanks between. */
export function table(rows: string[][]): string {
  const widths: number[] = [];
  for (const row of rows)
    for (const [at, cell] of row.entries()) widths[at] = Math.max(widths[at] ?? 0, stringWidth(cell));
  const padded = (cell: string, at: number) => cell + ' '.repeat((widths[at] ?? 0) - stringWidth(cell));
  return rows
    .map((row) => `${row.map((cell, at) => (at === row.length - 1 ? cell : padded(cell, at))).join('  ')}\n`)
    .join('');
}
