import type { TSchema } from 'typebox';
import { problemFinder, type ValueProblem } from '../contract/problems.ts';
import { didYouMean } from './did-you-mean.ts';
import { fieldName } from './field-name.ts';
import type { FieldPath, Problem } from './types.ts';

/** What is found while a workflow document is read: what is wrong with it, and what is worth a warning. */
export class Findings {
  readonly problems: Problem[] = [];
  readonly warnings: Problem[] = [];
  /** References whose value shows only when the workflow runs. */
  readonly unresolved: Problem[] = [];

  /** Something wrong, in words that name it. */
  problem(path: FieldPath, message: string): void {
    this.problems.push({ path, message });
  }

  /** Something wrong with a field: `field 'steps[0].retry_policy.limit': …`. */
  field(path: FieldPath, message: string): void {
    this.problem(path, `field '${fieldName(path)}': ${message}`);
  }

  /** A key of Dagu that does not run here; `instead` says what to do. */
  refused(path: FieldPath, instead?: string): void {
    const key = String(path.at(-1));
    this.field(
      path,
      `"${key}" is a key of Dagu that Dagu Desktop does not run${instead === undefined ? '' : `; ${instead}`}`,
    );
  }

  warning(path: FieldPath, message: string): void {
    this.warnings.push({ path, message: `field '${fieldName(path)}': ${message}` });
  }

  /** An old way to write something that still runs; the path is that of what is old. */
  deprecated(path: FieldPath, instead: string): void {
    this.warnings.push({ path, message: `Deprecated DAG syntax: ${fieldName(path)} is deprecated; use ${instead}` });
  }

  add({ problems, warnings }: { problems?: readonly Problem[]; warnings?: readonly Problem[] }): void {
    for (const problem of problems ?? []) this.problems.push(problem);
    for (const warning of warnings ?? []) this.warnings.push(warning);
  }
}

/** Tells what is wrong with the shape of a value that stands at a path; gives the keys of the value with a problem. */
export type ShapeCheck = (value: unknown, path: FieldPath, findings: Findings) => ReadonlySet<string>;

/**
 * Compiles a schema, at its first use, into a check that tells every problem in the field
 * form, with the value where it is a scalar. `known` are the keys that an unknown one is
 * compared with.
 */
export function shapeCheck(schema: TSchema, known: readonly string[] = []): ShapeCheck {
  const find = problemFinder(schema);
  return (value, path, findings) => {
    const broken = new Set<string>();
    for (const problem of find(value)) {
      broken.add(String(problem.path[0] ?? ''));
      tell(problem, value, path, known, findings);
    }
    return broken;
  };
}

function tell(
  { path, message }: ValueProblem,
  value: unknown,
  base: FieldPath,
  known: readonly string[],
  findings: Findings,
) {
  const place = [...base, ...path];
  const unknown = /^must not have the key "(.*)"$/s.exec(message)?.[1];
  if (unknown !== undefined) {
    const hint = didYouMean(unknown, path.length === 0 ? known : []);
    if (place.length === 0) findings.problem([unknown], `invalid keys: ${JSON.stringify(unknown)}${hint}`);
    else findings.problem([...place, unknown], `field '${fieldName(place)}': ${message}${hint}`);
    return;
  }
  const found = path.reduce<unknown>(
    (inner, key) => (inner as Record<string | number, unknown> | undefined)?.[key],
    value,
  );
  const shown = found === null || typeof found !== 'object' ? ` (value: ${shorten(String(found))})` : '';
  if (place.length === 0) findings.problem(place, message);
  else findings.field(place, `${message}${shown}`);
}

/** A value as an error shows it: its beginning, where it is long. */
export function shorten(text: string): string {
  return text.length <= 80 ? text : `${text.slice(0, 80)}…`;
}
