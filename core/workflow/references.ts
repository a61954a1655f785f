import { contextFields } from './context-fields.ts';
import type { FieldPath } from './types.ts';

/**
 * References in workflow files: `${consts.N}`, `${params.N}`, `${params}`, `${env.N}`,
 * `${steps.ID.outputs.N}`, `${foreach.N}`, `${foreach.N.FIELD}`, `${context.SPACE.FIELD}`
 * and the short `${SPACE.FIELD}` for what the context has. One pass, no recursive
 * expansion. What does not resolve stays as it is written. `\${…}` is literal and loses
 * its backslash.
 */

/** The values that references may name; `undefined` where there is no such value. */
export type Scope = (reference: Reference) => string | undefined;

/** The parts of a reference between its dots: `['steps', 'read', 'outputs', 'total']`. */
export type Reference = readonly string[];

/** Text of a workflow file, cut at its references. */
export type Piece = { text: string } | { reference: Reference; source: string };

/** How many parts the references of a namespace have. */
const lengths: ReadonlyMap<string, readonly number[]> = new Map([
  ['consts', [2]],
  ['params', [1, 2]],
  ['env', [2]],
  ['steps', [4]],
  ['foreach', [2, 3]],
  ['context', [3]],
]);
const pattern = /(\\*)\$\{([A-Za-z][A-Za-z0-9_]*(?:\.[A-Za-z_][A-Za-z0-9_]*)*)\}/g;

/** Cuts a text at its references; backslashes that escape one are already taken away. */
export function cut(text: string): Piece[] {
  const pieces: Piece[] = [];
  let from = 0;
  for (const match of text.matchAll(pattern)) {
    const [source, backslashes = '', inner = ''] = match;
    const reference = readReference(inner);
    if (reference === undefined) continue;
    const escaped = backslashes.length % 2 === 1;
    const kept = escaped ? backslashes.slice(1) : backslashes;
    pieces.push({ text: text.slice(from, match.index) + kept });
    const written = source.slice(backslashes.length);
    pieces.push(escaped ? { text: written } : { reference, source: written });
    from = match.index + source.length;
  }
  pieces.push({ text: text.slice(from) });
  return pieces.filter((piece) => !('text' in piece) || piece.text !== '');
}

/**
 * References that a backslash makes literal although it looks like one of a path:
 * `C:\\Data\\${params.file}` (with single backslashes).
 */
export function escapedInPaths(text: string): string[] {
  return Array.from(text.matchAll(pattern))
    .filter(({ 1: backslashes, 2: inner = '', index }) => {
      const before = text[index - 1] ?? ' ';
      return backslashes === '\\' && /[\w:.)}%\]-]/.test(before) && readReference(inner) !== undefined;
    })
    .map(([source]) => source);
}

/** The parts of what stands in the braces, `context` put before its short forms; undefined for other text. */
function readReference(inner: string): Reference | undefined {
  const parts = inner.split('.');
  const [namespace = ''] = parts;
  if (lengths.get(namespace)?.includes(parts.length)) {
    return namespace !== 'steps' || parts[2] === 'outputs' ? parts : undefined;
  }
  return contextFields.has(inner) ? ['context', ...parts] : undefined;
}

/** Replaces the references of a text by their values. */
export function resolve(text: string, scope: Scope): string {
  return cut(text)
    .map((piece) => ('text' in piece ? piece.text : (scope(piece.reference) ?? piece.source)))
    .join('');
}

/** A reference as it stands in a workflow's values. */
export interface LocatedReference {
  path: FieldPath;
  reference: Reference;
  /** As it is written: `${steps.read.outputs.total}`. */
  source: string;
}

/** Every reference in a value, with the texts of nested lists and maps. @param path where the value stands */
export function referencesIn(value: unknown, path: FieldPath = []): LocatedReference[] {
  if (typeof value === 'string') {
    return cut(value).flatMap((piece) => ('reference' in piece ? [{ path, ...piece }] : []));
  }
  if (typeof value !== 'object' || value === null) return [];
  const entries = Array.isArray(value) ? [...value.entries()] : Object.entries(value);
  return entries.flatMap(([key, item]) => referencesIn(item, [...path, key]));
}

/** A copy of a JSON value with every text in it replaced by what `change` makes of it. */
export function mapTexts<T>(value: T, change: (text: string) => string): T {
  if (typeof value === 'string') return change(value) as T;
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, change)) as T;
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, mapTexts(item, change)])) as T;
  }
  return value;
}

/** Replaces `$NAME` and `${NAME}` by variables of the environment; others stay as they are. */
export function expandVariables(text: string, env: Readonly<Record<string, string>>): string {
  return text.replace(/\$(?:\{([A-Za-z_][A-Za-z0-9_]*)\}|([A-Za-z_][A-Za-z0-9_]*))/g, (source, braced, bare) => {
    const name: string = braced ?? bare;
    return Object.hasOwn(env, name) ? (env[name] as string) : source;
  });
}
