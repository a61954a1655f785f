import { type Static, Type } from 'typebox';

const closed = { additionalProperties: false } as const;

/** A parameter of a workflow, as a form asks for it. Values are texts, as the environment carries them. */
export const ParamField = Type.Object(
  {
    /** A positional one is named by its place, from 1. */
    name: Type.String(),
    type: Type.Enum(['string', 'integer', 'number', 'boolean']),
    required: Type.Boolean(),
    default: Type.Optional(Type.String()),
    description: Type.Optional(Type.String()),
    /** The values that are allowed. */
    enum: Type.Optional(Type.Array(Type.String())),
    minimum: Type.Optional(Type.Number()),
    maximum: Type.Optional(Type.Number()),
    /** Lengths in code points. */
    minLength: Type.Optional(Type.Integer()),
    maxLength: Type.Optional(Type.Integer()),
    /** A regular expression that the value must match somewhere. */
    pattern: Type.Optional(Type.String()),
  },
  closed,
);
export type ParamField = Static<typeof ParamField>;

/** An entry of a workflow's schedule. */
export const ScheduleEntry = Type.Object(
  {
    does: Type.Enum(['start', 'stop', 'restart']),
    /** As it is written: a cron expression, or a moment (RFC 3339). */
    expression: Type.String(),
    /** When it comes next (RFC 3339, UTC); absent where it never comes again, or is not understood. */
    next: Type.Optional(Type.String()),
    /** Why the expression is not understood. */
    problem: Type.Optional(Type.String()),
  },
  closed,
);
export type ScheduleEntry = Static<typeof ScheduleEntry>;

/**
 * Whether a file's content may run: `allowed` by a person or by the settings; `new`, which
 * nobody has allowed in any form; `changed` since it was allowed.
 */
export const trustStates = ['allowed', 'new', 'changed'] as const;
export const TrustState = Type.Enum(trustStates);
export type TrustState = (typeof trustStates)[number];

/** A workflow file of the watched folder. */
export const WorkflowFile = Type.Object(
  {
    path: Type.String(),
    /** File name with its ending. */
    file: Type.String(),
    name: Type.String(),
    description: Type.Optional(Type.String()),
    /** The first error of a file that cannot run, with its line and column where they are known. */
    problem: Type.Optional(
      Type.Object(
        { message: Type.String(), line: Type.Optional(Type.Integer()), column: Type.Optional(Type.Integer()) },
        closed,
      ),
    ),
    params: Type.Array(ParamField),
    /** Names of required parameters that have no default: the file cannot be run by one click. */
    missingParams: Type.Array(Type.String()),
    schedules: Type.Array(ScheduleEntry),
    /** How many runs of it are at work at once, where the file says; 0: as many as are started. */
    maxActiveRuns: Type.Optional(Type.Integer()),
    trust: TrustState,
  },
  closed,
);
export type WorkflowFile = Static<typeof WorkflowFile>;

/** One step as a person is told of it before allowing a file. */
export const PlannedStep = Type.Object(
  {
    step: Type.String(),
    /** Of the sub-workflow that it belongs to; absent for the file's own. */
    workflow: Type.Optional(Type.String()),
    /** `run`, `chat.completion`, `computer.run`, … */
    action: Type.String(),
    /** Set for a step of `handler_on`. */
    handler: Type.Optional(Type.String()),
    /** The commands of a shell step, as they are written. */
    commands: Type.Array(Type.String()),
    /** What it does in words, where the file says it: a description, operations on the screen. */
    texts: Type.Array(Type.String()),
  },
  closed,
);
export type PlannedStep = Static<typeof PlannedStep>;

/** What a file will do when it runs: shown before a person allows it. */
export const WorkflowPlan = Type.Object(
  {
    path: Type.String(),
    file: Type.String(),
    name: Type.String(),
    description: Type.Optional(Type.String()),
    trust: TrustState,
    /** SHA-256 of the content that this plan is of, in hexadecimal digits. */
    hash: Type.String(),
    steps: Type.Array(PlannedStep),
    /** Hosts that it names: of models, and in addresses in its commands. */
    hosts: Type.Array(Type.String()),
    /** Programs that it opens or works in. */
    applications: Type.Array(Type.String()),
    /** Names of the secrets that it reads. */
    secrets: Type.Array(Type.String()),
    schedules: Type.Array(ScheduleEntry),
    /** Other files that belong to the content: sub-workflows and files of variables, by their path. */
    includes: Type.Array(Type.String()),
    /** Set where a sub-workflow's name is known only when it runs: it may be any of the folder. */
    anyWorkflow: Type.Boolean(),
  },
  closed,
);
export type WorkflowPlan = Static<typeof WorkflowPlan>;
