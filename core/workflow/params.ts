import type { Workflow } from './types.ts';

/** A parameter as it was given at a start: by name, or by its place where it has none. */
export interface GivenParam {
  name?: string;
  value: string;
}

/** What was given does not fit the parameters that the workflow declares. */
export class ParamError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ParamError';
  }
}

/** Reads `NAME=value` or a value alone, as the command line takes them. */
export function parseParam(text: string): GivenParam {
  const named = /^([A-Za-z][A-Za-z0-9_]*)=([\s\S]*)$/.exec(text);
  return named === null ? { value: text } : { name: named[1] as string, value: named[2] as string };
}

/**
 * The value of every declared parameter. Throws a {@link ParamError} for one that is not
 * declared, given twice, or required and missing.
 */
export function resolveParams(workflow: Workflow, given: readonly GivenParam[]): Record<string, string> {
  const declared = workflow.params;
  const values: Record<string, string> = {};
  const isGiven = (name: string) => Object.hasOwn(values, name);
  const names = declared.map(({ name }) => name).join(', ') || 'none';
  const positional = given.filter(({ name }) => name === undefined);
  if (positional.length > declared.length) {
    throw new ParamError(`too many positional params: expected at most ${declared.length}, got ${positional.length}`);
  }
  for (const [index, { value }] of positional.entries()) values[declared[index]?.name as string] = value;
  for (const { name, value } of given) {
    if (name === undefined) continue;
    if (!declared.some((param) => param.name === name)) {
      throw new ParamError(`unknown parameter "${name}" (parameters of this workflow: ${names})`);
    }
    if (isGiven(name)) throw new ParamError(`parameter "${name}" is given twice`);
    values[name] = value;
  }
  for (const param of declared) {
    if (isGiven(param.name)) continue;
    if (param.required) throw new ParamError(`parameter "${param.name}" is required; give it as ${param.name}=value`);
    values[param.name] = param.default ?? '';
  }
  return values;
}
