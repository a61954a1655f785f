import { CallError, serve } from '../../core/contract/protocol.ts';
import { parentChannel } from '../../core/process/channels.ts';
import { LimitPassed } from './budget.ts';
import { documentsProtocol } from './protocol.ts';
import { readHere } from './read.ts';
import { Unreadable } from './unreadable.ts';
import { startWatch } from './watch.ts';

/** Serves the process that started this one and gave the bytes of memory that it may take. */
export function serveDocuments(): void {
  startWatch(Number(process.argv[2]));
  const channel = parentChannel();
  channel.onClose(() => process.exit(0));
  serve(channel, documentsProtocol, {
    read: async ({ kind, bytes, limits }) => {
      try {
        return { parts: await readHere(kind, bytes, limits) };
      } catch (error) {
        if (error instanceof LimitPassed) throw new CallError(error.limit, error.message);
        if (error instanceof Unreadable) throw new CallError('unreadable', error.message);
        throw error;
      }
    },
  });
}
