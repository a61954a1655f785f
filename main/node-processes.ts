import { fork } from 'node:child_process';
import { childChannel } from '../core/process/channels.ts';
import { entryPath } from '../core/process/entries.ts';
import type { ForkExecutor } from './supervisor.ts';

/** Starts the executor as a child of a plain Node process; the executor starts its own driver. */
export const forkNodeExecutor: ForkExecutor = () => {
  const child = fork(entryPath('executor'), [], {
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    // A group of its own: Ctrl+C reaches the command, which stops the run in order.
    detached: process.platform !== 'win32',
  });
  return { channel: childChannel(child), kill: () => child.kill('SIGKILL') };
};
