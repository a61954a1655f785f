import { isMainThread } from 'node:worker_threads';

/**
 * The process that reads one document and ends. Its main thread may be kept busy, or
 * filled, by a hostile document; a second thread, which runs this too, watches it.
 */
if (isMainThread) void import('./serve.ts').then(({ serveDocuments }) => serveDocuments());
else void import('./watch.ts').then(({ watch }) => watch());
