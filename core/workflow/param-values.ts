import { compilePattern, regexProblem } from './patterns.ts';
import type { Param } from './types.ts';

/** A value that fits its parameter, as the environment carries it; or why it does not, in a sentence about it. */
export type Coerced = { value: string } | { problem: string };

const trueWords = new Set(['1', 't', 'true']);
const falseWords = new Set(['0', 'f', 'false']);

/** Whether a text can be a parameter's value. Booleans become `true` or `false`; all else stays as it is written. */
export function coerceParam(param: Param, text: string): Coerced {
  const value = param.type === 'boolean' ? boolean(text) : text;
  if (value === undefined || !isOfType(param.type, value)) {
    return { problem: `cannot coerce "${text}" to ${param.type}` };
  }
  const problem = ruleProblem(param, value);
  return problem === undefined ? { value } : { problem };
}

function boolean(text: string): string | undefined {
  const word = text.toLowerCase();
  return trueWords.has(word) ? 'true' : falseWords.has(word) ? 'false' : undefined;
}

function isOfType(type: Param['type'], text: string): boolean {
  switch (type) {
    case 'integer':
      return /^[+-]?\d+$/.test(text);
    case 'number':
      return /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text);
    default:
      return true;
  }
}

function ruleProblem(param: Param, value: string): string | undefined {
  const shown = JSON.stringify(value);
  if (param.enum !== undefined && !param.enum.includes(value))
    return `${shown} must be one of: ${param.enum.join(', ')}`;
  if (param.type === 'integer' || param.type === 'number') {
    if (param.minimum !== undefined && Number(value) < param.minimum)
      return `${shown} must be at least ${param.minimum}`;
    if (param.maximum !== undefined && Number(value) > param.maximum)
      return `${shown} must be at most ${param.maximum}`;
    return undefined;
  }
  const length = [...value].length;
  if (param.minLength !== undefined && length < param.minLength) {
    return `${shown} must have at least ${param.minLength} characters`;
  }
  if (param.maxLength !== undefined && length > param.maxLength) {
    return `${shown} must have at most ${param.maxLength} characters`;
  }
  if (param.pattern !== undefined && !compilePattern(param.pattern).test(value)) {
    return `${shown} must match ${param.pattern}`;
  }
  return undefined;
}

/** Why a parameter's own rules cannot be: a pattern that is none, bounds that leave nothing. */
export function rulesProblem({ pattern, minimum, maximum, minLength, maxLength }: Param): string | undefined {
  const regex = pattern === undefined ? undefined : regexProblem(pattern);
  if (regex !== undefined) return regex;
  if (minimum !== undefined && maximum !== undefined && minimum > maximum) return 'minimum must not be above maximum';
  if (minLength !== undefined && maxLength !== undefined && minLength > maxLength) {
    return 'the least length must not be above the greatest';
  }
  return undefined;
}

/** A value in the type that its parameter has, for a check against a JSON Schema. */
export function typedValue(type: Param['type'] | undefined, value: string): string | number | boolean {
  if (type === 'boolean') return value === 'true';
  return type === 'integer' || type === 'number' ? Number(value) : value;
}
