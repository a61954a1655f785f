import { CallError } from '../../core/contract/protocol.ts';
import type { Driver, Window } from '../desktop.ts';
import { launch } from '../launch.ts';
import { DesktopLease, leaseFolder, nothingDown } from '../lease.ts';
import { Pictures } from '../pictures.ts';
import { PixelPool } from '../pixel-pool.ts';
import { AccessibilityBus } from './atspi/bus.ts';
import { perform } from './atspi/perform.ts';
import { Reader } from './atspi/reader.ts';
import { Toplevels } from './atspi/toplevels.ts';
import { Awake } from './awake.ts';
import { Capture } from './capture.ts';
import { Devices } from './devices.ts';
import { XDisplay } from './display.ts';
import { Focus } from './focus.ts';
import { Keyboard } from './keyboard.ts';
import { Pointer } from './pointer.ts';
import { checkSession } from './session.ts';
import { Windows } from './windows.ts';

/** What a driver of an open display is made of. */
interface Parts {
  display: XDisplay;
  windows: Windows;
  capture: Capture;
  lease: DesktopLease;
  devices: Devices;
  focus: Focus;
  keyboard: Keyboard;
  pointer: Pointer;
  awake: Awake;
}

function openParts(pool: PixelPool): Parts {
  const display = XDisplay.open(process.env.DISPLAY);
  const windows = new Windows(display);
  const lease = new DesktopLease(leaseFolder(), displayName(display.name));
  const devices = new Devices(display, lease);
  const focus = new Focus(display, windows);
  const keyboard = new Keyboard(display, devices, focus);
  return {
    display,
    windows,
    capture: new Capture(display, windows, pool),
    lease,
    devices,
    focus,
    keyboard,
    pointer: new Pointer(devices, keyboard),
    awake: new Awake(display),
  };
}

/** `:1.0` and `:1` are one display. */
function displayName(name: string): string {
  return name.replace(/\.\d+$/, '');
}

/** The driver of Linux desktops on X11; window ids are X window ids in decimal. */
export class X11Driver implements Driver {
  readonly #bus = new AccessibilityBus();
  readonly #reader = new Reader(this.#bus, new Toplevels(this.#bus));
  readonly #pool = new PixelPool();
  readonly #pictures = new Pictures(this.#pool);
  #parts: Parts | undefined;
  /** Acts of input go one after another: two at once would mix their keys. */
  #input: Promise<unknown> = Promise.resolve();

  capabilities: Driver['capabilities'] = () => ({
    elements: true,
    windowCapture: true,
    patternNeedsDesktop: false,
  });

  check: Driver['check'] = async () => {
    try {
      const parts = this.#open();
      return await checkSession(parts.capture.size());
    } catch (error) {
      if (error instanceof CallError) return await checkSession(error);
      throw error;
    }
  };

