import type { ParamField } from '../core/contract/workflow-file.ts';
import type { PageTexts } from './texts.ts';

/**
 * What is wrong with a value of a parameter, for its reader; nothing where it may be given. An
 * empty value is one that is not given: the parameter's default holds then.
 */
export function paramProblem(param: ParamField, value: string, { words, formats }: PageTexts): string | undefined {
  const { form } = words;
  if (value === '') return param.required && param.default === undefined ? form.missing : undefined;
  if (param.type === 'integer' || param.type === 'number') {
    const number = Number(value);
    if (value.trim() === '' || !Number.isFinite(number)) return form.notNumber;
    if (param.type === 'integer' && !Number.isInteger(number)) return form.notInteger;
    if (param.minimum !== undefined && number < param.minimum) return form.atLeast(formats.number(param.minimum));
    if (param.maximum !== undefined && number > param.maximum) return form.atMost(formats.number(param.maximum));
    return undefined;
  }
  const length = [...value].length;
  if (param.minLength !== undefined && length < param.minLength) return form.longer(formats.number(param.minLength));
  if (param.maxLength !== undefined && length > param.maxLength) return form.shorter(formats.number(param.maxLength));
  return param.pattern !== undefined && !matches(param.pattern, value) ? form.pattern(param.pattern) : undefined;
}

/** The values that differ from the defaults, as a start takes them. */
export function givenValues(
  params: readonly ParamField[],
  values: Readonly<Record<string, string>>,
): Record<string, string> {
  return Object.fromEntries(
    params
      .map(({ name, default: standard = '' }) => [name, values[name] ?? standard, standard] as const)
      .filter(([, value, standard]) => value !== '' && value !== standard)
      .map(([name, value]) => [name, value]),
  );
}

/** A pattern that this program does not know is left for the start to check. */
function matches(pattern: string, value: string): boolean {
  try {
    return new RegExp(pattern, 'u').test(value);
  } catch (error) {
    if (error instanceof SyntaxError) return true;
    throw error;
  }
}
