/**
 * `%name%` placeholders of computer steps, which stand for values of `with.variables`
 * and for answers of earlier `ask` operations (spec: Variables and secrets).
 */

/** What names of variables and of `ask.as` look like. */
export const variableName = /^[A-Za-z][A-Za-z0-9_]*$/;

const placeholder = /%([A-Za-z][A-Za-z0-9_]*)%/g;

/** The names that a text refers to, each once, in order. */
export function placeholderNames(text: string): string[] {
  return [...new Set([...text.matchAll(placeholder)].map(([, name = '']) => name))];
}

/** A text with its placeholders replaced, in one pass; `value` throws for a name that has none. */
export function fillPlaceholders(text: string, value: (name: string) => string): string {
  return text.replace(placeholder, (_, name: string) => value(name));
}
