import { type Static, Type } from 'typebox';
import { isObject } from './json.ts';
import type { FieldPath, JsonObject, Problem } from './types.ts';

/** Roles of elements (spec: Elements). */
export const roles = [
  'button',
  'text_field',
  'text',
  'checkbox',
  'radio',
  'combo_box',
  'list_item',
  'menu_item',
  'tab',
  'link',
  'cell',
  'list',
  'group',
  'window',
  'other',
] as const;
export type Role = (typeof roles)[number];

export const sides = ['right', 'below', 'left', 'above'] as const;
export type Side = (typeof sides)[number];

const closed = { additionalProperties: false } as const;

export const Near = Type.Object({ label: Type.String(), side: Type.Enum(sides) }, closed);

/**
 * A selector names one element of a window (spec: Elements). Its keys stand in the order
 * in which they are printed. The container in `in` is a selector again, which
 * {@link selectorProblems} checks; the schema says that it is an object.
 */
export const Selector = Type.Object(
  {
    /** Image name of the process without its extension, whatever its case. */
    app: Type.Optional(Type.String()),
    /** Text that the window's title contains, with `*` for any run of characters. */
    window: Type.Optional(Type.String()),
    role: Type.Enum(roles),
    /** The element's name, with `*` for any run of characters. */
    name: Type.Optional(Type.String()),
    id: Type.Optional(Type.String()),
    in: Type.Optional(Type.Unsafe<Container>({ type: 'object' })),
    near: Type.Optional(Near),
    /** Which of several equal matches, in reading order, from 0. */
    nth: Type.Optional(Type.Integer({ minimum: 0 })),
  },
  closed,
);
export type Selector = Static<typeof Selector>;
/** What `in` holds: a selector, by a name of its own so that the two can refer to each other. */
export interface Container extends Selector {}

const keys = Object.keys(Selector.properties);

/**
 * All that is wrong with a selector, at paths below `path`; messages begin with
 * `selector:`, a container's with `selector.in:`.
 */
export function selectorProblems(value: unknown, path: FieldPath, name = 'selector'): Problem[] {
  const problems: Problem[] = [];
  const add = (message: string, ...at: FieldPath) =>
    problems.push({ path: [...path, ...at], message: `${name}: ${message}` });
  if (!isObject(value)) return [{ path, message: `${name}: must be an object such as {role: button, name: Save}` }];

  for (const key of Object.keys(value)) if (!keys.includes(key)) add(`unknown key "${key}"`, key);
  for (const key of ['app', 'window', 'name', 'id']) {
    if (value[key] !== undefined && typeof value[key] !== 'string') add(`${key} must be a text`, key);
  }
  if (value.role === undefined || value.role === '') add('role is required');
  else if (!roles.includes(value.role as Role)) {
    add(`unknown role ${JSON.stringify(value.role)}; use one of ${roles.join(', ')}`, 'role');
  }
  if (isBlank(value.name) && isBlank(value.id) && value.near === undefined) add('set name, id, or near');
  if (value.nth !== undefined && !(Number.isInteger(value.nth) && Number(value.nth) >= 0)) {
    add('nth must be 0 or more', 'nth');
  }
  if (value.near !== undefined) problems.push(...nearProblems(value.near, [...path, 'near'], name));
  if (value.in !== undefined) problems.push(...selectorProblems(value.in, [...path, 'in'], `${name}.in`));
  return problems;
}

/** Nothing to look for: a blank name would match whatever has no name. */
function isBlank(value: unknown): boolean {
  return value === undefined || (typeof value === 'string' && value.trim() === '');
}

function nearProblems(near: unknown, path: FieldPath, name: string): Problem[] {
  const { label, side, ...others }: JsonObject = isObject(near) ? near : {};
  const messages: string[] = [];
  if (typeof label !== 'string' || label.trim() === '') messages.push('near.label is required');
  if (!sides.includes(side as Side)) messages.push('near.side must be one of right, below, left, above');
  for (const key of Object.keys(others)) messages.push(`unknown key "near.${key}"`);
  return messages.map((message) => ({ path, message: `${name}: ${message}` }));
}

/** A selector as compact JSON with its keys in the documented order, as messages show it. */
export function selectorJson(selector: Selector): string {
  return JSON.stringify(inOrder(selector));
}

function inOrder(selector: Selector): Record<string, unknown> {
  const { near } = selector;
  const values: Record<string, unknown> = {
    ...selector,
    in: selector.in && inOrder(selector.in),
    near: near && { label: near.label, side: near.side },
  };
  return Object.fromEntries(keys.filter((key) => values[key] !== undefined).map((key) => [key, values[key]]));
}

/**
 * The texts of a selector in which placeholders are replaced (spec: Conditions): an id
 * and an app are identifiers and stay as written.
 */
export function mapSelectorTexts(
  selector: Selector,
  change: (text: string, key: 'name' | 'window' | 'label') => string,
): Selector {
  const { name, window, near } = selector;
  return {
    ...selector,
    ...(name !== undefined && { name: change(name, 'name') }),
    ...(window !== undefined && { window: change(window, 'window') }),
    ...(near !== undefined && { near: { ...near, label: change(near.label, 'label') } }),
    ...(selector.in !== undefined && { in: mapSelectorTexts(selector.in, change) }),
  };
}