  takeLease: Driver['takeLease'] = () =>
    this.#use(({ lease, devices }) => {
      const alreadyHeld = lease.isHeld;
      const answer = lease.take();
      if (!answer.taken) return answer;
      if (!alreadyHeld) {
        devices.tidyUp(answer.left);
        lease.note(nothingDown);
      }
      return { taken: true };
    });

  releaseLease: Driver['releaseLease'] = () =>
    this.#use(({ lease, devices }) => {
      devices.releaseAll();
      devices.giveBack();
      lease.release();
      return {};
    });

  windows: Driver['windows'] = () =>
    this.#use(({ windows }) => {
      const list = windows.list().map((window) => window.shown);
      this.#reader.keepOnly(new Set(list.map((window) => window.id)));
      return { windows: list };
    });

  frontWindow: Driver['frontWindow'] = () =>
    this.#use(({ windows }) => {
      const front = windows.front();
      return front === undefined ? {} : { found: front.shown };
    });

  ignore: Driver['ignore'] = ({ windows: ids }) =>
    this.#use(({ windows }) => {
      windows.ignore(ids.map(Number));
      return {};
    });

  captureScreen: Driver['captureScreen'] = () =>
    this.#use(async ({ capture }) => {
      const pixels = await capture.screen();
      return this.#pictures.add({ x: 0, y: 0, width: pixels.width, height: pixels.height }, pixels);
    });

  captureWindow: Driver['captureWindow'] = ({ window: id }) =>
    this.#use(async ({ capture, windows }) => {
      const place = windows.place(id);
      const pixels = await capture.window(place);
      const { x, y } = place.bounds;
      return this.#pictures.add({ x, y, width: pixels.width, height: pixels.height }, pixels);
    });

  compose: Driver['compose'] = ({ pictures }) => this.#pictures.compose(pictures);

  encode: Driver['encode'] = ({ picture, maxEdge }) => this.#pictures.encode(picture, maxEdge);

  dropPicture: Driver['dropPicture'] = ({ picture }) => {
    this.#pictures.drop(picture);
    return {};
  };

  raise: Driver['raise'] = ({ window }) => this.#act(({ focus, windows }) => focus.raise(windows.get(window)));

  restore: Driver['restore'] = ({ window }) => this.#act(({ focus, windows }) => focus.restore(windows.get(window)));

  maximize: Driver['maximize'] = ({ window }) => this.#act(({ focus, windows }) => focus.maximize(windows.get(window)));

  pointerMove: Driver['pointerMove'] = (point) => this.#act(({ pointer }) => pointer.move(point));

  click: Driver['click'] = ({ point, button, count, modifiers }) =>
    this.#act(({ pointer }) => pointer.click(point, button, count, modifiers));

  scroll: Driver['scroll'] = ({ point, dx, dy }) => this.#act(({ pointer }) => pointer.scroll(point, dx, dy));

  typeText: Driver['typeText'] = ({ text, window }) =>
    this.#act(({ keyboard, windows }) => keyboard.type(text, windows.get(window)));

  pressChord: Driver['pressChord'] = ({ chord, window }) =>
    this.#act(({ keyboard, windows }) => keyboard.press(chord, windows.get(window)));

  releaseAll: Driver['releaseAll'] = () =>
    this.#use(({ devices }) => {
      devices.releaseAll();
      return {};
    });

  elements: Driver['elements'] = ({ window, maxElements, maxMs }) =>
    this.#use(({ windows }) =>
      this.#reader.snapshot(windows.withElements(windows.get(window)), {
        ...(maxElements !== undefined && { maxElements }),
        ...(maxMs !== undefined && { maxMs }),
      }),
    );

  readElement: Driver['readElement'] = ({ ref }) => this.#use(async () => (await this.#reader.read(ref)).element);

  elementAt: Driver['elementAt'] = (point) =>
    this.#use(async ({ windows }) => {
      const { x, y } = point;
      const window = windows.list().find(({ shown: { bounds, state } }) => {
        const inside = x >= bounds.x && x < bounds.x + bounds.width && y >= bounds.y && y < bounds.y + bounds.height;
        return inside && state !== 'minimized';
      });
      if (window === undefined) return {};
      const inMenu = window.shown.kind === 'menu';
      const found = await this.#reader.at(windows.withElements(window), point, inMenu);
      return found === undefined ? {} : { found };
    });

  perform: Driver['perform'] = ({ ref, pattern, value }) =>
    this.#use(async ({ windows, devices }) => {
      // Taking the focus brings the element's window forward.
      if (pattern === 'focus') devices.assertLease();
      const target = await this.#reader.read(ref);
      const [window] = ref.split(' ');
      const pid = windows.get(window as string).shown.pid;
      const before = new Set(windows.list().map((one) => one.xid));
      const isNew = (one: { xid: number; shown: Window }) => !before.has(one.xid) && one.shown.pid === pid;
      const openedWindow = () => windows.list().find(isNew)?.shown.title;
      return await perform(pattern, { bus: this.#bus, target, value, openedWindow });
    });

  launch: Driver['launch'] = async ({ command, args, cwd }) => {
    // Connecting switches accessibility on, which some programs ask for only when they start.
    await this.#bus.connection().catch((error: unknown) => {
      if (!(error instanceof CallError)) throw error;
    });
    return await launch({ command, args, ...(cwd !== undefined && { cwd }) });
  };

  keepAwake: Driver['keepAwake'] = ({ on }) =>
    this.#use(async ({ awake }) => {
      await awake.keep(on);
      return {};
    });

  // X11 does not tell a person's input from a program's.
  lastPersonInput: Driver['lastPersonInput'] = () => ({});

  async close(): Promise<void> {
    const parts = this.#parts;
    this.#parts = undefined;
    this.#pictures.clear();
    await this.#bus.close();
    if (parts === undefined) return;
    parts.devices.releaseAll();
    parts.devices.giveBack();
    parts.lease.release();
    parts.awake.close();
    parts.capture.close();
    parts.display.close();
  }

  #open(): Parts {
    this.#parts ??= openParts(this.#pool);
    this.#parts.display.assertAlive();
    return this.#parts;
  }

  /** Uses the display; whatever came of it, a display that went away meanwhile is the answer. */
  async #use<T>(run: (parts: Parts) => T | Promise<T>): Promise<T> {
    const parts = this.#open();
    try {
      return await run(parts);
    } catch (error) {
      // Programs end with their display, so that what failed may have been told by one of them first.
      parts.display.assertAlive();
      parts.display.sync();
      throw error;
    } finally {
      parts.display.assertAlive();
    }
  }

  /** One act of input, after those before it. */
  async #act(run: (parts: Parts) => void | Promise<void>): Promise<{}> {
    const ticket = this.#open().devices.ask();
    const act = this.#input.then(() =>
      this.#use(async (parts) => {
        parts.devices.begin(ticket);
        await run(parts);
        return {};
      }),
    );
    this.#input = act.catch(() => undefined);
    return await act;
  }
}
