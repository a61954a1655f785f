import { type Static, Type } from 'typebox';

/** Statuses of a run, with the numbers that Dagu's JSON uses for them. */
export const runStatuses = {
  not_started: 0,
  running: 1,
  failed: 2,
  aborted: 3,
  succeeded: 4,
  queued: 5,
  partially_succeeded: 6,
  waiting: 7,
  rejected: 8,
} as const;
export type RunStatus = keyof typeof runStatuses;

/** Statuses of a step; the first five are those of a run. */
export const stepStatuses = {
  not_started: 0,
  running: 1,
  failed: 2,
  aborted: 3,
  succeeded: 4,
  skipped: 5,
  partially_succeeded: 6,
  waiting: 7,
  rejected: 8,
  retrying: 9,
} as const;
export type StepStatus = keyof typeof stepStatuses;

const literals = <T extends string>(names: Record<T, number>) =>
  Type.Unsafe<T>(Type.Enum(Object.keys(names) as [string, ...string[]]));

export const RunStatusSchema = literals<RunStatus>(runStatuses);
export const StepStatusSchema = literals<StepStatus>(stepStatuses);

/** How an operation of a computer step ran (spec: How much AI decides). */
export const viaNames = ['element', 'screen', 'model', 'exact'] as const;
export type Via = (typeof viaNames)[number];

/**
 * One event on a run's timeline. `tool` is an operation of a computer step,
 * `lifecycle` is what happens around them (waiting, started, failed). Secrets are
 * masked before an event is made.
 */
export const TimelineEvent = Type.Object(
  {
    /** Rises by one within the step, from 1. */
    sequence: Type.Integer(),
    /** `computer-<generation>-<sequence>` */
    id: Type.String(),
    step: Type.String(),
    type: Type.Enum(['tool', 'lifecycle']),
    /** RFC 3339, UTC. */
    timestamp: Type.String(),
    /** The operation's kind; for a lifecycle wait its reason: desktop, person, screen, app. */
    name: Type.Optional(Type.String()),
    status: Type.Enum(['running', 'completed', 'failed', 'skipped', 'waiting', 'cache-hit', 'healed']),
    /** The subject, then, on further lines, the detail. At most 4096 bytes. */
    content: Type.String(),
    /** A lifecycle event's message for translation: a code and what fills it. */
    code: Type.Optional(Type.String()),
    parameters: Type.Optional(Type.Record(Type.String(), Type.Union([Type.String(), Type.Number()]))),
    /** Screenshots, relative to the run's artifacts folder. */
    files: Type.Optional(Type.Array(Type.String())),
    /** The operation's place in `do`, from 1. */
    position: Type.Optional(Type.Integer()),
    via: Type.Optional(Type.Enum(viaNames)),
    durationMs: Type.Optional(Type.Number()),
    tokens: Type.Optional(Type.Integer()),
  },
  { additionalProperties: false },
);
export type TimelineEvent = Static<typeof TimelineEvent>;

export const StepSummary = Type.Object({
  /** The step's id, or its name where it has none: unique in the run. */
  step: Type.String(),
  /** What the step does, for a list: `run`, `chat.completion`, `computer.run`, or a handler's name. */
  action: Type.String(),
  /** Set for a step of `handler_on`: success, failure, exit, … */
  handler: Type.Optional(Type.String()),
  status: StepStatusSchema,
  startedAt: Type.Optional(Type.String()),
  finishedAt: Type.Optional(Type.String()),
  exitCode: Type.Optional(Type.Integer()),
  error: Type.Optional(Type.String()),
  outputs: Type.Record(Type.String(), Type.Unknown()),
  stdoutFile: Type.Optional(Type.String()),
  stderrFile: Type.Optional(Type.String()),
});
export type StepSummary = Static<typeof StepSummary>;

export const RunSummary = Type.Object({
  runId: Type.String(),
  /** The workflow's name: the file's stem unless `start --name` or the file says otherwise. */
  name: Type.String(),
  /** Absolute path of the workflow file. */
  path: Type.String(),
  status: RunStatusSchema,
  /** manual, tray, … : who started it. */
  trigger: Type.String(),
  createdAt: Type.String(),
  startedAt: Type.Optional(Type.String()),
  finishedAt: Type.Optional(Type.String()),
  /** Why the run failed or was aborted, in words. */
  error: Type.Optional(Type.String()),
  params: Type.Record(Type.String(), Type.String()),
  logDir: Type.String(),
  artifactsDir: Type.String(),
});
export type RunSummary = Static<typeof RunSummary>;

export const RunDetail = Type.Object({
  run: RunSummary,
  steps: Type.Array(StepSummary),
  events: Type.Array(TimelineEvent),
});
export type RunDetail = Static<typeof RunDetail>;
