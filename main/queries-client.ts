import { Worker } from 'node:worker_threads';
import { type Client, connect } from '../core/contract/protocol.ts';
import { threadChannel } from '../core/process/channels.ts';
import { entryPath } from '../core/process/entries.ts';
import { queriesProtocol } from './queries-protocol.ts';

/** The store's thread of a data directory, and the questions it answers. */
export interface Queries {
  client: Client<typeof queriesProtocol>;
  close(): Promise<void>;
}

/** Starts the store's thread. A call rejects with code `closed` when the thread died, with its reason. */
export function openQueries(home: string): Queries {
  const worker = new Worker(entryPath('queries'), { workerData: home });
  return {
    client: connect(threadChannel(worker), queriesProtocol),
    close: async () => {
      await worker.terminate();
    },
  };
}
