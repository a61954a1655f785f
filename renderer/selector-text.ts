import type { Words } from '../core/contract/words/en.ts';

/**
 * A text with each selector of an element in it, which is JSON, said in words:
 * `element {"role":"cell","name":"Total"}` becomes `cell “Total”`.
 */
export function selectorsInWords(text: string, words: Words): string {
  let said = '';
  let rest = text;
  for (;;) {
    const start = rest.indexOf('{"');
    if (start === -1) return said + rest;
    const found = objectAt(rest, start);
    const plain = found && selectorWords(found.value, words);
    const before = rest.slice(0, start);
    if (found === undefined || plain === undefined) {
      said += `${before}{"`;
      rest = rest.slice(start + 2);
    } else {
      said += before.replace(/element $/, '') + plain;
      rest = rest.slice(found.end);
    }
  }
}

/** The JSON object that begins at a place, and where it ends. */
function objectAt(text: string, start: number): { value: Record<string, unknown>; end: number } | undefined {
  for (let end = text.indexOf('}', start); end !== -1; end = text.indexOf('}', end + 1)) {
    try {
      return { value: JSON.parse(text.slice(start, end + 1)), end: end + 1 };
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
    }
  }
  return undefined;
}

/** Nothing where the object is no selector. */
function selectorWords(selector: Record<string, unknown>, words: Words): string | undefined {
  const text = (value: unknown) => (typeof value === 'string' ? value : '');
  const near = (selector.near ?? {}) as { label?: unknown };
  const { role, name, id, label, window } = selector;
  if ([role, name, id, label, near.label].every((value) => typeof value !== 'string')) return undefined;
  const roles: Record<string, string> = words.roles;
  const kind = roles[text(role)] ?? words.roles.other;
  const beside = text(near.label) && words.beside(text(near.label));
  return words.element(beside ? `${kind} ${beside}` : kind, text(name) || text(label) || text(id), text(window));
}
