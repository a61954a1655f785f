import { fork } from 'node:child_process';
import type { Channel } from '../core/contract/channel.ts';
import { childChannel } from '../core/process/channels.ts';
import { entryPath } from '../core/process/entries.ts';
import { openDesktop } from '../native/client.ts';
import type { Desktop } from '../native/desktop.ts';
import type { DesktopSession } from './action.ts';

/** Starts a driver process and gives the channel to it. */
export type OpenDriver = () => Promise<Channel>;

/**
 * The driver of a run, started at the first computer step. When a driver dies, another
 * takes and releases the desktop once, which lets up what the dead one held down.
 */
export class RunDesktop implements DesktopSession {
  workingApp: string | undefined;
  readonly #open: OpenDriver;
  readonly #log: (line: string) => void;
  #current: Promise<{ desktop: Desktop; channel: Channel }> | undefined;
  #closing = false;

  constructor(open: OpenDriver, log: (line: string) => void) {
    this.#open = open;
    this.#log = log;
  }

  async desktop(): Promise<Desktop> {
    this.#current ??= this.#start();
    return (await this.#current).desktop;
  }

  /** Ends the driver, which gives back what it holds. */
  async close(): Promise<void> {
    this.#closing = true;
    const current = await this.#current?.catch(() => undefined);
    current?.channel.close();
  }

  async #start(): Promise<{ desktop: Desktop; channel: Channel }> {
    const channel = await this.#open();
    channel.onClose((reason) => {
      if (this.#closing) return;
      this.#current = undefined;
      this.#log(`the desktop driver is gone: ${reason}`);
      void this.#letUp();
    });
    return { desktop: openDesktop(channel), channel };
  }

  /** A fresh driver's first act on the desktop is to let up what a dead holder left down. */
  async #letUp(): Promise<void> {
    try {
      const desktop = await this.desktop();
      const { taken } = await desktop.takeLease();
      if (taken) await desktop.releaseLease();
    } catch (error) {
      this.#log(`keys that the dead driver held may still be down: ${(error as Error).message}`);
    }
  }
}

/** Starts the driver as a child of this process: the way of plain Node. */
export const forkDriver: OpenDriver = async () =>
  childChannel(
    fork(entryPath('driver'), [], { serialization: 'advanced', stdio: ['ignore', 'ignore', 'inherit', 'ipc'] }),
  );
