import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { isObject } from './json.ts';
import type { JsonObject } from './types.ts';

/**
 * An author's JSON Schema, so unknown keywords and formats are let through: they
 * describe the answer to the model even where they cannot be checked.
 */
function author(): Ajv2020 {
  const ajv = new Ajv2020({ allErrors: true, strict: false, logger: false });
  addFormats(ajv);
  return ajv;
}

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
  try {
    compileSchema(schema);
    return undefined;
  } catch (error) {
    return `${subject} is not a valid JSON Schema: ${(error as Error).message}`;
  }
}

/**
 * Compiles an author's schema into a check that returns why a value does not match,
 * or undefined when it does. Throws an Error when the schema itself is not valid.
 */
export function compileSchema(schema: JsonObject): (value: unknown) => string | undefined {
  // The dialect's name decides nothing here, and a name that ajv does not have loaded is an error.
  const { $schema: _, ...rest } = schema;
  const validate: ValidateFunction = author().compile(rest);
  return (value) => (validate(value) ? undefined : (validate.errors ?? []).map(reason).join('; '));
}

function reason(error: ErrorObject): string {
  const where = error.instancePath === '' ? 'the answer' : error.instancePath.slice(1).replaceAll('/', '.');
  if (error.keyword === 'additionalProperties') {
    return `${where} must not have the property "${String(error.params.additionalProperty)}"`;
  }
  if (error.keyword === 'enum') {
    return `${where} must be one of ${(error.params.allowedValues as unknown[]).map((value) => JSON.stringify(value)).join(', ')}`;
  }
  return `${where} ${error.message ?? 'is not valid'}`;
}
