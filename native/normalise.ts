/**
 * How names, labels, titles and checked texts are compared (spec: Elements): full-width
 * characters as half-width ones, half-width katakana as full-width ones, runs of
 * whitespace as one space, and a label without its trailing colon.
 */

/** A text in the form in which it is compared. */
export function normalise(text: string): string {
  return collapse(fold(text)).trim();
}

/** A label's text in the form in which it is compared. */
export function normaliseLabel(text: string): string {
  return normalise(text).replace(/ ?:$/, '');
}

/** Whether `text` contains `part`, both in the form in which they are compared. */
export function containsText(text: string, part: string): boolean {
  return normalise(text).includes(normalise(part));
}

/**
 * Stands for a `*` that is meant as itself in a pattern: a code point that Unicode keeps
 * for a program's own use, so no text holds it.
 */
const literalStar = '\uFDD0';

/** A value made safe to stand in a pattern: its `*` match only themselves. */
export function literalPattern(value: string): string {
  return value.replaceAll('*', literalStar).replaceAll('＊', literalStar);
}

/** A pattern as a person reads it. */
export function showPattern(pattern: string): string {
  return pattern.replaceAll(literalStar, '*');
}

/**
 * A test of whole texts against a pattern in which `*` stands for any run of characters.
 * With `anywhere` a text matches as well when the pattern matches a part of it.
 */
export function patternTest(pattern: string, { anywhere }: { anywhere: boolean }): (text: string) => boolean {
  const pieces = pattern.split('*').map((piece) => collapse(fold(piece)).replaceAll(literalStar, '*'));
  const first = pieces.shift() ?? '';
  const last = pieces.pop();
  const head = first.trimStart();
  if (last === undefined) {
    const wanted = head.trimEnd();
    return (text) => (anywhere ? normalise(text).includes(wanted) : normalise(text) === wanted);
  }
  return (text) => matchPieces(normalise(text), head, pieces, last.trimEnd(), anywhere);
}

/** Finds the pieces in order, each as early as it can be; the ends are fixed unless `anywhere`. */
function matchPieces(text: string, head: string, middle: string[], tail: string, anywhere: boolean): boolean {
  if (!anywhere && !text.startsWith(head)) return false;
  let from = anywhere ? text.indexOf(head) + head.length : head.length;
  if (from < head.length) return false;
  for (const piece of middle) {
    const at = text.indexOf(piece, from);
    if (at < 0) return false;
    from = at + piece.length;
  }
  return anywhere ? text.indexOf(tail, from) >= 0 : text.length - tail.length >= from && text.endsWith(tail);
}

function fold(text: string): string {
  return text
    .normalize('NFC')
    .replace(/[\uFF01-\uFF5E]/g, (character) => String.fromCharCode(character.charCodeAt(0) - 0xfee0))
    .replace(/[\uFF61-\uFF9F]+/g, (run) => run.normalize('NFKC'))
    .replace(/[\uFFE0-\uFFE6]/g, (character) => '¢£¬¯¦¥₩'.charAt(character.charCodeAt(0) - 0xffe0));
}

function collapse(text: string): string {
  return text.replace(/\s+/g, ' ');
}
