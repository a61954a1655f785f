import { StepError } from '../action.ts';

/** A text cut at its commands, `$(…)` or in backticks. */
export type SubstitutionPiece = { text: string } | { command: string };

/** Cuts a text at the commands whose output stands in their place. Throws a {@link StepError} for one without an end. */
export function substitutionsIn(text: string): SubstitutionPiece[] {
  const pieces: SubstitutionPiece[] = [];
  let from = 0;
  for (const { index } of text.matchAll(/\$\(|`/g)) {
    if (index < from) continue;
    const isBacktick = text[index] === '`';
    const start = index + (isBacktick ? 1 : 2);
    const end = isBacktick ? endOfBackticks(text, start) : endOfParentheses(text, start);
    if (end === undefined)
      throw new StepError(`the condition "${text}" has a ${isBacktick ? '`' : '$('} without its end`);
    const command = text.slice(start, end);
    pieces.push({ text: text.slice(from, index) });
    pieces.push({ command: isBacktick ? command.replaceAll(/\\([\\`$])/g, '$1') : command });
    from = end + 1;
  }
  pieces.push({ text: text.slice(from) });
  return pieces;
}

function endOfBackticks(text: string, start: number): number | undefined {
  const end = /(?:[^\\`]|\\[\s\S])*/y;
  end.lastIndex = start;
  end.exec(text);
  return text[end.lastIndex] === '`' ? end.lastIndex : undefined;
}

/** Parentheses in quotes do not count; an escaped character is itself. */
function endOfParentheses(text: string, start: number): number | undefined {
  const part = /'[^']*'|"(?:[^"\\]|\\[\s\S])*"|\\[\s\S]|[\s\S]/g;
  part.lastIndex = start;
  let open = 1;
  for (let match = part.exec(text); match !== null; match = part.exec(text)) {
    if (match[0] === '(') open += 1;
    if (match[0] === ')') open -= 1;
    if (open === 0) return match.index;
  }
  return undefined;
}
