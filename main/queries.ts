import { parentPort, workerData } from 'node:worker_threads';
import { serve } from '../core/contract/protocol.ts';
import { threadChannel } from '../core/process/channels.ts';
import { Store } from '../core/store/store.ts';
import { queriesProtocol } from './queries-protocol.ts';

/** The store's thread: opens the data directory it is given and answers questions about runs. */
if (parentPort === null) throw new Error('queries.js runs as a worker thread');
const store = new Store(workerData as string);
serve(threadChannel(parentPort), queriesProtocol, {
  listRuns: ({ limit, workflow }) => ({ runs: store.listRuns({ limit, ...(workflow !== undefined && { workflow }) }) }),
  getRun: ({ runId }) => {
    const detail = store.getRun(runId);
    return detail === undefined ? {} : { detail };
  },
  version: () => ({ version: store.dataVersion() }),
});
