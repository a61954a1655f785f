/** Signs of symbol fonts that say something, by the low byte of their code. */
const fonts: Record<string, Record<number, string>> = {
  wingdings: {
    111: '☐',
    113: '☐',
    159: '•',
    167: '•',
    168: '☐',
    223: '←',
    224: '→',
    251: '✗',
    252: '✓',
    253: '☒',
    254: '☑',
  },
  'wingdings 2': { 79: '✗', 80: '✓', 81: '☒', 82: '☑', 83: '☒', 84: '☒', 163: '☐', 42: '☐' },
  symbol: { 163: '≤', 176: '°', 177: '±', 179: '≥', 180: '×', 183: '•', 184: '÷', 185: '≠', 174: '→' },
};

/** A sign of a symbol font as a letter that everybody has; `[symbol]` for one that is not known. */
export function symbolText(font: string, code: string): string {
  const known = fonts[font.toLowerCase()] ?? {};
  return known[Number.parseInt(code, 16) & 0xff] ?? '[symbol]';
}
