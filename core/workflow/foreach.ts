import { type Static, Type } from 'typebox';
import { type Findings, shapeCheck } from './findings.ts';
import { isObject } from './json.ts';
import { closed, namePattern, optional, text } from './shapes.ts';
import type { FieldPath, Foreach, Json } from './types.ts';

/** The most items that a body may run for. */
export const maxItems = 1000;

export const ForeachDocument = Type.Object(
  {
    items: Type.Union([Type.Array(Type.Unknown()), Type.String()], {
      title: 'A list, or a reference to one',
      description: 'a list, or a text with a reference to one',
    }),
    steps: Type.Array(Type.Unknown(), { minItems: 1, title: 'The body', description: 'a non-empty list of steps' }),
    ...optional({
      as: Type.String({
        pattern: namePattern,
        title: 'Name of the item: ${foreach.NAME}',
        description: `a name that matches ${namePattern}`,
      }),
      key: text('What names an item among the others; its position where it is absent'),
      max_concurrent: Type.Integer({
        minimum: 1,
        maximum: 1000,
        title: 'How many bodies may run at once',
        description: 'a whole number from 1 to 1000',
      }),
      collect: Type.Record(Type.String({ pattern: namePattern }), Type.String(), {
        ...closed,
        title: 'Outputs by name: what each item gives',
        description: 'a map of names and texts with references',
      }),
    }),
  },
  { ...closed, title: 'Steps that run once for each item', description: 'an object with items and steps' },
);
type ForeachDocument = Static<typeof ForeachDocument>;

const check = shapeCheck(ForeachDocument, Object.keys(ForeachDocument.properties));

/** `foreach` of a step, its body as it is written; undefined where too little of it can be read. */
export function readForeach(
  value: unknown,
  path: FieldPath,
  findings: Findings,
): { loop: Omit<Foreach, 'body'>; steps: unknown[] } | undefined {
  const broken = check(value, path, findings);
  const known = isObject(value) ? Object.entries(value).filter(([key]) => !broken.has(key)) : [];
  const {
    items,
    steps,
    as = 'item',
    key,
    max_concurrent,
    collect,
  } = Object.fromEntries(known) as Partial<ForeachDocument>;
  if (items === undefined || steps === undefined) return undefined;
  if (as === 'index' || as === 'key')
    findings.field([...path, 'as'], `as must not be "${as}", which names the ${as} of the item`);
  if (Array.isArray(items) && items.length > maxItems) {
    findings.field([...path, 'items'], `items has ${items.length} items; there may be ${maxItems}`);
  }
  if (typeof items === 'string' && !items.includes('$') && !isJsonList(items)) {
    findings.field([...path, 'items'], 'items must be a list, a reference to one, or a JSON array');
  }
  const loop = {
    items: items as Json,
    as,
    maxConcurrent: max_concurrent ?? 10,
    ...(key !== undefined && { key }),
    ...(collect !== undefined && { collect }),
  };
  return { loop, steps };
}

function isJsonList(text: string): boolean {
  try {
    return Array.isArray(JSON.parse(text));
  } catch {
    return false;
  }
}
