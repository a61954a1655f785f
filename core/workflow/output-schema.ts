import type { ErrorObject, ValidateFunction } from 'ajv';
import type { Ajv2020 } from 'ajv/dist/2020.js';
import { authorAjv } from './author-ajv.ts';
import { isObject } from './json.ts';
import type { JsonObject } from './types.ts';

/** The top-level properties that an object schema lists; none where it is not an object schema. */
export function listedProperties(schema: JsonObject | undefined): string[] {
  return isObject(schema?.properties) ? Object.keys(schema.properties) : [];
}

/**
 * Why a schema cannot describe an object of named values, in a sentence about
 * `subject`; undefined when it can.
 */
export function schemaProblem(schema: JsonObject, subject: string): string | undefined {
  if (schema.type !== 'object') return `${subject} must declare type: object`;
  const listed = listedProperties(schema);
  if (listed.length === 0) return `${subject} must list at least one property`;
  const required = schema.required ?? [];
  if (!Array.isArray(required)) return `${subject} must give required as a list of property names`;
  const unlisted = required.find((name) => typeof name !== 'string' || !listed.includes(name));
  if (unlisted !== undefined) {
    return `a required property must be listed in properties; ${subject} does not list ${JSON.stringify(unlisted)}`;
  }
  const problem = invalidSchema(schema);
  return problem === undefined ? undefined : `${subject} is not a valid JSON Schema: ${problem}`;
}

const sayings = new WeakMap<JsonObject, { problem?: string }>();
let checking: Ajv2020 | undefined;

/**
 * Why an object is no JSON Schema; undefined when it is one. Much less work than to compile
 * it, which a file of thousands of steps could not afford; each object is looked at once.
 */
export function invalidSchema(schema: JsonObject): string | undefined {
  const known = sayings.get(schema);
  if (known !== undefined) return known.problem;
  checking ??= authorAjv();
  const { $schema: _, ...rest } = schema;
  let problem: string | undefined;
  if (checking.validateSchema(rest) !== true) problem = checking.errorsText(checking.errors, { dataVar: 'schema' });
  // Whether a reference leads anywhere, only compiling tells.
  else if (JSON.stringify(rest).includes('Ref"') || JSON.stringify(rest).includes('"$ref"'))
    problem = compileProblem(rest);
  sayings.set(schema, problem === undefined ? {} : { problem });
  return problem;
}

function compileProblem(schema: JsonObject): string | undefined {
  try {
    compileSchema(schema);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

/**
 * Compiles an author's schema into a check that returns why a value does not match,
 * or undefined when it does; `subject` names the whole value. Throws an Error when the
 * schema itself is not valid.
 */
export function compileSchema(schema: JsonObject, subject = 'the answer'): (value: unknown) => string | undefined {
  // The dialect's name decides nothing here, and a name that ajv does not have loaded is an error.
  const { $schema: _, ...rest } = schema;
  const validate: ValidateFunction = authorAjv().compile(rest);
  return (value) =>
    validate(value) ? undefined : (validate.errors ?? []).map((error) => reason(error, subject)).join('; ');
}

function reason(error: ErrorObject, subject: string): string {
  const where = error.instancePath === '' ? subject : error.instancePath.slice(1).replaceAll('/', '.');
  if (error.keyword === 'additionalProperties') {
    return `${where} must not have the property "${String(error.params.additionalProperty)}"`;
  }
  if (error.keyword === 'enum') {
    return `${where} must be one of ${(error.params.allowedValues as unknown[]).map((value) => JSON.stringify(value)).join(', ')}`;
  }
  return `${where} ${error.message ?? 'is not valid'}`;
}
