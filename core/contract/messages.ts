import { type Static, Type } from 'typebox';
import { Nothing } from './protocol.ts';
import { RunStatusSchema } from './run.ts';

/**
 * What becomes of a run in a fresh executor process. `start`: a new run. `queued`: a run that
 * the store has as queued. `retry`: a run at its end has a new attempt, which keeps the steps
 * that succeeded. `resume`: a waiting run goes on with the answers, or the stop, that the
 * store has for it. For the last three the store has the workflow, as it was when the run was
 * made, and its parameters; `path` and `params` are not looked at.
 */
export const runModes = ['start', 'queued', 'retry', 'resume'] as const;
export type RunMode = (typeof runModes)[number];

/** What a supervisor asks of a fresh executor process: to run one workflow, then to end. */
export const RunRequest = Type.Object(
  {
    mode: Type.Enum(runModes),
    runId: Type.String({ pattern: '^[-a-zA-Z0-9_]{1,64}$' }),
    /** Absolute path of the workflow file. */
    path: Type.String(),
    /** The run's name for the workflow, where `--name` gave one. */
    name: Type.Optional(Type.String()),
    /** Parameters given at the start; the file's defaults are not in it. */
    params: Type.Array(Type.Object({ name: Type.Optional(Type.String()), value: Type.String() })),
    trigger: Type.String(),
    scheduledAt: Type.Optional(Type.String()),
    /** Where a retry begins: this step and all that depend on it run again, whatever became of them. */
    fromStep: Type.Optional(Type.String()),
    /** Folder of steps where neither they nor the workflow name one. */
    defaultWorkingDir: Type.Optional(Type.String()),
    /** SHA-256 of the content that was allowed to run; a file that has changed since is refused. */
    contentHash: Type.Optional(Type.String()),
    /** The data directory. */
    home: Type.String(),
  },
  { additionalProperties: false },
);
export type RunRequest = Static<typeof RunRequest>;

/** Supervisor → executor. */
export const executorProtocol = {
  /** Answers when the run has its final status, stored. */
  run: {
    params: RunRequest,
    result: Type.Object({ status: RunStatusSchema, error: Type.Optional(Type.String()) }),
  },
  stop: { params: Type.Object({ reason: Type.String() }), result: Nothing },
};

/** Executor → supervisor. */
export const supervisorProtocol = {
  /** Something of the run changed in the store. */
  changed: { params: Type.Object({ runId: Type.String() }), result: Nothing },
  /**
   * Asks the supervisor to start the run's driver. Under Electron its port then arrives
   * as a message with a transferred port; in plain Node the executor starts its own.
   */
  openDriver: { params: Nothing, result: Nothing },
};
