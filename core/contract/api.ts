import { type Static, Type } from 'typebox';
import { maxListedRuns, maxReadBytes } from './limits.ts';
import { Nothing } from './protocol.ts';
import { RunDetail, RunStatusSchema, RunSummary } from './run.ts';
import { AppSettings, ChangeableSettings } from './settings.ts';
import { ScheduleEntry, TrustState, WorkflowFile, WorkflowPlan } from './workflow-file.ts';

/**
 * Every call that a page may make of the tray app, and the REST server with it. The preload
 * bridge exposes one named function for each entry; parameters and results are checked on both
 * sides. Failures have one of the codes of failures.ts.
 */

const closed = { additionalProperties: false } as const;

const RunId = Type.String({ pattern: '^[-a-zA-Z0-9_]{1,64}$' });
const RunRef = Type.Object({ runId: RunId }, closed);
const StepKey = Type.String({ minLength: 1, maxLength: 300 });
const Path = Type.String({ minLength: 1, maxLength: 4096 });
/** RFC 3339. */
const Moment = Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}' });

/** Values by name, as a reviewer gives them. */
const Inputs = Type.Record(Type.String(), Type.String({ maxLength: 65_536 }));

/** One attempt of a run: the first one, or a retry. */
export const AttemptSummary = Type.Object(
  {
    attempt: Type.Integer(),
    status: RunStatusSchema,
    trigger: Type.String(),
    startedAt: Type.Optional(Type.String()),
    finishedAt: Type.Optional(Type.String()),
    error: Type.Optional(Type.String()),
  },
  closed,
);
export type AttemptSummary = Static<typeof AttemptSummary>;

/** Bytes of a file from a place on. */
const FilePart = Type.Object(
  {
    bytes: Type.Unsafe<Uint8Array>({}),
    /** Where the bytes begin, in bytes from the file's start. */
    from: Type.Integer(),
    /** Where to go on reading. */
    next: Type.Integer(),
    /** The file's size when it was read. */
    size: Type.Integer(),
  },
  closed,
);
export type FilePart = Static<typeof FilePart>;

const Range = {
  /** In bytes from the file's start; a negative number counts from its end. */
  from: Type.Integer(),
  limit: Type.Integer({ minimum: 1, maximum: maxReadBytes }),
};

/** A file that a run kept. */
export const Artifact = Type.Object(
  {
    /** Relative to the run's artifacts folder, with `/`. */
    file: Type.String(),
    bytes: Type.Integer(),
    modifiedAt: Type.String(),
  },
  closed,
);
export type Artifact = Static<typeof Artifact>;

/** A moment at which the schedule of a workflow does something. */
export const UpcomingMoment = Type.Object(
  { path: Type.String(), name: Type.String(), trust: TrustState, entry: ScheduleEntry },
  closed,
);
export type UpcomingMoment = Static<typeof UpcomingMoment>;

