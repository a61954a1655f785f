import { Type } from 'typebox';
import { Nothing } from '../core/contract/protocol.ts';
import { RunDetail, RunSummary } from '../core/contract/run.ts';

/** What the store's thread answers, so that main's event loop never waits for the disk. */
export const queriesProtocol = {
  listRuns: {
    params: Type.Object({ limit: Type.Integer({ minimum: 1 }), workflow: Type.Optional(Type.String()) }),
    result: Type.Object({ runs: Type.Array(RunSummary) }),
  },
  getRun: {
    params: Type.Object({ runId: Type.String() }),
    result: Type.Object({ detail: Type.Optional(RunDetail) }),
  },
  /** A number that changes whenever any process changed the store. */
  version: { params: Nothing, result: Type.Object({ version: Type.Integer() }) },
};
