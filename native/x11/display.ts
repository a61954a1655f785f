import { writeSync } from 'node:fs';
import koffi from 'koffi';
import { CallError } from '../../core/contract/protocol.ts';
import type { Bounds } from '../desktop.ts';
import {
  errorEvent,
  errorHandler,
  ioErrorExitHandler,
  ioErrorHandler,
  loadLibraries,
  type Pointer,
  type WindowAttributes,
  type XId,
  type XLibraries,
} from './libs.ts';

/** An error that the X server reported for a request. */
export interface XError {
  code: number;
  request: number;
  text: string;
}

/** A property as the server keeps it: 8-bit data as bytes, 32-bit data as numbers. */
export type Property = { bytes: Buffer } | { values: number[] };

const success = 0;
const propertyChangeMask = 1 << 22;
/** Room for any XEvent. */
const eventSize = 192;

/**
 * One connection to an X display. Requests that fail do not throw: a window may go
 * at any time, and a reader treats it as gone. When the connection itself is lost
 * the process lives on and {@link assertAlive} says so.
 */
export class XDisplay {
  readonly x: XLibraries;
  readonly pointer: Pointer;
  readonly root: XId;
  readonly name: string;
  readonly #atoms = new Map<string, XId>();
  readonly #out = Buffer.alloc(64);
  #lost = false;
  #closed = false;
  #timeWindow: XId | undefined;

  private constructor(x: XLibraries, pointer: Pointer, name: string) {
    this.x = x;
    this.pointer = pointer;
    this.name = name;
    this.root = x.XDefaultRootWindow(pointer);
  }

  /**
   * @throws CallError `no_display` when there is no display or it cannot be opened, `load_failed`
   */
  static open(name: string | undefined): XDisplay {
    if (name === undefined || name === '') {
      throw new CallError('no_display', 'there is no X display: DISPLAY is not set; start this in a desktop session');
    }
    const x = loadLibraries();
    installHandlers(x);
    const pointer = x.XOpenDisplay(name);
    if (pointer === null) {
      throw new CallError('no_display', `the X display ${name} cannot be opened; is the desktop session still there?`);
    }
    const display = new XDisplay(x, pointer, name);
    displays.set(pointer, display);
    x.XSetIOErrorExitHandler?.(pointer, keepProcess, null);
    return display;
  }

