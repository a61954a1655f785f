import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import type { Static, TSchema } from 'typebox';

/**
 * One ajv for every schema of the product. Additional keywords are refused so
 * that a typing error in a schema of ours shows at once.
 */
const ajv = new Ajv2020({
  allErrors: false,
  strict: true,
  strictTypes: false,
  strictTuples: false,
  allowUnionTypes: true,
});

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
    throw new InvalidValue(what, error?.instancePath ?? '', describe(error));
  };
}

function describe(error: ErrorObject | undefined): string {
  if (error === undefined) return 'is not valid';
  if (error.keyword === 'additionalProperties') {
    return `must not have the key "${String(error.params.additionalProperty)}"`;
  }
  if (error.keyword === 'enum') {
    return `must be one of ${(error.params.allowedValues as unknown[]).map((value) => JSON.stringify(value)).join(', ')}`;
  }
  return error.message ?? 'is not valid';
}
