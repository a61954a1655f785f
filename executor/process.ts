import { setTimeout as delay } from 'node:timers/promises';
import type { Channel } from '../core/contract/channel.ts';
import { executorProtocol, supervisorProtocol } from '../core/contract/messages.ts';
import { CallError, connect, serve } from '../core/contract/protocol.ts';
import { Network } from '../core/net/network.ts';
import { type PortLike, parentChannel, portChannel } from '../core/process/channels.ts';
import { StepError } from './action.ts';
import { forkDriver, type OpenDriver, RunDesktop } from './desktop-session.ts';
import { runWorkflow } from './engine/run.ts';
import { Stopped } from './engine/stop-watch.ts';

/**
 * The executor process: runs one workflow for the supervisor that started it, and ends.
 * It is a forked Node process under the command, a utility process under Electron.
 */

/** A utility process' port to main; its messages may carry ports. */
interface ParentPort extends PortLike {
  on(event: 'message', listener: (event: { data: unknown; ports?: PortLike[] }) => void): unknown;
  on(event: 'close', listener: () => void): unknown;
}

const parentPort = process.parentPort as unknown as ParentPort | undefined;
const channel: Channel = parentPort === undefined ? parentChannel() : portChannel(parentPort);
const supervisor = connect(channel, supervisorProtocol);
const stop = new AbortController();
const log = (line: string) => process.stderr.write(`${line}\n`);
const session = new RunDesktop(parentPort === undefined ? forkDriver : driverFromMain(parentPort), log);
const network = new Network(process.env, log);

/** What nobody caught, as a full disk met on a timer: the run cannot go on, and whoever started it is told why. */
const crashed = new Promise<never>((_, reject) => {
  process.on('uncaughtException', (error) => {
    if (!(error instanceof StepError || error instanceof CallError)) log(error.stack ?? error.message);
    reject(error);
  });
});
// Whoever read the log may be gone; the run goes on.
process.stderr.on('error', () => {});

serve(channel, executorProtocol, {
  run: async (request) => {
    try {
      return await Promise.race([runWorkflow(request, { session, network, signal: stop.signal, changed }), crashed]);
    } finally {
      await session.close();
      setImmediate(end);
    }
  },
  stop: ({ reason }) => {
    stop.abort(new Stopped(reason));
    return {};
  },
});
channel.onClose((reason) => stop.abort(new Stopped(reason)));
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
  process.on(signal, () => stop.abort(new Stopped('the run was stopped')));
}

/** How often the supervisor is told of changes, in ms: who shows them reads the whole run each time. */
const tellEveryMs = 100;

/** Runs that changed since the supervisor was told. */
const untold = new Set<string>();
let telling = false;

/** Tells the supervisor of a change: at once after a quiet time, and of what changes meanwhile by one later message a run. */
function changed(runId: string): void {
  untold.add(runId);
  if (telling) return;
  telling = true;
  const tell = [...untold].map((one) => supervisor.changed({ runId: one }));
  untold.clear();
  // A supervisor that is gone is seen by the channel's close.
  void Promise.allSettled([...tell, delay(tellEveryMs)]).then(() => {
    telling = false;
    const [next] = untold;
    if (next !== undefined) changed(next);
  });
}

function end(): void {
  channel.close();
  process.exit(0);
}

/** Main starts the driver and sends a port to it. */
function driverFromMain(port: ParentPort): OpenDriver {
  const waiting: ((channel: Channel) => void)[] = [];
  port.on('message', (event) => {
    const [driver] = event.ports ?? [];
    if (driver !== undefined) waiting.shift()?.(portChannel(driver));
  });
  return async () => {
    const arrived = new Promise<Channel>((resolve) => waiting.push(resolve));
    await supervisor.openDriver();
    return await arrived;
  };
}