  /** @throws CallError `display_lost` once the connection broke or was closed */
  assertAlive(): void {
    if (this.#lost) throw new CallError('display_lost', `the X display ${this.name} went away`);
    if (this.#closed) throw new CallError('display_lost', `the connection to the X display ${this.name} was closed`);
  }

  markLost(): void {
    this.#lost = true;
  }

  close(): void {
    if (this.#closed || this.#lost) return;
    this.#closed = true;
    this.x.XCloseDisplay(this.pointer);
    displays.delete(this.pointer);
  }

  /**
   * Sends what is queued and waits until the server has handled it; for ever, on a display
   * that is lost, so such a one is never asked.
   *
   * @throws CallError `display_lost`
   */
  sync(): void {
    this.assertAlive();
    this.x.XSync(this.pointer, 0);
  }

  flush(): void {
    this.x.XFlush(this.pointer);
  }

  /** Runs requests and gives the first error that the server has for them. */
  trap<T>(run: () => T): { value: T; error?: XError } {
    this.sync();
    lastError = undefined;
    const value = run();
    this.sync();
    return lastError === undefined ? { value } : { value, error: this.#describe(lastError) };
  }

  #describe(error: RawError): XError {
    const text = Buffer.alloc(128);
    this.x.XGetErrorText(this.pointer, error.code, text, text.length);
    return { ...error, text: text.toString('utf8', 0, text.indexOf(0)) };
  }

  atom(name: string): XId {
    let atom = this.#atoms.get(name);
    if (atom === undefined) {
      atom = this.x.XInternAtom(this.pointer, name, 0);
      this.#atoms.set(name, atom);
    }
    return atom;
  }

  /** A window's property; undefined when it has none or the window is gone. */
  property(window: XId, name: string): (Property & { type: XId }) | undefined {
    const out = this.#out;
    const field = (index: number) => out.subarray(index * 8, index * 8 + 8);
    const status = this.x.XGetWindowProperty(
      this.pointer,
      window,
      this.atom(name),
      0,
      0x1fffffff,
      0,
      0,
      field(0),
      field(1),
      field(2),
      field(3),
      field(4),
    );
    const data = out.readBigUInt64LE(32);
    if (status !== success || data === 0n) return undefined;
    const type = Number(out.readBigUInt64LE(0));
    const format = out.readInt32LE(8);
    const count = Number(out.readBigUInt64LE(16));
    // Xlib gives 32-bit items as longs, eight bytes each.
    const bytes = Buffer.alloc(count * (format === 32 ? 8 : format / 8));
    this.x.memcpy(bytes, data, bytes.length);
    this.x.XFree(data);
    if (format !== 32) return { type, bytes };
    return { type, values: Array.from({ length: count }, (_, index) => Number(bytes.readBigUInt64LE(index * 8))) };
  }

  values(window: XId, name: string): number[] {
    const property = this.property(window, name);
    return property !== undefined && 'values' in property ? property.values : [];
  }

  /** Text of a property: UTF-8, or Latin-1 where the property has the old STRING type. */
  text(window: XId, name: string): string | undefined {
    const property = this.property(window, name);
    if (property === undefined || !('bytes' in property)) return undefined;
    return property.bytes.toString(property.type === this.atom('STRING') ? 'latin1' : 'utf8');
  }

  /** Undefined when the window is gone. */
  attributes(window: XId): WindowAttributes | undefined {
    const attributes: Partial<WindowAttributes> = {};
    return this.x.XGetWindowAttributes(this.pointer, window, attributes) === 0
      ? undefined
      : (attributes as WindowAttributes);
  }

  /** A window's attributes, and where its inside is on the display; undefined when it is gone. */
  geometry(window: XId): { attributes: WindowAttributes; bounds: Bounds } | undefined {
    const attributes = this.attributes(window);
    if (attributes === undefined) return undefined;
    const out = this.#out;
    const there = this.x.XTranslateCoordinates(
      this.pointer,
      window,
      this.root,
      0,
      0,
      out.subarray(0, 4),
      out.subarray(4, 8),
      out.subarray(8, 16),
    );
    if (there === 0) return undefined;
    const { width, height } = attributes;
    return { attributes, bounds: { x: out.readInt32LE(0), y: out.readInt32LE(4), width, height } };
  }

  /** Parent and children (lowest first); undefined when the window is gone. */
  tree(window: XId): { parent: XId; children: XId[] } | undefined {
    const out = this.#out;
    const status = this.x.XQueryTree(
      this.pointer,
      window,
      out.subarray(0, 8),
      out.subarray(8, 16),
      out.subarray(16, 24),
      out.subarray(24, 28),
    );
    if (status === 0) return undefined;
    const parent = Number(out.readBigUInt64LE(8));
    const list = out.readBigUInt64LE(16);
    const count = out.readUInt32LE(24);
    if (list === 0n) return { parent, children: [] };
    const bytes = Buffer.alloc(count * 8);
    this.x.memcpy(bytes, list, bytes.length);
    this.x.XFree(list);
    return {
      parent,
      children: Array.from({ length: count }, (_, index) => Number(bytes.readBigUInt64LE(index * 8))),
    };
  }

  /** The window that the server sends keys to; 0 for none, 1 for the one under the pointer. */
  inputFocus(): XId {
    const out = this.#out;
    this.x.XGetInputFocus(this.pointer, out.subarray(0, 8), out.subarray(8, 12));
    return Number(out.readBigUInt64LE(0));
  }

  /** The state of modifier keys and buttons, as X writes it in a mask. */
  pointerMask(): number {
    const out = this.#out;
    const field = (index: number) => out.subarray(index * 8, index * 8 + 8);
    this.x.XQueryPointer(this.pointer, this.root, field(0), field(1), field(2), field(3), field(4), field(5), field(6));
    return out.readUInt32LE(48);
  }

  /** Sends a client message with 32-bit data to `to` (the root window for the window manager). */
  sendMessage(to: XId, mask: number, window: XId, type: string, data: readonly number[]): void {
    const event = Buffer.alloc(eventSize);
    event.writeInt32LE(33, 0); // ClientMessage
    event.writeBigUInt64LE(BigInt(window), 32);
    event.writeBigUInt64LE(BigInt(this.atom(type)), 40);
    event.writeInt32LE(32, 48);
    for (const [index, value] of data.entries()) event.writeBigInt64LE(BigInt(value), 56 + index * 8);
    this.x.XSendEvent(this.pointer, to, 0, mask, event);
    this.sync();
  }

  /** The server's present time: window managers refuse focus to a request with an older one. */
  serverTime(): number {
    this.#timeWindow ??= this.#createTimeWindow();
    const empty = Buffer.alloc(0);
    const [name, type] = [this.atom('_DAGU_DESKTOP_TIME'), this.atom('STRING')];
    // Appending nothing changes nothing, and the server reports when it did so.
    this.x.XChangeProperty(this.pointer, this.#timeWindow, name, type, 8, 2, empty, 0);
    const event = Buffer.alloc(eventSize);
    this.x.XWindowEvent(this.pointer, this.#timeWindow, propertyChangeMask, event);
    return Number(event.readBigUInt64LE(48));
  }

  #createTimeWindow(): XId {
    const window = this.x.XCreateSimpleWindow(this.pointer, this.root, -10, -10, 1, 1, 0, 0, 0);
    this.x.XSelectInput(this.pointer, window, propertyChangeMask);
    return window;
  }

  /** Takes the next client message that arrived, of whatever kind. */
  nextClientMessage(): { window: XId; type: XId; data: number[] } | undefined {
    const event = Buffer.alloc(eventSize);
    if (this.x.XCheckTypedEvent(this.pointer, 33, event) === 0) return undefined;
    return {
      window: Number(event.readBigUInt64LE(32)),
      type: Number(event.readBigUInt64LE(40)),
      data: Array.from({ length: 5 }, (_, index) => Number(event.readBigInt64LE(56 + index * 8))),
    };
  }

  /** Forgets all events that arrived. */
  dropEvents(): void {
    const event = Buffer.alloc(eventSize);
    while (!this.#lost && this.x.XPending(this.pointer) > 0) this.x.XNextEvent(this.pointer, event);
  }
}

type RawError = Omit<XError, 'text'>;

const displays = new Map<Pointer, XDisplay>();
let lastError: RawError | undefined;
let keepProcess = 0n;
let installed = false;

/**
 * Xlib's own handlers end the process, for any failed request and for a lost
 * connection. These keep it: a failed request is remembered for `trap`.
 */
function installHandlers(x: XLibraries): void {
  if (installed) return;
  installed = true;
  const onError = koffi.register((_display: bigint, event: bigint) => {
    const { error_code, request_code } = koffi.decode(event, errorEvent);
    lastError ??= { code: error_code, request: request_code };
    return 0;
  }, koffi.pointer(errorHandler));
  const onIoError = koffi.register((pointer: bigint) => {
    displays.get(pointer)?.markLost();
    if (x.XSetIOErrorExitHandler === undefined) {
      writeSync(2, 'the X display went away, and this version of libX11 then ends the process\n');
    }
    return 0;
  }, koffi.pointer(ioErrorHandler));
  // Coming back from this one tells Xlib not to exit.
  keepProcess = koffi.register(() => undefined, koffi.pointer(ioErrorExitHandler));
  x.XSetErrorHandler(onError);
  x.XSetIOErrorHandler(onIoError);
}
