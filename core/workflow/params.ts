import { isObject } from './json.ts';
import { compileSchema } from './output-schema.ts';
import { coerceParam, typedValue } from './param-values.ts';
import type { Json, JsonObject, Param, Workflow } from './types.ts';
import { splitWords } from './words.ts';

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

/** Reads several parameters in one text: words as {@link parseParam} takes them, or a JSON object of names and values. */
export function parseParams(text: string): GivenParam[] {
  const trimmed = text.trim();
  if (/^\{[\s\S]*\}$/.test(trimmed)) {
    try {
      const value: unknown = JSON.parse(trimmed);
      if (isObject(value)) return givenParams(value);
    } catch {
      // Words that begin with a brace are words.
    }
  }
  return splitWords(text).map(parseParam);
}

/**
 * Parameters for a sub-workflow as a file gives them once its references are resolved
 * (decision of `dag.run`): a map of names and values, a list of texts and such maps, or a
 * text. A value that is no scalar is passed as JSON.
 */
export function givenParams(params: Json | undefined): GivenParam[] {
  if (params === undefined || params === null) return [];
  if (typeof params === 'string') return parseParams(params);
  if (Array.isArray(params)) {
    return params.flatMap((entry) =>
      typeof entry === 'string'
        ? [parseParam(entry)]
        : isObject(entry)
          ? givenParams(entry)
          : [{ value: textOf(entry) }],
    );
  }
  if (typeof params === 'object')
    return Object.entries(params).map(([name, value]) => ({ name, value: textOf(value) }));
  return [{ value: textOf(params) }];
}

function textOf(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/**
 * The value of every declared parameter, as text. A positional one has its place as name;
 * one that was given by its default word has that name, too. Throws a {@link ParamError}
 * for one that is not declared, given twice, required and missing, or whose value does not fit.
 */
export function resolveParams(
  workflow: Pick<Workflow, 'params' | 'paramsSchema'>,
  given: readonly GivenParam[],
): Record<string, string> {
  const declared = workflow.params;
  const values = new Map<string, string>();
  const positional = given.filter(({ name }) => name === undefined);
  if (positional.length > declared.length) {
    throw new ParamError(`too many positional params: expected at most ${declared.length}, got ${positional.length}`);
  }
  const others = new Map<string, string>();
  for (const [index, { value }] of positional.entries()) {
    const param = declared[index] as Param;
    values.set(param.name, value);
    const alias = aliasOf(param);
    if (alias !== undefined) others.set(alias, value);
  }
  for (const { name, value } of given) {
    if (name === undefined) continue;
    const param = find(declared, name);
    if (param === undefined && workflow.paramsSchema?.additionalProperties !== true) throw unknown(name, declared);
    if (values.has(param?.name ?? name) || others.has(name)) throw new ParamError(`parameter "${name}" is given twice`);
    if (param !== undefined) values.set(param.name, value);
    if (param?.name !== name) others.set(name, value);
  }
  const resolved = declared.map((param): [string, string] => [param.name, finalValue(param, values.get(param.name))]);
  // What is neither given nor has a default is not there for the schema.
  const isThere = ({ name, default: initial }: Param) => values.has(name) || initial !== undefined;
  const absent = new Set(declared.filter((param) => !isThere(param)).map(({ name }) => name));
  if (workflow.paramsSchema !== undefined) {
    checkSchema(
      workflow.paramsSchema,
      declared,
      [...resolved, ...others].filter(([name]) => !absent.has(name)),
    );
  }
  return Object.fromEntries([...resolved, ...others]);
}

/** The parameter of a name; a positional one may also be named by the word that is its default. */
function find(declared: readonly Param[], name: string): Param | undefined {
  return declared.find((param) => param.name === name) ?? declared.find((param) => aliasOf(param) === name);
}

/** The word that stands for a positional parameter in the file, where it can be a name. */
function aliasOf(param: Param): string | undefined {
  return isPositional(param) && /^[A-Za-z][A-Za-z0-9_]*$/.test(param.default ?? '') ? param.default : undefined;
}

/** Whether a parameter has a place and no name. */
export function isPositional({ name }: Param): boolean {
  return /^\d+$/.test(name);
}

function unknown(name: string, declared: readonly Param[]): ParamError {
  const names = declared.map((param) => (isPositional(param) ? `$${param.name}` : param.name)).join(', ') || 'none';
  return new ParamError(`unknown parameter "${name}" (parameters of this workflow: ${names})`);
}

function finalValue(param: Param, given: string | undefined): string {
  if (given === undefined && param.required) {
    throw new ParamError(`parameter "${param.name}" is required; give it as ${param.name}=value`);
  }
  // A parameter that is not required, not given and has no default is empty, whatever its type.
  if (given === undefined && param.default === undefined) return '';
  const coerced = coerceParam(param, given ?? param.default ?? '');
  if ('problem' in coerced) throw new ParamError(`parameter "${param.name}": ${coerced.problem}`);
  return coerced.value;
}

function checkSchema(schema: JsonObject, declared: readonly Param[], values: readonly [string, string][]): void {
  const types = new Map(declared.map(({ name, type }) => [name, type]));
  const typed = values.map(([name, value]) => [name, typedValue(types.get(name), value)]);
  const problem = compileSchema(schema, 'the parameters')(Object.fromEntries(typed));
  if (problem !== undefined) throw new ParamError(problem);
}
