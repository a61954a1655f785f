import type { Channel } from '../core/contract/channel.ts';
import { type Handlers, serve } from '../core/contract/protocol.ts';
import { type PortLike, parentChannel, portChannel } from '../core/process/channels.ts';
import { type Driver, desktopProtocol } from './desktop.ts';
import { systemDriver } from './systems.ts';

/**
 * The driver's process: it serves the desktop port of this system to the process that
 * started it, and ends with that process. Keys and the desktop are given back first.
 */

/** Electron's side of a utility process. */
interface ParentPort {
  once(event: 'message', listener: (event: { ports: PortLike[] }) => void): void;
}

const { parentPort } = process as unknown as { parentPort?: ParentPort };
if (parentPort === undefined) {
  serveOn(parentChannel());
} else {
  parentPort.once('message', ({ ports: [port] }) => {
    if (port === undefined) throw new Error('the first message to the driver carries the port to serve');
    serveOn(portChannel(port));
  });
}

function serveOn(channel: Channel): void {
  const opening = systemDriver();
  let ending = false;
  const end = async () => {
    if (ending) return;
    ending = true;
    await (await opening).close();
    process.exit(0);
  };
  channel.onClose(() => void end());
  process.on('SIGTERM', () => void end());
  // A terminal's Ctrl+C reaches all of its processes; the one that started this decides when it ends.
  process.on('SIGINT', () => undefined);
  serve(channel, desktopProtocol, whenOpen(opening));
}

/** Handlers that wait for the driver: calls that arrive while it loads are answered after. */
function whenOpen(opening: Promise<Driver>): Handlers<typeof desktopProtocol> {
  const methods = Object.keys(desktopProtocol) as (keyof typeof desktopProtocol)[];
  return Object.fromEntries(
    methods.map((method) => [method, async (params: never) => (await opening)[method](params)]),
  ) as unknown as Handlers<typeof desktopProtocol>;
}
