import { type Static, Type } from 'typebox';
import { type Findings, shapeCheck } from './findings.ts';
import { isObject } from './json.ts';
import { compileSchema } from './output-schema.ts';
import { coerceParam, rulesProblem, typedValue } from './param-values.ts';
import { closed, jsonSchema, namePattern, OneKey, optional, Scalar, text } from './shapes.ts';
import { type FieldPath, type JsonObject, type Param, type ParamType, paramTypes } from './types.ts';
import { splitWords } from './words.ts';

/**
 * The parameters of a workflow, in any of the five forms: a string of words, a list of
 * strings, maps and rich entries, a map, a JSON Schema, or a schema beside values.
 */

const ScalarOrNull = Type.Union([Scalar, Type.Null()]);
const Name = Type.String({ pattern: namePattern });
const SingleMap = Type.Record(Name, ScalarOrNull, { ...closed, ...OneKey, title: 'NAME: default' });

const RichParam = Type.Object(
  {
    name: Type.String(),
    ...optional({
      default: Scalar,
      eval: Type.Unknown(),
      description: text('What it is for'),
      type: Type.String({ title: 'string, integer, number or boolean' }),
      required: Type.Boolean({ title: 'A start must give it' }),
      enum: Type.Array(Scalar, {
        minItems: 1,
        title: 'Values that are allowed',
        description: 'a non-empty list of scalars',
      }),
      minimum: Type.Number(),
      maximum: Type.Number(),
      min_length: Type.Integer({ minimum: 0, description: 'a whole number >= 0' }),
      max_length: Type.Integer({ minimum: 0, description: 'a whole number >= 0' }),
      pattern: text('A regular expression that the value must match somewhere'),
    }),
  },
  { ...closed, minProperties: 2 },
);
type RichParam = Static<typeof RichParam>;

const InlineSchema = Type.Object({
  type: Type.Literal('object'),
  properties: Type.Record(Type.String(), Type.Unknown()),
});
const ExternalSchema = Type.Object(
  {
    schema: Type.Union([Type.String(), jsonSchema('A JSON Schema'), Type.Boolean()], {
      title: 'A JSON Schema, or the path of a file that holds one',
      description: 'a path, a JSON Schema, or true',
    }),
    values: Type.Optional(
      Type.Record(Type.String(), Scalar, { title: 'Defaults by name', description: 'a map of names and scalars' }),
    ),
  },
  closed,
);

/** All forms, for editors; each is read and checked by itself. */
export const ParamsDocument = Type.Union(
  [
    Type.String(),
    Type.Array(Type.Union([Type.String(), RichParam, SingleMap])),
    InlineSchema,
    ExternalSchema,
    Type.Record(Name, ScalarOrNull, closed),
  ],
  { title: 'Values that a start may give; steps read them as ${params.NAME} and as variables' },
);

/** The declared parameters, and the schema that all values must match together. */
export interface DeclaredParams {
  params: Param[];
  paramsSchema?: JsonObject;
  paramsSchemaFile?: string;
}

const root: FieldPath = ['params'];
const checkRich = shapeCheck(RichParam, Object.keys(RichParam.properties));
const checkExternal = shapeCheck(ExternalSchema, Object.keys(ExternalSchema.properties));

/**
 * Reads parameters in any form.
 *
 * @param readSchemaFile gives the text of a schema's file, whose path is as written; throws an Error that says why not
 */
export function readParams(
  document: unknown,
  findings: Findings,
  readSchemaFile?: (path: string) => string,
): DeclaredParams {
  const list = new ParamList(findings);
  if (typeof document === 'string') {
    for (const word of splitWords(document)) list.word(word, root);
  } else if (Array.isArray(document)) {
    for (const [index, entry] of document.entries()) readEntry(entry, [...root, index], list, findings);
  } else if (isObject(document)) {
    if ('schema' in document) return readExternal(document, list, findings, readSchemaFile);
    if (document.type === 'object' && isObject(document.properties))
      return fromSchema(document, {}, root, list, findings);
    for (const [name, value] of Object.entries(document)) list.pair(name, value, [...root, name]);
  } else if (document !== undefined) {
    findings.field(root, 'params must be a string, a list, a map, or a JSON Schema');
  }
  return { params: list.params };
}

function readEntry(entry: unknown, path: FieldPath, list: ParamList, findings: Findings): void {
  if (typeof entry === 'string') {
    list.word(entry, path);
  } else if (!isObject(entry)) {
    findings.field(path, 'a parameter must be a string, a map of one name, or an entry with name');
  } else if ('name' in entry) {
    readRich(entry, path, list, findings);
  } else {
    const pairs = Object.entries(entry);
    if (pairs.length !== 1)
      findings.field(path, 'a parameter must be a map of one name and its default, or have a name');
    for (const [name, value] of pairs) list.pair(name, value, [...path, name]);
  }
}

