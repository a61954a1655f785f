import type { TSchema } from 'typebox';

/** One thing wrong with a value: where, as keys from the outside in, and what, in words. */
export interface ValueProblem {
  path: (string | number)[];
  message: string;
}

/**
 * Makes a check that tells everything that is wrong with a value, one problem a place. A
 * schema's `description`, where it has one, completes the sentence "X must be …", so that a
 * choice between shapes fails in words and not in parts.
 *
 * It walks the schema instead of compiling it: a program that reads one file and ends has no
 * time to compile, and a choice needs to know which shape was meant. Throws at its first use
 * for a schema with a keyword that it does not know.
 */
export function problemFinder(schema: TSchema): (value: unknown) => ValueProblem[] {
  let check: Check | undefined;
  return (value) => {
    check ??= checkOf(schema as Schema);
    const errors: ShapeError[] = [];
    check(value, [], errors);
    return errors.length === 0 ? [] : onePerPlace(errors);
  };
}

/** A JSON Schema, as far as TypeBox makes it of what the product's shapes are written with. */
type Schema = Readonly<Record<string, unknown>>;

/** Of the value that is looked at; whoever keeps one keeps a copy. */
type Path = (string | number)[];

interface ShapeError extends ValueProblem {
  /** A key is missing, or too much: several may be, at one place. */
  isOfKey?: true;
}

/** Adds what is wrong with a value at a path. */
type Check = (value: unknown, path: Path, errors: ShapeError[]) => void;

const checks = new WeakMap<Schema, Check>();

/** A schema that stands in many places is prepared once. */
function checkOf(schema: Schema): Check {
  const known = checks.get(schema);
  if (known !== undefined) return known;
  const made = makeCheck(schema);
  checks.set(schema, made);
  return made;
}

const annotations = new Set(['title', 'description', 'default', 'examples', '$id']);

function makeCheck(schema: Schema): Check {
  const keywords = Object.keys(schema).filter((keyword) => !annotations.has(keyword));
  const unknown = keywords.find(
    (keyword) => keyword !== 'type' && !Object.hasOwn(rules, keyword) && !Object.hasOwn(beside, keyword),
  );
  if (unknown !== undefined)
    throw new Error(`a schema has the keyword "${unknown}", which problemFinder does not know`);
  const applied = keywords.flatMap((keyword) => rules[keyword]?.(schema[keyword] as never, schema) ?? []);
  const { type, description } = schema;
  const wanted = typeof description === 'string' ? description : undefined;
  return (value, path, errors) => {
    if (typeof type === 'string' && !hasType(value, type)) {
      errors.push({ path: [...path], message: sentence(path, wanted, `must be ${type}`) });
      return;
    }
    for (const rule of applied) rule(value, path, errors);
  };
}

/** `timeout must be >= 0` where a description says what is wanted; else the rule's own words. */
function sentence(path: Path, wanted: string | undefined, otherwise: string): string {
  if (wanted === undefined) return otherwise;
  const name = path.findLast((key) => typeof key === 'string') ?? 'it';
  return `${name} must be ${wanted}`;
}

type Rule = (argument: never, schema: Schema) => Check;

/** A rule that a value meets or not; one of another type always does. */
function limit<T>(type: string, isMet: (value: T) => boolean, words: string, { description }: Schema): Check {
  const wanted = typeof description === 'string' ? description : undefined;
  return (value, path, errors) => {
    if (hasType(value, type) && !isMet(value as T))
      errors.push({ path: [...path], message: sentence(path, wanted, words) });
  };
}

/** Keywords that another one reads. */
const beside = { additionalProperties: true, patternProperties: true };

const rules: Readonly<Record<string, Rule>> = {
  const: (wanted: unknown, schema) =>
    limit('any', (value) => value === wanted, `must be ${JSON.stringify(wanted)}`, schema),
  enum: (allowed: unknown[], schema) => {
    const words = `must be one of ${allowed.map((one) => JSON.stringify(one)).join(', ')}`;
    return limit('any', (value) => allowed.includes(value), words, schema);
  },
  minimum: (least: number, schema) => limit<number>('number', (value) => value >= least, `must be >= ${least}`, schema),
  maximum: (most: number, schema) => limit<number>('number', (value) => value <= most, `must be <= ${most}`, schema),
  minLength: (least: number, schema) =>
    limit<string>(
      'string',
      (value) => [...value].length >= least,
      `must NOT have fewer than ${least} characters`,
      schema,
    ),
  maxLength: (most: number, schema) =>
    limit<string>('string', (value) => [...value].length <= most, `must NOT have more than ${most} characters`, schema),
  pattern: (pattern: string, schema) => {
    const regex = new RegExp(pattern, 'u');
    return limit<string>('string', (value) => regex.test(value), `must match pattern "${pattern}"`, schema);
  },
  minItems: (least: number, schema) =>
    limit<unknown[]>('array', (value) => value.length >= least, `must NOT have fewer than ${least} items`, schema),
  maxItems: (most: number, schema) =>
    limit<unknown[]>('array', (value) => value.length <= most, `must NOT have more than ${most} items`, schema),
  minProperties: (least: number, schema) =>
    limit<object>(
      'object',
      (value) => Object.keys(value).length >= least,
      `must NOT have fewer than ${least} properties`,
      schema,
    ),
  maxProperties: (most: number, schema) =>
    limit<object>(
      'object',
      (value) => Object.keys(value).length <= most,
      `must NOT have more than ${most} properties`,
      schema,
    ),
  items: (item: Schema) => {
    const check = checkOf(item);
    return (value, path, errors) => {
      if (!Array.isArray(value)) return;
      for (const [index, inner] of value.entries()) {
        path.push(index);
        check(inner, path, errors);
        path.pop();
      }
    };
  },
  required: (names: string[]) => (value, path, errors) => {
    if (!isRecord(value)) return;
    for (const name of names) {
      if (!Object.hasOwn(value, name) || value[name] === undefined)
        errors.push({ path: [...path], message: `must have the key "${name}"`, isOfKey: true });
    }
  },
  properties: (_: unknown, schema) => propertiesCheck(schema),
  patternProperties: (_: unknown, schema) => ('properties' in schema ? () => {} : propertiesCheck(schema)),
  additionalProperties: (_: unknown, schema) =>
    'properties' in schema || 'patternProperties' in schema ? () => {} : propertiesCheck(schema),
  anyOf: (options: Schema[], schema) => choiceCheck(options, schema),
};

