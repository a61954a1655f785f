import { type TOptional, type TSchema, Type } from 'typebox';

/**
 * What the shapes of workflow files are made of. A `description` completes the sentence
 * "X must be …" of an error (core/contract/check.ts); a `title` says what a field is for.
 * The schema for editors shows both.
 */

export const closed = { additionalProperties: false } as const;

/** Names of parameters, constants, outputs and step ids. */
export const namePattern = '^[A-Za-z][A-Za-z0-9_]*$';
/** Names of environment variables. */
export const envNamePattern = '^[A-Za-z_][A-Za-z0-9_]*$';

export const Scalar = Type.Union([Type.String(), Type.Number(), Type.Boolean()], {
  description: 'a string, a number or a boolean',
});

export const OneKey = { minProperties: 1, maxProperties: 1 } as const;

/** A text or a list of texts. */
export function texts(title: string, description = 'a string or a list of strings') {
  return Type.Union([Type.String(), Type.Array(Type.String())], { title, description });
}

/** A time in seconds. */
export function seconds(title: string) {
  return Type.Number({ minimum: 0, title, description: '>= 0' });
}

export function text(title: string) {
  return Type.String({ title });
}

/** A JSON Schema, which is an object of any keys; what it says is checked where it is used. */
export function jsonSchema(title: string) {
  return Type.Record(Type.String(), Type.Unknown(), { title, description: 'a JSON Schema' });
}

/** The same fields, each of which may be absent. */
export function optional<T extends Record<string, TSchema>>(fields: T): { [K in keyof T]: TOptional<T[K]> } {
  const entries = Object.entries(fields).map(([name, schema]) => [name, Type.Optional(schema)]);
  return Object.fromEntries(entries) as { [K in keyof T]: TOptional<T[K]> };
}

export const Env = Type.Union(
  [
    Type.Record(Type.String({ pattern: envNamePattern }), Scalar, closed),
    Type.Array(
      Type.Union([
        Type.Record(Type.String({ pattern: envNamePattern }), Scalar, { ...closed, minProperties: 1 }),
        Type.String({ pattern: '^[A-Za-z_][A-Za-z0-9_]*=' }),
      ]),
    ),
  ],
  {
    title: 'Environment variables, set from top to bottom',
    description: 'a map of names and values, or a list of such maps or of NAME=value',
  },
);

export const Shell = texts(
  'Program that runs the commands, with its arguments',
  'the name of a program, or a list of a program and its arguments',
);
