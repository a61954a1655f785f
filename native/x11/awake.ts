import { sessionBusAddress } from './atspi/bus.ts';
import { BusConnection, BusError } from './dbus/connection.ts';
import { method } from './dbus/wire.ts';
import type { XDisplay } from './display.ts';

const service = 'org.freedesktop.ScreenSaver';
const path = '/org/freedesktop/ScreenSaver';
const callMs = 2_000;

/**
 * Keeps display and system awake. Both ways end with this process: the screen saver
 * service watches the connection that asked, the X server the one to it.
 */
export class Awake {
  readonly #display: XDisplay;
  #service: BusConnection | undefined;
  #isOn = false;

  constructor(display: XDisplay) {
    this.#display = display;
  }

  async keep(on: boolean): Promise<void> {
    if (on === this.#isOn) return;
    this.#isOn = on;
    this.#display.x.XScreenSaverSuspend?.(this.#display.pointer, on ? 1 : 0);
    this.#display.flush();
    if (on) this.#service = await inhibit();
    else this.close();
  }

  close(): void {
    this.#service?.close();
    this.#service = undefined;
  }
}

/** Asks the session's screen saver service where there is one: it also holds the system's sleep. */
async function inhibit(): Promise<BusConnection | undefined> {
  const address = sessionBusAddress();
  if (address === undefined) return undefined;
  let bus: BusConnection | undefined;
  try {
    bus = await BusConnection.open(address);
    if (await bus.has(service)) {
      await bus.call(
        service,
        path,
        method(service, 'Inhibit', 'ss', 'Dagu Desktop', 'A workflow uses the desktop'),
        callMs,
      );
      return bus;
    }
  } catch (error) {
    if (!(error instanceof BusError)) throw error;
    // A desktop without that service has the X server's own timers alone, which are held.
  }
  bus?.close();
  return undefined;
}
