import type { ValueProblem } from '../contract/problems.ts';
import { parseDuration } from './durations.ts';
import type { FieldPath, Json, Problem } from './types.ts';

/** Checks of single values that the parts of a computer step share. */

/** How much the model decides, as a step or an operation writes it (spec: How much AI decides). */
export interface ModelChoice {
  ai?: 'every_run' | 'on_miss' | 'never';
  cache?: boolean;
}

/** The choice that holds for an operation of a step. */
export function modelChoice(operation: ModelChoice, step: ModelChoice): 'every_run' | 'on_miss' | 'never' {
  for (const { ai, cache } of [operation, step]) {
    if (ai !== undefined) return ai;
    if (cache === false) return 'every_run';
  }
  return 'on_miss';
}

/** A schema's problems in one value, each told with the place as a person writes it; `whole` names the value itself. */
export function shapeProblems(
  find: (value: unknown) => ValueProblem[],
  value: unknown,
  path: FieldPath,
  where: string,
  whole = 'with',
): Problem[] {
  return find(value).map((problem) => {
    const name = [where, dotted(problem.path)].filter((part) => part !== '').join('.') || whole;
    // A described schema begins its message with the field's own name.
    const message = problem.message.replace(/^\S+ (?=must be )/, '');
    return { path: [...path, ...problem.path], message: `${name} ${message}` };
  });
}

function dotted(path: FieldPath): string {
  return path
    .map((key) => (typeof key === 'number' ? `[${key}]` : `.${key}`))
    .join('')
    .replace(/^\./, '');
}

/** A problem when the value is a text, holds no reference, and is no duration above 0. */
export function durationProblem(value: Json | undefined, name: string, example: string, path: FieldPath): Problem[] {
  if (typeof value !== 'string' || value.includes('$') || (parseDuration(value) ?? 0) > 0) return [];
  return [{ path, message: `${name} ${JSON.stringify(value)} must be a duration such as ${example}` }];
}

/** The same for a duration that may be 0; `zero` says what 0 does. */
export function zeroDurationProblem(
  value: Json | undefined,
  name: string,
  example: string,
  zero: string,
  path: FieldPath = [name],
): Problem[] {
  if (typeof value !== 'string' || value.includes('$') || (parseDuration(value) ?? -1) >= 0) return [];
  return [{ path, message: `${name} ${JSON.stringify(value)} must be a duration such as ${example}, or 0 to ${zero}` }];
}
