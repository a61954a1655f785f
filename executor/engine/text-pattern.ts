import { compilePattern } from '../../core/workflow/patterns.ts';
import { StepError } from '../action.ts';

/** Tells whether a text is as a workflow file expects it. */
export type TextPattern = (text: string) => boolean;

/** What begins an expectation that is a regular expression. */
const regexMark = 're:';

/**
 * Reads an expectation of a workflow file: `re:` begins a regular expression that a text must
 * match somewhere, anything else is compared by `literal`. Throws a {@link StepError} for an
 * expression that cannot be read.
 */
export function textPattern(expected: string, literal: (text: string, expected: string) => boolean): TextPattern {
  if (!expected.startsWith(regexMark)) return (text) => literal(text, expected);
  const regex = readRegex(expected.slice(regexMark.length));
  return (text) => regex.test(text);
}

function readRegex(source: string): RegExp {
  try {
    return compilePattern(source);
  } catch (error) {
    throw new StepError(`"${regexMark}${source}" is not a regular expression: ${(error as Error).message}`);
  }
}
