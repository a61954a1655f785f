import { type Static, Type } from 'typebox';
import { LlmConfig } from './llm.ts';
import { Selector } from './selector.ts';
import type { JsonObject } from './types.ts';

/** The shapes of `with` of `computer.run` and `computer.extract` (spec: Computer Actions). */

const closed = { additionalProperties: false } as const;
const Optional = Type.Optional;

/** Systems that pins are kept by: `recorded.windows`, `fields.linux`. */
export const pinSystems = ['windows', 'macos', 'linux'] as const;
export type PinSystem = (typeof pinSystems)[number];

const Ai = Type.Enum(['every_run', 'on_miss', 'never'], { title: 'When the model decides' });
const Input = Type.Enum(['screen', 'direct'], { title: 'How acts reach the application' });
/** A duration in Go syntax; its form is checked in computer.ts, since a reference may stand in it. */
const Duration = Type.String({ minLength: 1 });
/** A duration that may also be the number 0, as YAML reads `idle: 0`. */
const DurationOrZero = Type.Union([Duration, Type.Literal(0)], { description: 'a duration such as 10s, or 0' });
const Instruction = Type.String({ minLength: 1, title: 'What is to be done, in words' });
const JsonSchema = Type.Unsafe<JsonObject>({ type: 'object' });

/** Steps of `recorded` (spec: Pinned steps): each is exactly one of these. */
export const pinnedSteps = {
  click: Type.Object({ click: Selector }, closed),
  double_click: Type.Object({ double_click: Selector }, closed),
  right_click: Type.Object({ right_click: Selector }, closed),
  type: Type.Object({ type: Type.Object({ into: Selector, text: Type.String() }, closed) }, closed),
  key: Type.Object({ key: Type.String({ minLength: 1 }), focus: Optional(Selector) }, closed),
  scroll: Type.Object({ scroll: Type.Object({ on: Selector, dy: Type.Integer() }, closed) }, closed),
  wait: Type.Object({ wait: Duration }, closed),
} as const;
export type PinKind = keyof typeof pinnedSteps;
export type PinnedStep = { [K in PinKind]: Static<(typeof pinnedSteps)[K]> }[PinKind];

/** A table's pin: the list that holds it, and a column header for each property of a row. */
export const TablePin = Type.Object(
  { container: Selector, columns: Type.Record(Type.String(), Type.String({ minLength: 1 })) },
  closed,
);
export type TablePin = Static<typeof TablePin>;

const perSystem = <T>() => Optional(Type.Unsafe<Partial<Record<PinSystem, T>>>({ type: 'object' }));

export const LaunchCommand = Type.Object(
  { command: Type.String({ minLength: 1 }), args: Optional(Type.Array(Type.String())) },
  closed,
);

export const Act = Type.Object(
  {
    instruction: Instruction,
    ai: Optional(Ai),
    cache: Optional(Type.Boolean()),
    max_actions: Optional(Type.Integer({ minimum: 1 })),
    find_within: Optional(DurationOrZero),
    input: Optional(Input),
    maximize: Optional(Type.Boolean()),
    recorded: perSystem<PinnedStep[]>(),
  },
  closed,
);
export type Act = Static<typeof Act>;

export const Extract = Type.Object(
  {
    instruction: Instruction,
    schema: JsonSchema,
    ai: Optional(Ai),
    maximize: Optional(Type.Boolean()),
    max_rows: Optional(Type.Integer({ minimum: 1 })),
    fields: perSystem<Record<string, Selector | TablePin>>(),
  },
  closed,
);
export type Extract = Static<typeof Extract>;

export const Ask = Type.Object({ prompt: Instruction, as: Type.String(), timeout: Optional(Duration) }, closed);
export type Ask = Static<typeof Ask>;

/** A condition written as an object: exactly one of the first four. */
export const Condition = Type.Object(
  {
    statement: Optional(Instruction),
    text: Optional(Type.String({ minLength: 1 })),
    element: Optional(Selector),
    window: Optional(Type.String({ minLength: 1 })),
    within: Optional(Duration),
  },
  closed,
);
export type Condition = Static<typeof Condition>;

/** The kinds of operations, in the order in which messages list them, with the object form of each. */
export const operationKinds = {
  launch: LaunchCommand,
  act: Act,
  extract: Extract,
  expect: Condition,
  wait: undefined,
  screenshot: undefined,
  ask: Ask,
} as const;
export type OperationKind = keyof typeof operationKinds;

/** An operation as a file writes it: exactly one kind, and what any operation may set. */
export interface WrittenOperation {
  launch?: string | Static<typeof LaunchCommand>;
  act?: string | Act;
  extract?: Extract;
  expect?: string | Condition;
  wait?: string;
  screenshot?: string;
  ask?: Ask;
  when?: string | Condition;
  timeout?: string;
}

const shared = {
  mode: Optional(Type.Enum(['auto', 'native', 'generic'], { title: 'Which tools the model acts with' })),
  screenshots: Optional(Type.Enum(['on_failure', 'final', 'each', 'never'], { title: 'When pictures are kept' })),
  llm: Optional(LlmConfig),
};

/** `with` of `computer.run`; each operation is checked by its kind. */
export const ComputerRunInput = Type.Object(
  {
    ...shared,
    variables: Optional(Type.Record(Type.String(), Type.String(), { title: 'Values that %name% stands for' })),
    visible: Optional(Type.Array(Type.String(), { title: 'Variables whose values the model may see' })),
    ai: Optional(Ai),
    cache: Optional(Type.Boolean()),
    input: Optional(Input),
    maximize: Optional(Type.Boolean()),
    marks: Optional(Type.Boolean()),
    max_actions: Optional(Type.Integer({ minimum: 1 })),
    on_confirmation: Optional(Type.Enum(['fail', 'allow'])),
    idle: Optional(DurationOrZero),
    find_within: Optional(DurationOrZero),
    do: Type.Unsafe<WrittenOperation[]>({ type: 'array' }),
  },
  closed,
);
export type ComputerRunInput = Static<typeof ComputerRunInput>;

/** `with` of `computer.extract`, which runs as one extract operation. */
export const ComputerExtractInput = Type.Object(
  { ...shared, instruction: Instruction, schema: JsonSchema, timeout: Optional(Duration) },
  closed,
);
