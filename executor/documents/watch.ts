import { writeSync } from 'node:fs';
import { Worker, workerData } from 'node:worker_threads';
import { entryPath } from '../../core/process/entries.ts';

/** How often the thread looks, in ms: what a document takes between two looks is memory over the limit. */
const lookEveryMs = 25;

/** Written to the error output before the process ends itself for its memory. */
export const memoryMark = 'document: out of memory';

interface Watched {
  memoryBytes: number;
  parent: number;
}

/** Starts the thread that ends this process when it takes too much memory, or has outlived the one that started it. */
export function startWatch(memoryBytes: number): void {
  const data: Watched = { memoryBytes, parent: process.ppid };
  new Worker(entryPath('documents'), { workerData: data }).unref();
}

/** What the thread does. */
export function watch(): void {
  const { memoryBytes, parent } = workerData as Watched;
  setInterval(() => {
    const isFull = process.memoryUsage.rss() > memoryBytes;
    if (!isFull && lives(parent)) return;
    if (isFull) writeSync(2, `${memoryMark}\n`);
    process.kill(process.pid, 'SIGKILL');
  }, lookEveryMs);
}

/** On Windows the number stays the dead one's. */
function lives(parent: number): boolean {
  if (process.platform !== 'win32') return process.ppid === parent;
  try {
    process.kill(parent, 0);
    return true;
  } catch {
    return false; // there is no such process
  }
}
