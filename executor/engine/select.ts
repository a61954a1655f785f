import { isObject } from '../../core/workflow/json.ts';

/** One step of a path into a value: a property's name, or a place in a list. */
type Key = string | number;

const part = /\.([A-Za-z_][\w-]*)|\.?\[(?:(-?\d+)|("(?:[^"\\]|\\.)*"))\]|\.(?=\[|$)/y;

/**
 * The value that a path leads to, as `.total`, `.items[0].name`, `.["a key"]`, or `.` for all
 * of it; a negative place counts from the list's end. Throws an Error that tells where the
 * path ends, or what it cannot mean.
 */
export function select(value: unknown, path: string): unknown {
  let walked = '';
  return keysOf(path).reduce((inner, { key, source }) => {
    const next = childOf(inner, key);
    if (next === undefined) throw new Error(`select "${path}": ${walked || 'the value'} has no ${source}`);
    walked += source;
    return next;
  }, value);
}

function childOf(value: unknown, key: Key): unknown {
  if (Array.isArray(value)) return typeof key === 'number' ? value.at(key) : undefined;
  return isObject(value) && typeof key === 'string' && Object.hasOwn(value, key) ? value[key] : undefined;
}

function keysOf(path: string): { key: Key; source: string }[] {
  const keys: { key: Key; source: string }[] = [];
  part.lastIndex = 0;
  while (part.lastIndex < path.length) {
    const at = part.lastIndex;
    const match = part.exec(path);
    if (match === null) throw new Error(`select "${path}" cannot be read from ${JSON.stringify(path.slice(at))} on`);
    const [source, name, place, quoted] = match;
    if (name !== undefined) keys.push({ key: name, source });
    else if (place !== undefined) keys.push({ key: Number(place), source });
    else if (quoted !== undefined) keys.push({ key: JSON.parse(quoted), source });
  }
  return keys;
}
