import { type Static, Type } from 'typebox';
import type { Findings } from './findings.ts';
import { regexProblem } from './patterns.ts';
import { closed, optional, text } from './shapes.ts';
import type { FieldPath, Precondition } from './types.ts';

const Condition = Type.Object(
  optional({
    condition: text('A command; or, beside expected, a text whose references are resolved'),
    eval: text(
      'A text whose references are resolved, and whose commands in `…` and $(…) run, to be compared with expected',
    ),
    expected: text('What a line of the text must be; re: begins a regular expression'),
    negate: Type.Boolean({ title: 'The condition must not be met' }),
  }),
  { ...closed, description: 'a condition, or an object with condition, expected and negate' },
);

/** `preconditions` of a workflow or a step. */
export const PreconditionsDocument = Type.Union(
  [
    Type.String(),
    Type.Array(
      Type.Union([Type.String(), Condition], {
        description: 'a condition, or an object with condition, expected and negate',
      }),
    ),
  ],
  {
    title: 'What must hold before it runs: a workflow is aborted otherwise, a step is skipped',
    description: 'a condition, or a list of conditions',
  },
);
export type PreconditionsDocument = Static<typeof PreconditionsDocument>;

/** Reads conditions whose shape was checked. */
export function readPreconditions(
  document: PreconditionsDocument | undefined,
  path: FieldPath,
  findings: Findings,
): Precondition[] {
  if (document === undefined) return [];
  if (typeof document === 'string') return readOne({ condition: document }, path, findings);
  return document.flatMap((entry, index) =>
    readOne(typeof entry === 'string' ? { condition: entry } : entry, [...path, index], findings),
  );
}

function readOne(entry: Static<typeof Condition>, path: FieldPath, findings: Findings): Precondition[] {
  const { condition, eval: evaluated, expected, negate = false } = entry;
  const value = condition ?? evaluated;
  if (value === undefined || (condition !== undefined && evaluated !== undefined)) {
    findings.field(path, 'a condition has either condition or eval');
    return [];
  }
  if (value.trim() === '') findings.field(path, 'a condition must be a non-empty string');
  if (expected === undefined) {
    if (evaluated !== undefined) findings.field(path, 'eval needs expected; a command alone is a condition');
    return [{ condition: value, negate }];
  }
  if (expected.trim() === '') findings.field([...path, 'expected'], 'expected must be a non-empty string');
  const pattern = expected.startsWith('re:') ? regexProblem(expected.slice(3)) : undefined;
  if (pattern !== undefined) findings.field([...path, 'expected'], pattern);
  if (evaluated !== undefined) return [{ condition: value, substitutes: true, expected, negate }];
  if (/`|\$\(/.test(value)) {
    findings.field(
      path,
      'beside expected no command of a condition runs: `…` and $(…) would stay as they are; use eval',
    );
  }
  return [{ condition: value, expected, negate }];
}
