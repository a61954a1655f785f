import { type Static, Type } from 'typebox';
import type { Findings } from './findings.ts';
import { regexProblem } from './patterns.ts';
import { closed, optional, texts } from './shapes.ts';
import type { ContinueOn, FieldPath, RetryPolicy } from './types.ts';

/** What happens after a step that did not succeed: another try, or going on all the same. */

const ExitCodes = Type.Union([Type.Integer(), Type.Array(Type.Integer())], {
  description: 'an exit code, or a list of exit codes',
});

export const RetryPolicyDocument = Type.Object(
  {
    limit: Type.Union([Type.Integer({ minimum: 0 }), Type.String()], {
      title: 'How often it is tried again',
      description: 'a whole number >= 0, or a text with a reference',
    }),
    interval_sec: Type.Union([Type.Number({ minimum: 0 }), Type.String()], {
      title: 'Seconds before the next try',
      description: 'a number >= 0, or a text with a reference',
    }),
    ...optional({
      backoff: Type.Union([Type.Boolean(), Type.Number()], {
        title: 'What each wait is multiplied with for the next; true is 2.0',
        description: 'true, or a number greater than 1.0',
      }),
      max_interval_sec: Type.Number({ minimum: 0, title: 'Longest wait in seconds', description: '>= 0' }),
      exit_code: ExitCodes,
    }),
  },
  { ...closed, title: 'Tries after a failure', description: 'an object with limit and interval_sec' },
);
export type RetryPolicyDocument = Static<typeof RetryPolicyDocument>;

export const ContinueOnDocument = Type.Union(
  [
    Type.Enum(['failed', 'skipped']),
    Type.Object(
      optional({
        failure: Type.Boolean({ title: 'Steps after it run though it failed' }),
        skipped: Type.Boolean({ title: 'Steps after it run though it was skipped' }),
        exit_code: ExitCodes,
        output: texts('Texts in its output, or regular expressions that begin with re:'),
        mark_success: Type.Boolean({ title: 'It then counts as succeeded' }),
      }),
      closed,
    ),
  ],
  {
    title: 'Ends after which the steps that depend on it run all the same',
    description: '"failed", "skipped", or an object with failure, skipped, exit_code, output and mark_success',
  },
);
export type ContinueOnDocument = Static<typeof ContinueOnDocument>;

/** A retry policy whose shape was checked. */
export function readRetryPolicy(document: RetryPolicyDocument, path: FieldPath, findings: Findings): RetryPolicy {
  const { limit, interval_sec, backoff, max_interval_sec, exit_code } = document;
  for (const [key, value] of Object.entries({ limit, interval_sec })) {
    if (typeof value !== 'string' || value.includes('$') || /^\d+$/.test(value)) continue;
    findings.field([...path, key], `${key} must be a whole number, or a text with a reference (value: ${value})`);
  }
  const factor = backoff === true ? 2 : backoff || 1;
  if (typeof backoff === 'number' && backoff !== 0 && backoff <= 1) {
    findings.field([...path, 'backoff'], `backoff must be greater than 1.0 (value: ${backoff})`);
  }
  return {
    limit: wholeNumber(limit),
    intervalSec: wholeNumber(interval_sec),
    backoff: factor,
    ...(max_interval_sec !== undefined && max_interval_sec > 0 && { maxIntervalSec: max_interval_sec }),
    ...(exit_code !== undefined && { exitCodes: [exit_code].flat() }),
  };
}

function wholeNumber(value: number | string): number | string {
  return typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value;
}

/** `continue_on` whose shape was checked. */
export function readContinueOn(
  document: ContinueOnDocument | undefined,
  path: FieldPath,
  findings: Findings,
): ContinueOn {
  const nothing = { failure: false, skipped: false, exitCodes: [], outputs: [], markSuccess: false };
  if (document === undefined) return nothing;
  if (typeof document === 'string') {
    return { ...nothing, failure: document === 'failed', skipped: document === 'skipped' };
  }
  const outputs = [document.output ?? []].flat();
  for (const output of outputs) {
    const problem = output.startsWith('re:') ? regexProblem(output.slice(3)) : undefined;
    if (problem !== undefined) findings.field([...path, 'output'], problem);
  }
  return {
    failure: document.failure ?? false,
    skipped: document.skipped ?? false,
    exitCodes: [document.exit_code ?? []].flat(),
    outputs,
    markSuccess: document.mark_success ?? false,
  };
}
