import { type Static, Type } from 'typebox';
import { Nothing } from './protocol.ts';
import { RunDetail, RunSummary } from './run.ts';

/**
 * Every call that a page may make of the tray app. The preload bridge exposes one
 * named function for each entry; parameters and results are checked on both sides.
 */

const closed = { additionalProperties: false } as const;

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
    /** Names of required parameters that have no default: the file cannot be run by one click. */
    missingParams: Type.Array(Type.String()),
  },
  closed,
);
export type WorkflowFile = Static<typeof WorkflowFile>;

const RunRef = Type.Object({ runId: Type.String({ minLength: 1, maxLength: 64 }) }, closed);

export const apiProtocol = {
  listWorkflows: {
    params: Nothing,
    result: Type.Object({ folder: Type.String(), workflows: Type.Array(WorkflowFile) }, closed),
  },
  startRun: { params: Type.Object({ path: Type.String() }, closed), result: RunRef },
  /** Asks a run to end; it has ended when its status says so. */
  stopRun: { params: RunRef, result: Nothing },
  /** Newest first. */
  listRuns: {
    params: Type.Object({ limit: Type.Integer({ minimum: 1, maximum: 1000 }) }, closed),
    result: Type.Object({ runs: Type.Array(RunSummary) }, closed),
  },
  getRun: { params: RunRef, result: RunDetail },
  /** A screenshot named by an event's `files`, as PNG bytes. */
  readScreenshot: {
    params: Type.Object({ runId: Type.String(), file: Type.String() }, closed),
    result: Type.Object({ png: Type.Unsafe<Uint8Array>({}) }, closed),
  },
};

/** Notices that main sends to its pages. */
export const apiNotices = {
  /** Something of this run changed in the store. */
  runChanged: RunRef,
  /** The workflows folder's files changed. */
  workflowsChanged: Nothing,
};
export type ApiNotice = keyof typeof apiNotices;
