import type { Precondition } from '../../core/workflow/types.ts';
import { StepError } from '../action.ts';
import type { InvocationParts } from './invocation.ts';
import { type CommandPlace, exitCodeOf, runCommand } from './shell.ts';
import { substitutionsIn } from './substitutions.ts';
import { textPattern } from './text-pattern.ts';

/** What conditions are checked with: those of a step as its commands run, those of a workflow as its steps do. */
export interface ConditionPlace {
  parts: InvocationParts;
  /** What the conditions' commands write goes to its outputs. */
  command: CommandPlace;
}

/**
 * Looks whether all conditions are met, one after another. Gives why the first that is not
 * met is not, in words, or `undefined`. Throws a {@link StepError} where a condition cannot
 * be evaluated, and the signal's reason when it was stopped.
 *
 * A condition alone is a command, met by exit code 0. Beside `expected` it is a text: a
 * condition is met when a line of it is as expected, blanks around it aside. Values of
 * references are data in both.
 */
export async function whyNotMet(
  preconditions: readonly Precondition[],
  place: ConditionPlace,
): Promise<string | undefined> {
  for (const precondition of preconditions) {
    const { condition, expected, negate } = precondition;
    if (expected === undefined) {
      const code = await exitCode(condition, place);
      if ((code === 0) === negate) return `the precondition ${quoted(condition, negate)} ended with exit code ${code}`;
      continue;
    }
    const value = await textOf(precondition, place);
    const isExpected = textPattern(expected, (line, literal) => line === literal.trim());
    const lines = value.split(/\r?\n/).map((line) => line.trim());
    if (lines.some(isExpected) === negate) {
      return `the precondition ${quoted(condition, negate)} is ${JSON.stringify(value)}, where ${negate ? 'anything but ' : ''}${JSON.stringify(expected)} is expected`;
    }
  }
  return undefined;
}

function quoted(condition: string, negate: boolean): string {
  return `${negate ? 'not ' : ''}"${condition}"`;
}

async function exitCode(condition: string, { parts, command }: ConditionPlace): Promise<number> {
  return exitCodeOf(await runCommand(condition, parts, command));
}

async function textOf({ condition, substitutes }: Precondition, place: ConditionPlace): Promise<string> {
  const { expand } = place.parts;
  if (!substitutes) return expand(condition).trim();
  const pieces: string[] = [];
  for (const piece of substitutionsIn(condition)) {
    pieces.push('text' in piece ? expand(piece.text) : await outputOf(piece.command, place));
  }
  return pieces.join('').trim();
}

/** What a command prints, without line ends behind it, as a shell puts it in its place. */
async function outputOf(text: string, { parts, command }: ConditionPlace): Promise<string> {
  const chunks: Buffer[] = [];
  const code = exitCodeOf(await runCommand(text, parts, { ...command, stdout: (chunk) => chunks.push(chunk) }));
  if (code !== 0) throw new StepError(`the command "${text}" of a precondition ended with exit code ${code}`);
  return Buffer.concat(chunks)
    .toString('utf8')
    .replace(/[\r\n]+$/, '');
}