export const apiProtocol = {
  /** The workflow files of the watched folder, by their names. `no_folder`, `no_access`. */
  listWorkflows: {
    params: Nothing,
    result: Type.Object({ folder: Type.String(), workflows: Type.Array(WorkflowFile) }, closed),
  },

  /** What a file of the watched folder will do when it runs. `not_found`, `broken`. */
  getWorkflowPlan: { params: Type.Object({ path: Path }, closed), result: WorkflowPlan },

  /**
   * A person allows the content that a plan was of; it may then run, and is scheduled from now
   * on. `changed` where the file has another content meanwhile: nothing is allowed then.
   */
  allowWorkflow: {
    params: Type.Object({ path: Path, hash: Type.String({ pattern: '^[0-9a-f]{64}$' }) }, closed),
    result: Nothing,
  },

  /**
   * Starts a file of the watched folder, or queues it where as many runs are at work as may be.
   * Answers when the store has the run. `not_found`, `broken`, `not_allowed`, `bad_params`,
   * `busy` (the workflow is at work, and the file does not say how many runs of it may be).
   */
  startRun: {
    params: Type.Object({ path: Path, params: Type.Optional(Inputs) }, closed),
    result: RunRef,
  },

  /**
   * Asks a run to end, whoever runs it: its abort and exit handlers still run. It has ended
   * when its status says so. `not_found`, `ended`.
   */
  stopRun: { params: RunRef, result: Nothing },

  /**
   * Tries a run at its end again: a new attempt that keeps the steps that succeeded. With
   * `fromStep`, that step and all that depend on it run again whatever became of them.
   * `not_found`, `not_ended`, `busy`.
   */
  retryRun: {
    params: Type.Object({ runId: RunId, fromStep: Type.Optional(StepKey) }, closed),
    result: Nothing,
  },

  /** Approves the result of a step that waits; the run goes on. `not_found`, `not_waiting`, `bad_inputs`. */
  approveStep: {
    params: Type.Object({ runId: RunId, step: StepKey, inputs: Inputs }, closed),
    result: Nothing,
  },

  /** Rejects the result of a step that waits; the run ends. `not_found`, `not_waiting`, `bad_inputs`. */
  rejectStep: {
    params: Type.Object(
      { runId: RunId, step: StepKey, inputs: Inputs, reason: Type.Optional(Type.String({ maxLength: 4096 })) },
      closed,
    ),
    result: Nothing,
  },

  /**
   * Sends a step that waits back: it, and what it is made of from its `rewind_to` on, runs
   * again with the inputs. `not_found`, `not_waiting`, `bad_inputs`.
   */
  pushBackStep: {
    params: Type.Object(
      { runId: RunId, step: StepKey, inputs: Inputs, reason: Type.Optional(Type.String({ maxLength: 4096 })) },
      closed,
    ),
    result: Nothing,
  },

  /** Answers a question that a step asks; the run goes on. `not_found`, `not_waiting`. */
  answerAsk: {
    params: Type.Object(
      { runId: RunId, step: StepKey, ask: Type.String({ minLength: 1, maxLength: 200 }), inputs: Inputs },
      closed,
    ),
    result: Nothing,
  },

  /**
   * Runs that no other run started, newest first: a page of them, which begins after the run
   * `before`. Filters are joined by "and"; `from` and `to` are of the moment a run was made.
   */
  listRuns: {
    params: Type.Object(
      {
        limit: Type.Integer({ minimum: 1, maximum: maxListedRuns }),
        before: Type.Optional(RunId),
        /** A workflow's name, or the path of its file. */
        workflow: Type.Optional(Path),
        statuses: Type.Optional(Type.Array(RunStatusSchema)),
        from: Type.Optional(Moment),
        to: Type.Optional(Moment),
      },
      closed,
    ),
    result: Type.Object({ runs: Type.Array(RunSummary) }, closed),
  },

  /** A run with its steps, events, children and egress; of its newest attempt, or of the one asked for. `not_found`. */
  getRun: {
    params: Type.Object({ runId: RunId, attempt: Type.Optional(Type.Integer({ minimum: 1 })) }, closed),
    result: RunDetail,
  },

  /** The attempts of a run, the first one first. `not_found`. */
  listAttempts: { params: RunRef, result: Type.Object({ attempts: Type.Array(AttemptSummary) }, closed) },

  /**
   * A part of what a step printed, secrets masked; an empty one where it printed nothing yet.
   * Ends between characters, unless a character is all there is. `not_found`.
   */
  readLog: {
    params: Type.Object(
      {
        runId: RunId,
        step: StepKey,
        attempt: Type.Optional(Type.Integer({ minimum: 1 })),
        stream: Type.Enum(['stdout', 'stderr']),
        ...Range,
      },
      closed,
    ),
    result: FilePart,
  },

  /** Files that a run kept, by name; at most 1,000, and whether there are more. `not_found`. */
  listArtifacts: {
    params: RunRef,
    result: Type.Object({ artifacts: Type.Array(Artifact), more: Type.Boolean() }, closed),
  },

  /** A part of a file that a run kept. `not_found`. */
  readArtifact: {
    params: Type.Object({ runId: RunId, file: Path, ...Range }, closed),
    result: FilePart,
  },

  /** A screenshot named by an event's `files`, as PNG bytes. `not_found`, `too_large`. */
  readScreenshot: {
    params: Type.Object({ runId: RunId, file: Type.String() }, closed),
    result: Type.Object({ png: Type.Unsafe<Uint8Array>({}) }, closed),
  },

  /** The runs that wait for their turn, the next one first, and how many are at work. */
  getQueue: {
    params: Nothing,
    result: Type.Object(
      { queued: Type.Array(RunSummary), active: Type.Integer(), maxActiveRuns: Type.Integer() },
      closed,
    ),
  },

  /** What the schedules of the watched folder do next, the soonest first, each entry once. */
  listSchedules: { params: Nothing, result: Type.Object({ upcoming: Type.Array(UpcomingMoment) }, closed) },

  /** The settings of this data directory. `settings`. */
  getSettings: { params: Nothing, result: AppSettings },

  /** Writes the settings that a page may change, and answers with all as they are now. `settings`. */
  changeSettings: { params: ChangeableSettings, result: AppSettings },
};

/** Notices that main sends to its pages. */
export const apiNotices = {
  /** Something of this run changed in the store. */
  runChanged: RunRef,
  /** The workflows folder's files changed, or what is allowed of them, or when they run. */
  workflowsChanged: Nothing,
  /** The settings changed. */
  settingsChanged: Nothing,
};
export type ApiNotice = keyof typeof apiNotices;
