import type { Static, TSchema } from 'typebox';
import { problemFinder } from './problems.ts';

/** A value that came over a border (process, file, network) did not have the promised shape. */
export class InvalidValue extends Error {
  /** Where in the value, as a JSON pointer; empty for the value itself. */
  readonly path: string;

  constructor(what: string, path: string, reason: string) {
    super(path === '' ? `${what}: ${reason}` : `${what}: ${path} ${reason}`);
    this.name = 'InvalidValue';
    this.path = path;
  }
}

/**
 * Makes a check of a schema that returns the value with its type, or throws an
 * {@link InvalidValue} that names `what` and the path in it.
 */
export function checker<S extends TSchema>(schema: S, what: string): (value: unknown) => Static<S> {
  const find = problemFinder(schema);
  return (value) => {
    const [problem] = find(value);
    if (problem !== undefined) throw new InvalidValue(what, pointer(problem.path), problem.message);
    return value as Static<S>;
  };
}

function pointer(path: readonly (string | number)[]): string {
  return path.map((key) => `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}