function readRich(entry: JsonObject, path: FieldPath, list: ParamList, findings: Findings): void {
  if (Object.keys(entry).length === 1) {
    findings.problem(path, `parameter "${String(entry.name)}" must define at least one field in addition to name`);
    return;
  }
  const broken = checkRich(entry, path, findings);
  if ('eval' in entry) {
    findings.refused([...path, 'eval'], 'a value that a command makes is the output of a first step');
  }
  if (broken.has('name') || broken.has('')) return;
  const rich = Object.fromEntries(Object.entries(entry).filter(([key]) => !broken.has(key))) as RichParam;
  const { default: initial, minimum, maximum, min_length, max_length, pattern, description } = rich;
  list.add(
    {
      name: rich.name,
      type: paramType(rich.name, rich.type ?? 'string', path, findings),
      ...(rich.type === undefined && { untyped: true as const }),
      required: rich.required ?? false,
      ...(initial !== undefined && { default: String(initial) }),
      ...(description !== undefined && { description }),
      ...(rich.enum !== undefined && { enum: rich.enum.map(String) }),
      ...(minimum !== undefined && { minimum }),
      ...(maximum !== undefined && { maximum }),
      ...(min_length !== undefined && { minLength: min_length }),
      ...(max_length !== undefined && { maxLength: max_length }),
      ...(pattern !== undefined && { pattern }),
    },
    path,
  );
}

function paramType(name: string, written: unknown, path: FieldPath, findings: Findings): ParamType {
  const type = paramTypes.find((known) => known === written);
  if (type === undefined) findings.problem(path, `parameter "${name}" has unsupported type "${String(written)}"`);
  return type ?? 'string';
}

function readExternal(
  document: JsonObject,
  list: ParamList,
  findings: Findings,
  readSchemaFile?: (path: string) => string,
): DeclaredParams {
  const broken = checkExternal(document, root, findings);
  if (broken.size > 0) return { params: [] };
  const { schema, values = {} } = document as Static<typeof ExternalSchema>;
  const path = [...root, 'schema'];
  if (typeof schema === 'string') {
    const parsed = readSchema(schema, path, findings, readSchemaFile);
    return { ...fromSchema(parsed, values, path, list, findings), paramsSchemaFile: schema };
  }
  if (schema === false) findings.field(path, 'schema: false allows no value at all');
  return fromSchema(
    typeof schema === 'boolean' ? { additionalProperties: true } : (schema as JsonObject),
    values,
    path,
    list,
    findings,
  );
}

