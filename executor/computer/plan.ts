import { asRunInput } from '../../core/workflow/computer.ts';
import type {
  ComputerRunInput,
  Condition,
  Extract,
  PinnedStep,
  WrittenOperation,
} from '../../core/workflow/computer-schema.ts';
import { parseDuration } from '../../core/workflow/durations.ts';
import type { Selector } from '../../core/workflow/selector.ts';
import type { JsonObject } from '../../core/workflow/types.ts';

/** A computer step's input as it runs: one form for each operation, durations in milliseconds. */
export interface Plan {
  operations: Operation[];
  variables: Readonly<Record<string, string>>;
  visible: readonly string[];
  screenshots: 'on_failure' | 'final' | 'each' | 'never';
  maximize: boolean;
  idleMs: number;
}

export type Operation = OperationKinds & {
  when?: Check;
  timeoutMs: number;
};

type OperationKinds =
  | { kind: 'launch'; command: string; args: string[] }
  | ActOperation
  | ExtractOperation
  | ({ kind: 'expect' } & Check)
  | { kind: 'wait'; text: string; ms: number }
  | { kind: 'screenshot'; name: string };

export interface ActOperation {
  kind: 'act';
  instruction: string;
  findWithinMs: number;
  direct: boolean;
  /** Pinned steps by system. */
  recorded: Partial<Record<string, PinnedStep[]>>;
}

export interface ExtractOperation {
  kind: 'extract';
  instruction: string;
  schema: JsonObject;
  findWithinMs: number;
  /** Pinned fields by system. */
  fields: Partial<Record<string, Record<string, Selector>>>;
}

/** An exact check: `withinMs` is how long it is looked for, where the file says so. */
export interface Check {
  test: { text: string } | { element: Selector } | { window: string };
  withinMs?: number;
}

const defaultTimeoutMs = 5 * 60_000;
const defaultFindMs = 10_000;
const defaultIdleMs = 5_000;

/** Makes the plan of an input that was found to be without problems. */
export function planOf(action: string, withBlock: JsonObject): Plan {
  const input = asRunInput(action, withBlock);
  return {
    operations: input.do.map((operation) => operationOf(operation, input)),
    variables: input.variables ?? {},
    visible: input.visible ?? [],
    screenshots: input.screenshots ?? 'on_failure',
    maximize: input.maximize ?? true,
    idleMs: msOf(input.idle) ?? defaultIdleMs,
  };
}

function operationOf(written: WrittenOperation, input: ComputerRunInput): Operation {
  return {
    ...kindOf(written, input),
    ...(written.when !== undefined && { when: checkOf(written.when) }),
    timeoutMs: msOf(written.timeout) ?? defaultTimeoutMs,
  };
}

function kindOf(written: WrittenOperation, input: ComputerRunInput): OperationKinds {
  const { launch, act, extract, expect, wait, screenshot } = written;
  if (launch !== undefined) {
    const { command, args = [] } = typeof launch === 'string' ? { command: launch } : launch;
    return { kind: 'launch', command, args };
  }
  if (act !== undefined) {
    const whole = typeof act === 'string' ? { instruction: act } : act;
    return {
      kind: 'act',
      instruction: whole.instruction,
      findWithinMs: msOf(whole.find_within ?? input.find_within) ?? defaultFindMs,
      direct: (whole.input ?? input.input) === 'direct',
      recorded: whole.recorded ?? {},
    };
  }
  if (extract !== undefined) return extractOf(extract, input);
  if (expect !== undefined) return { kind: 'expect', ...checkOf(expect) };
  if (wait !== undefined) return { kind: 'wait', text: wait, ms: msOf(wait) ?? 0 };
  if (screenshot !== undefined) return { kind: 'screenshot', name: screenshot };
  throw new Error('an operation of a kind that validation refuses reached the run');
}

function extractOf({ instruction, schema, fields }: Extract, input: ComputerRunInput): ExtractOperation {
  return {
    kind: 'extract',
    instruction,
    schema,
    findWithinMs: msOf(input.find_within) ?? defaultFindMs,
    // Tables were refused.
    fields: (fields ?? {}) as ExtractOperation['fields'],
  };
}

function checkOf(condition: string | Condition): Check {
  const { text, element, window, within } = typeof condition === 'string' ? {} : condition;
  const withinMs = msOf(within);
  const wait = withinMs === undefined ? {} : { withinMs };
  if (text !== undefined) return { test: { text }, ...wait };
  if (element !== undefined) return { test: { element }, ...wait };
  if (window !== undefined) return { test: { window }, ...wait };
  throw new Error('a statement reached the run, which validation refuses');
}

function msOf(duration: string | 0 | undefined): number | undefined {
  return typeof duration === 'string' ? parseDuration(duration) : duration;
}
