import { type GivenParam, parseParam } from '../core/workflow/params.ts';
import { UsageError } from './output.ts';

/** A blank; text in double or in single quotes; text without; a quote that nothing closes. */
const part = /\s+|"(?:\\.|[^"\\])*"|'[^']*'|[^\s"']+|["']/gs;

/**
 * Cuts `A=1 B="two words" plain` at its blanks. Quotes keep a value together: in double
 * ones `\"` and `\\` stand for `"` and `\`, in single ones all is as it is written.
 */
export function splitParams(text: string): GivenParam[] {
  const words: string[] = [];
  let word: string | undefined;
  for (const { 0: found, index } of text.matchAll(part)) {
    if (found === '"' || found === "'") {
      throw new UsageError(`--params: the quote that begins at ${excerpt(text.slice(index))} is not closed`);
    }
    if (/^\s/.test(found)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else word = (word ?? '') + unquoted(found);
  }
  if (word !== undefined) words.push(word);
  return words.map(parseParam);
}

function unquoted(found: string): string {
  if (found.startsWith('"')) return found.slice(1, -1).replaceAll(/\\(["\\])/g, '$1');
  return found.startsWith("'") ? found.slice(1, -1) : found;
}

/** The beginning of a text, on one line. */
function excerpt(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ');
  return line.length > 30 ? `${line.slice(0, 30)}…` : line;
}
