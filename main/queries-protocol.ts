import { Type } from 'typebox';
import { AttemptSummary } from '../core/contract/api.ts';
import { RunRequest } from '../core/contract/messages.ts';
import { Nothing } from '../core/contract/protocol.ts';
import { RunDetail, RunStatusSchema, RunSummary } from '../core/contract/run.ts';
import { RetentionSettings } from '../core/contract/settings.ts';
import { Answer } from '../core/store/decisions.ts';

const Ref = Type.Object({ runId: Type.String() });
const Content = Type.Object({ path: Type.String(), hash: Type.String() });

/** A run that waits for its turn, and how many runs of its workflow may be at work: 0, as many as are started. */
const QueuedRun = Type.Object({ run: RunSummary, maxActiveRuns: Type.Integer(), isStopped: Type.Boolean() });

/** What the store's thread does, so that main's event loop never waits for the disk. */
export const queriesProtocol = {
  listRuns: {
    params: Type.Object({
      limit: Type.Integer({ minimum: 1 }),
      workflow: Type.Optional(Type.String()),
      statuses: Type.Optional(Type.Array(RunStatusSchema)),
      from: Type.Optional(Type.String()),
      to: Type.Optional(Type.String()),
      before: Type.Optional(Type.String()),
    }),
    result: Type.Object({ runs: Type.Array(RunSummary) }),
  },
  getRun: {
    params: Type.Object({ runId: Type.String(), attempt: Type.Optional(Type.Integer()) }),
    result: Type.Object({ detail: Type.Optional(RunDetail) }),
  },
  /** None where there is no such run. */
  attempts: { params: Ref, result: Type.Object({ attempts: Type.Array(AttemptSummary) }) },
  /** A number that changes whenever any process changed the store. */
  version: { params: Nothing, result: Type.Object({ version: Type.Integer() }) },

  /** What there is to do for a supervisor: runs that wait for their turn, oldest first, those at work, those to go on with. */
  work: {
    params: Nothing,
    result: Type.Object({
      queued: Type.Array(QueuedRun),
      active: Type.Array(RunSummary),
      /** Waiting runs that have an answer, or are asked to stop. */
      resumable: Type.Array(RunSummary),
    }),
  },
  /** Writes a run that waits for its turn, unless the moment of a schedule that it is for has a run already. */
  queueRun: {
    params: Type.Object({ request: RunRequest, name: Type.String(), source: Type.String() }),
    result: Type.Object({ isNew: Type.Boolean() }),
  },
  /** The text that a run runs, and the hash of the content that was allowed for it; absent where it needed none. */
  contentOf: {
    params: Ref,
    result: Type.Object({
      text: Type.Optional(Type.String()),
      contentHash: Type.Optional(Type.String()),
      /** How many runs of its workflow may be at work at once; 0: as many as are started. */
      maxActiveRuns: Type.Integer(),
    }),
  },
  addAnswer: { params: Type.Object({ runId: Type.String(), answer: Answer }), result: Nothing },
  /** False where the run is at its end already. */
  requestStop: {
    params: Type.Object({ runId: Type.String(), reason: Type.String() }),
    result: Type.Object({ isAsked: Type.Boolean() }),
  },
  /** Ends a run that waits for its turn and could not begin, with the reason. */
  failQueued: { params: Type.Object({ runId: Type.String(), error: Type.String() }), result: Nothing },
  /** Throws `disk_full` where there is no room for another run. */
  checkFreeSpace: { params: Nothing, result: Nothing },
  prune: { params: RetentionSettings, result: Type.Object({ removed: Type.Array(Type.String()) }) },

  /** For each content, in order: whether a person allowed it, and whether any content of its path was. */
  trustOf: {
    params: Type.Object({ contents: Type.Array(Content) }),
    result: Type.Object({ states: Type.Array(Type.Object({ allowed: Type.Boolean(), known: Type.Boolean() })) }),
  },
  trust: { params: Content, result: Nothing },
  scheduleMarks: {
    params: Type.Object({ paths: Type.Array(Type.String()) }),
    result: Type.Object({ marks: Type.Record(Type.String(), Type.String()) }),
  },
  setScheduleMark: { params: Type.Object({ path: Type.String(), until: Type.String() }), result: Nothing },
};
