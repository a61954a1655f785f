/**
 * References in workflow files: `${consts.N}`, `${params.N}`, `${params}`, `${env.N}`,
 * `${steps.ID.outputs.N}`. One pass, no recursive expansion. What does not resolve stays
 * as it is written. `\${…}` is literal and loses its backslash.
 */

/** The values that references may name; `undefined` where there is no such value. */
export type Scope = (reference: Reference) => string | undefined;

/** The parts of a reference between its dots: `['steps', 'read', 'outputs', 'total']`. */
export type Reference = readonly string[];

/** Text of a workflow file, cut at its references. */
export type Piece = { text: string } | { reference: Reference; source: string };

const namespaces = new Set(['consts', 'params', 'env', 'steps', 'foreach', 'context']);
const pattern = /(\\*)\$\{([A-Za-z][A-Za-z0-9_]*(?:\.[A-Za-z_][A-Za-z0-9_]*)*)\}/g;

/** Cuts a text at its references; backslashes that escape one are already taken away. */
export function cut(text: string): Piece[] {
  const pieces: Piece[] = [];
  let from = 0;
  for (const match of text.matchAll(pattern)) {
    const [source, backslashes = '', inner = ''] = match;
    const reference = inner.split('.');
    if (!isReference(reference)) continue;
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

function isReference(parts: Reference): boolean {
  const [namespace = ''] = parts;
  if (!namespaces.has(namespace)) return false;
  if (namespace === 'params' && parts.length === 1) return true;
  if (namespace === 'steps') return parts.length === 4 && parts[2] === 'outputs';
  return parts.length === 2;
}

/** Replaces the references of a text by their values. */
export function resolve(text: string, scope: Scope): string {
  return cut(text)
    .map((piece) => ('text' in piece ? piece.text : (scope(piece.reference) ?? piece.source)))
    .join('');
}

/** Every reference in a value, with the texts of nested lists and maps. */
export function referencesIn(value: unknown): Reference[] {
  return textsIn(value).flatMap((text) =>
    cut(text).flatMap((piece) => ('reference' in piece ? [piece.reference] : [])),
  );
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(textsIn);
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