function readSchema(
  file: string,
  path: FieldPath,
  findings: Findings,
  readSchemaFile?: (path: string) => string,
): JsonObject {
  const nothing = { additionalProperties: true };
  const refuse = (message: string) => {
    findings.field(path, message);
    return nothing;
  };
  if (/^[a-z][a-z0-9+.-]+:\/\//i.test(file))
    return refuse('schema must be a file on this computer, or the schema itself');
  if (readSchemaFile === undefined) return refuse(`the schema file "${file}" cannot be read here`);
  let text: string;
  try {
    text = readSchemaFile(file);
  } catch (error) {
    return refuse(`the schema file "${file}" cannot be read: ${(error as Error).message}`);
  }
  try {
    const schema: unknown = JSON.parse(text);
    return isObject(schema) ? schema : refuse(`the schema file "${file}" holds no JSON object`);
  } catch (error) {
    return refuse(`the schema file "${file}" is no JSON: ${(error as Error).message}`);
  }
}

/** The parameters that a schema's properties declare, with the values that stand beside it as defaults. */
function fromSchema(
  schema: JsonObject,
  values: Readonly<Record<string, string | number | boolean>>,
  path: FieldPath,
  list: ParamList,
  findings: Findings,
): DeclaredParams {
  const properties = isObject(schema.properties) ? schema.properties : {};
  const required = Array.isArray(schema.required) ? schema.required : [];
  for (const [name, property] of Object.entries(properties)) {
    const place = [...path, 'properties', name];
    const initial = Object.hasOwn(values, name) ? values[name] : undefined;
    list.add(fromProperty(name, property, initial, required.includes(name), place, findings), place);
  }
  for (const [name, value] of Object.entries(values)) {
    if (Object.hasOwn(properties, name)) continue;
    if (schema.additionalProperties !== true) {
      findings.field([...root, 'values', name], `${name} is not among the properties of the schema`);
    }
    list.add({ name, type: 'string', required: false, default: String(value) }, [...root, 'values', name]);
  }
  const unlisted = required.filter((name) => typeof name !== 'string' || !Object.hasOwn(properties, name));
  for (const name of unlisted)
    findings.field(path, `required names ${JSON.stringify(name)}, which properties does not list`);
  checkWhole(schema, list.params, path, findings);
  return { params: list.params, paramsSchema: schema };
}

function fromProperty(
  name: string,
  property: unknown,
  initial: string | number | boolean | undefined,
  required: boolean,
  path: FieldPath,
  findings: Findings,
): Param {
  const fields = isObject(property) ? property : {};
  const written = initial ?? fields.default;
  const number = (key: string) => (typeof fields[key] === 'number' ? fields[key] : undefined);
  const bounds = { minimum: number('minimum'), maximum: number('maximum') };
  const lengths = { minLength: number('minLength'), maxLength: number('maxLength') };
  const given = Object.entries({ ...bounds, ...lengths }).filter(([, value]) => value !== undefined);
  return {
    name,
    type: paramType(name, fields.type ?? 'string', path, findings),
    required: required && written === undefined,
    ...(written !== undefined &&
      written !== null && { default: typeof written === 'object' ? JSON.stringify(written) : String(written) }),
    ...(typeof fields.description === 'string' && { description: fields.description }),
    ...(Array.isArray(fields.enum) && { enum: fields.enum.map(String) }),
    ...Object.fromEntries(given),
    ...(typeof fields.pattern === 'string' && { pattern: fields.pattern }),
  };
}

/** The schema must be one, and the defaults must match it where no value is missing. */
function checkWhole(schema: JsonObject, params: readonly Param[], path: FieldPath, findings: Findings): void {
  let check: (value: unknown) => string | undefined;
  try {
    check = compileSchema(schema, 'the parameters');
  } catch (error) {
    findings.field(path, `it is not a valid JSON Schema: ${(error as Error).message}`);
    return;
  }
  if (params.some((param) => param.required || param.default === undefined)) return;
  const problem = check(
    Object.fromEntries(params.map(({ name, type, default: value = '' }) => [name, typedValue(type, value)])),
  );
  if (problem !== undefined) findings.field(path, `the defaults do not match: ${problem}`);
}

/** Parameters in the order written; each name once, each default a value that the parameter takes. */
class ParamList {
  readonly params: Param[] = [];
  readonly #names = new Set<string>();
  readonly #findings: Findings;
  #positions = 0;

  constructor(findings: Findings) {
    this.#findings = findings;
  }

  /** `NAME=default`, or a default alone, which is a positional parameter. */
  word(written: string, path: FieldPath): void {
    const named = /^([^\s=]+)=([\s\S]*)$/.exec(written);
    if (named !== null) {
      this.add(
        { name: named[1] as string, type: 'string', untyped: true, default: named[2] as string, required: false },
        path,
      );
      return;
    }
    this.#positions += 1;
    this.params.push({
      name: String(this.#positions),
      type: 'string',
      untyped: true,
      default: written,
      required: false,
    });
  }

  /** A name and its default; without one, a start must give the value. */
  pair(name: string, value: unknown, path: FieldPath): void {
    if (typeof value === 'object' && value !== null) {
      this.#findings.field(path, `the default of "${name}" must be a string, a number or a boolean`);
      return;
    }
    const isMissing = value === null || value === undefined;
    this.add(
      { name, type: 'string', untyped: true, required: isMissing, ...(!isMissing && { default: String(value) }) },
      path,
    );
  }

  add(param: Param, path: FieldPath): void {
    const { name } = param;
    if (!new RegExp(namePattern).test(name)) {
      this.#findings.problem(path, `parameter name "${name}" must match ${namePattern}`);
    } else if (this.#names.has(name)) {
      this.#findings.problem(path, `duplicate parameter name "${name}"`);
    } else {
      this.#names.add(name);
      this.params.push(this.#checked(param, path));
    }
  }

  #checked(param: Param, path: FieldPath): Param {
    const rules = rulesProblem(param);
    const coerced = rules === undefined && param.default !== undefined ? coerceParam(param, param.default) : undefined;
    const problem = rules ?? (coerced !== undefined && 'problem' in coerced ? `default ${coerced.problem}` : undefined);
    if (problem !== undefined) this.#findings.problem(path, `parameter "${param.name}": ${problem}`);
    return coerced !== undefined && 'value' in coerced ? { ...param, default: coerced.value } : param;
  }
}
