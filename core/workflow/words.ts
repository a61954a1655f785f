/**
 * The words of a text, as a person writes them in one line: parted by blanks, those in
 * quotes together, also after `NAME=`. Inside double quotes `\"` and `\\` are the
 * character; elsewhere a backslash is itself, as paths of Windows have it.
 */
export function splitWords(text: string): string[] {
  const words: string[] = [];
  const word = /(?:[^\s"']+|"((?:[^"\\]|\\.)*)"|'([^']*)'|["'])+/gs;
  const part = /"((?:[^"\\]|\\.)*)"|'([^']*)'|([^"']+|["'])/gs;
  for (const [written] of text.matchAll(word)) {
    words.push(
      [...written.matchAll(part)]
        .map(([, double, single, plain = '']) => double?.replaceAll(/\\(["\\])/g, '$1') ?? single ?? plain)
        .join(''),
    );
  }
  return words;
}

/** A word in quotes where it needs them, so that {@link splitWords} gives it back. */
export function quoteWord(word: string): string {
  if (/^[^\s"']+$/.test(word)) return word;
  return word.includes("'") ? `"${word.replaceAll(/["\\]/g, '\\$&')}"` : `'${word}'`;
}
