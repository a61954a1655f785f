import { parentPort, workerData } from 'node:worker_threads';
import { serve } from '../core/contract/protocol.ts';
import { threadChannel } from '../core/process/channels.ts';
import { Store } from '../core/store/store.ts';
import { queriesProtocol } from './queries-protocol.ts';
import { storeQueries } from './store-queries.ts';

/** The store's thread: opens the data directory it is given and answers questions about runs. */
if (parentPort === null) throw new Error('queries.js runs as a worker thread');
serve(threadChannel(parentPort), queriesProtocol, storeQueries(new Store(workerData as string)));