function propertiesCheck(schema: Schema): Check {
  const named = new Map(entriesOf(schema.properties).map(([name, inner]) => [name, checkOf(inner)]));
  const patterns = entriesOf(schema.patternProperties).map(
    ([pattern, inner]) => [new RegExp(pattern, 'u'), checkOf(inner)] as const,
  );
  const { additionalProperties: others = true } = schema;
  const otherCheck = typeof others === 'object' ? checkOf(others as Schema) : undefined;
  return (value, path, errors) => {
    if (!isRecord(value)) return;
    for (const name of Object.keys(value)) {
      const inner = value[name];
      // As in JSON, a key without a value is none.
      const hasValue = inner !== undefined;
      const check = named.get(name);
      let isKnown = check !== undefined;
      path.push(name);
      if (hasValue) check?.(inner, path, errors);
      for (const [pattern, other] of patterns) {
        if (!pattern.test(name)) continue;
        isKnown = true;
        if (hasValue) other(inner, path, errors);
      }
      if (!isKnown && hasValue) otherCheck?.(inner, path, errors);
      path.pop();
      if (!isKnown && others === false)
        errors.push({ path: [...path], message: `must not have the key "${name}"`, isOfKey: true });
    }
  };
}

function entriesOf(schemas: unknown): [string, Schema][] {
  return isRecord(schemas) ? (Object.entries(schemas) as [string, Schema][]) : [];
}

/**
 * A choice between shapes fails as a whole, in the words of its description. Where only one
 * of them is of the value's kind, and it is a list or a map, what is wrong in there is the
 * better answer; so it is where one got further into the value.
 */
function choiceCheck(options: readonly Schema[], { description }: Schema): Check {
  const wanted = typeof description === 'string' ? description : undefined;
  const shapes = options.map((option) => ({ check: checkOf(option), option }));
  const types = options.map(({ type }) => type);
  const areTypes = types.every((type) => typeof type === 'string');
  const otherwise = areTypes ? `must be ${[...new Set(types)].join(' or ')}` : 'has a form that is not known here';
  return (value, path, errors) => {
    const failed: ShapeError[][] = [];
    for (const { check } of shapes) {
      const found: ShapeError[] = [];
      check(value, path, found);
      if (found.length === 0) return;
      failed.push(found);
    }
    const deeper = failed.flat().filter((error) => error.path.length > path.length);
    const ofKind = failed.filter((_, index) => isOfKind(value, options[index] as Schema));
    const [only = []] = ofKind;
    if (ofKind.length === 1 && typeof value === 'object') errors.push(...only);
    else if (deeper.length > 0) errors.push(...deeper);
    else errors.push({ path: [...path], message: sentence(path, wanted, otherwise) });
  };
}

function isOfKind(value: unknown, { type, anyOf }: Schema): boolean {
  if (Array.isArray(anyOf)) return anyOf.some((option) => isOfKind(value, option));
  return typeof type !== 'string' || hasType(value, type);
}

function hasType(value: unknown, type: string): boolean {
  switch (type) {
    case 'any':
      return true;
    case 'null':
      return value === null;
    case 'array':
      return Array.isArray(value);
    case 'object':
      return isRecord(value);
    case 'integer':
      return Number.isInteger(value);
    case 'number':
      return typeof value === 'number' && Number.isFinite(value);
    default:
      return typeof value === type;
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The first problem of each place, and every key that is missing or too much there. */
function onePerPlace(errors: readonly ShapeError[]): ValueProblem[] {
  const seen = new Set<string>();
  const problems: ValueProblem[] = [];
  for (const { path, message, isOfKey } of errors) {
    const key = JSON.stringify(isOfKey ? { path, message } : path);
    if (!seen.has(key)) problems.push({ path, message });
    seen.add(key);
  }
  return problems;
}
