/**
 * Whether a field shows what was typed into it (spec: Elements): just the text, as typed
 * or with separators and symbols that the field inserts, every typed character kept in
 * order and no letter, digit, decimal point, or hyphen added, but a hyphen right after a
 * digit.
 */
export function showsTyped(shown: string, typed: string): boolean {
  const field = [...lines(shown)];
  const text = [...lines(typed)];
  // kept[i]: the first i typed characters can stand in what was read so far.
  let kept = new Set([0]);
  for (const [position, character] of field.entries()) {
    const next = new Set<number>();
    const insertable = mayBeInserted(character, field[position - 1]);
    for (const count of kept) {
      if (text[count] === character) next.add(count + 1);
      if (insertable) next.add(count);
    }
    kept = next;
  }
  return kept.has(text.length);
}

function lines(text: string): string {
  return text.replace(/\r\n?/g, '\n');
}

function mayBeInserted(character: string, before: string | undefined): boolean {
  if (/[-‐‑－−]/u.test(character)) return before !== undefined && /\p{Nd}/u.test(before);
  return !/[\p{L}\p{M}\p{N}.．]/u.test(character);
}

/** A field that shows a mark for each character, as a password field does, cannot be read back. */
export function isMaskedText(shown: string): boolean {
  return shown !== '' && /^[•●*＊∙⬤]+$/u.test(shown);
}
