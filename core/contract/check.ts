import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import type { Static, TSchema } from 'typebox';

/**
 * Settings of ajv for every schema of the product. Additional keywords are refused,
 * so that a typing error in a schema of ours shows at once.
 */
const settings = { strict: true, strictTypes: false, strictTuples: false, allowUnionTypes: true } as const;
const ajv = new Ajv2020({ ...settings, allErrors: false });

/** A value that came over a border (process, file, network) did not have the promised shape. */
export class InvalidValue extends Error {
  /** Where in the value, as a JSON pointer; empty for the value itself. */
  readonly path: string;

  constructor(what: string, path: string, reason: string) {
    super(path === '' ? `${what}: ${reason}` : `${what}: ${path} ${reason}`);
    this.name = 'InvalidValue';
    this.path = path;
  }
}

/**
 * Compiles a schema, at the first use, into a check that returns the value with
 * its type, or throws an {@link InvalidValue} that names `what` and the path in it.
 */
export function checker<S extends TSchema>(schema: S, what: string): (value: unknown) => Static<S> {
  let validate: ReturnType<typeof ajv.compile> | undefined;
  return (value) => {
    validate ??= ajv.compile(schema);
    if (validate(value)) return value as Static<S>;
    const error = (validate.errors ?? [])[0];
    throw new InvalidValue(what, error?.instancePath ?? '', error === undefined ? 'is not valid' : describe(error));
  };
}

/** One thing wrong with a value: where, as keys from the outside in, and what, in words. */
export interface ValueProblem {
  path: (string | number)[];
  message: string;
}

/**
 * Compiles a schema into a check that tells everything that is wrong with a value, one
 * problem a place. A schema's `description`, where it has one, completes the sentence
 * "X must be …", so that a choice between shapes fails in words and not in parts.
 */
export function problemFinder(schema: TSchema): (value: unknown) => ValueProblem[] {
  let validate: ReturnType<typeof ajv.compile> | undefined;
  return (value) => {
    validate ??= thoroughAjv.compile(schema);
    if (validate(value)) return [];
    return onePerPlace(validate.errors ?? []);
  };
}

const thoroughAjv = new Ajv2020({ ...settings, allErrors: true, verbose: true });

/**
 * A choice between shapes fails as a whole, with what each shape missed beside it. Where
 * one of them got further into the value, its error there is the better answer; else it is
 * the choice itself.
 */
function onePerPlace(errors: ErrorObject[]): ValueProblem[] {
  const inside = (error: ErrorObject, place: string) => error.instancePath.startsWith(`${place}/`);
  const choices = errors.filter(({ keyword }) => keyword === 'anyOf').map(({ instancePath }) => instancePath);
  const isTold = (error: ErrorObject) => {
    if (errors.some((other) => choices.includes(error.instancePath) && inside(other, error.instancePath))) return false;
    return error.keyword === 'anyOf' || !choices.includes(error.instancePath);
  };
  const seen = new Set<string>();
  const problems: ValueProblem[] = [];
  for (const error of errors.filter(isTold)) {
    const problem = { path: pointerKeys(error.instancePath), message: describe(error) };
    const key = JSON.stringify(error.keyword === 'required' ? problem : problem.path);
    if (!seen.has(key)) problems.push(problem);
    seen.add(key);
  }
  return problems;
}

function pointerKeys(pointer: string): (string | number)[] {
  if (pointer === '') return [];
  return pointer
    .slice(1)
    .split('/')
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .map((part) => (/^\d+$/.test(part) ? Number(part) : part));
}

function describe(error: ErrorObject): string {
  const { keyword, params, parentSchema } = error;
  if (keyword === 'additionalProperties') return `must not have the key "${String(params.additionalProperty)}"`;
  if (keyword === 'required') return `must have the key "${String(params.missingProperty)}"`;
  const wanted = parentSchema?.description;
  if (typeof wanted === 'string') {
    const name = pointerKeys(error.instancePath).findLast((key) => typeof key === 'string') ?? 'it';
    return `${name} must be ${wanted}`;
  }
  if (keyword === 'enum') {
    return `must be one of ${(params.allowedValues as unknown[]).map((value) => JSON.stringify(value)).join(', ')}`;
  }
  if (keyword === 'anyOf') return 'has a form that is not known here';
  return error.message ?? 'is not valid';
}
