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

/** What starts runs. */
export const triggers = ['manual', 'tray', 'scheduler', 'catchup', 'subdag', 'retry', 'webhook', 'unknown'] as const;
export type Trigger = (typeof triggers)[number];

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

/** A person's decision about a step's result, or the wait for it (`approval`). */
export const ApprovalState = Type.Object(
  {
    state: Type.Enum(['waiting', 'approved', 'rejected', 'pushed_back']),
    prompt: Type.Optional(Type.String()),
    /** Names of what the person may give, and of what must be given. */
    input: Type.Array(Type.String()),
    required: Type.Array(Type.String()),
    /** Key of the step where a push-back begins again. */
    rewindTo: Type.String(),
    /** What was given with the newest decision. */
    inputs: Type.Record(Type.String(), Type.String()),
    reason: Type.Optional(Type.String()),
    decidedAt: Type.Optional(Type.String()),
  },
  { additionalProperties: false },
);
export type ApprovalState = Static<typeof ApprovalState>;

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
  /** Tries after the first one, in this attempt of the run. */
  retries: Type.Optional(Type.Integer()),
  /** How often it was begun anew by a push-back; absent before the first. */
  pushBacks: Type.Optional(Type.Integer()),
  approval: Type.Optional(ApprovalState),
  stdoutFile: Type.Optional(Type.String()),
  stderrFile: Type.Optional(Type.String()),
});
export type StepSummary = Static<typeof StepSummary>;

/** The run that a run belongs to, of a sub-workflow, an item of a `foreach`, or a model's tool call. */
export const RunParent = Type.Object(
  {
    runId: Type.String(),
    step: Type.String(),
    /** Names this run among those of the step: an item's key, a tool call's number; empty for the only one. */
    item: Type.String(),
  },
  { additionalProperties: false },
);
export type RunParent = Static<typeof RunParent>;

/** What a run exchanged with one host over the network. */
export const EgressEntry = Type.Object(
  {
    /** Name, with its port where that is not the protocol's own. */
    host: Type.String(),
    /** What it was for: `model`, … */
    kind: Type.String(),
    requests: Type.Integer(),
    bytesSent: Type.Integer(),
    bytesReceived: Type.Integer(),
    /** Whether a picture was among what was sent. */
    pictures: Type.Boolean(),
    /** The host is this computer itself, so that nothing left it. */
    loopback: Type.Boolean(),
    /** Host of the proxy that it went through. */
    proxy: Type.Optional(Type.String()),
  },
  { additionalProperties: false },
);
export type EgressEntry = Static<typeof EgressEntry>;

export const RunSummary = Type.Object({
  runId: Type.String(),
  /** From 1; a retry of the run is the next attempt. */
  attempt: Type.Integer(),
  /** Set for a run under another. */
  parent: Type.Optional(RunParent),
  /** The workflow's name: the file's stem unless `start --name` or the file says otherwise. */
  name: Type.String(),
  /** Absolute path of the workflow file. */
  path: Type.String(),
  status: RunStatusSchema,
  /** Who started it: {@link triggers}. */
  trigger: Type.String(),
  /** The moment of the schedule that a scheduled or caught-up run is for. */
  scheduledAt: Type.Optional(Type.String()),
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
  /** The newest 1,000. */
  events: Type.Array(TimelineEvent),
  /** Runs under this one, in the order of their creation. */
  children: Type.Array(RunSummary),
  egress: Type.Array(EgressEntry),
});
export type RunDetail = Static<typeof RunDetail>;
