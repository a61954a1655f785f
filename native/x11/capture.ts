import { setTimeout as sleep } from 'node:timers/promises';
import koffi from 'koffi';
import { CallError } from '../../core/contract/protocol.ts';
import type { Bounds } from '../desktop.ts';
import { blank, crop, isOneColour, type Pixels, paint } from '../pictures.ts';
import type { PixelPool } from '../pixel-pool.ts';
import type { XDisplay } from './display.ts';
import { image as imageStruct, type Pointer, type WindowAttributes, type XId } from './libs.ts';
import type { Place, Windows } from './windows.ts';

const zPixmap = 2;
const allPlanes = 0xffffffff;
const viewable = 2;
const redirectAutomatic = 0;
const ipcPrivate = 0;
const ipcRemove = 0;
const ipcCreateOwnerOnly = 0o1600;
const retryMs = 25;
/** How long a window has to show something. */
const showMs = 1_000;
/**
 * A window whose pixels the server just began to keep has to draw itself anew: until then
 * they hold what was on the screen at its place. It is given this long, then until it
 * stays the same from one look to the next, as a window without animation does soon.
 */
const redrawMs = 150;
const restlessMs = 600;

/** Memory that the X server writes pictures into. */
interface Segment {
  address: Pointer;
  size: number;
  info: Buffer;
}

/** Reads pixels of the screen and of windows, covered ones too. */
export class Capture {
  readonly #display: XDisplay;
  readonly #windows: Windows;
  readonly #pool: PixelPool;
  readonly #redirected = new Set<XId>();
  #segment: Segment | undefined;
  #shared: boolean;

  constructor(display: XDisplay, windows: Windows, pool: PixelPool) {
    this.#display = display;
    this.#windows = windows;
    this.#pool = pool;
    this.#shared = display.x.XShmQueryExtension(display.pointer) !== 0;
  }

  /** The main display. */
  size(): { width: number; height: number } {
    const { width, height } = this.#attributes(this.#display.root);
    return { width, height };
  }

  /** The whole display, without the windows that are ignored. */
  async screen(): Promise<Pixels> {
    const hidden = this.#windows.ignored;
    const all = hidden.size === 0 ? [] : this.#windows.all();
    if (!all.some((window) => hidden.has(window.xid) && window.frameAttributes.map_state === viewable)) {
      return this.#read(this.#display.root, this.#attributes(this.#display.root));
    }
    return await this.#withoutIgnored(all.filter((window) => !hidden.has(window.xid)));
  }

  /**
   * A window with its frame as it draws itself.
   *
   * @throws CallError `blank_picture` when every picture within a second had one colour, or it is minimized
   */
  async window(place: Place): Promise<Pixels> {
    const { xid, frame, frameAttributes } = place;
    const failure = (why: string) =>
      new CallError('blank_picture', `the window "${this.#display.text(xid, '_NET_WM_NAME') ?? xid}" ${why}`, {
        window: String(xid),
      });
    if (frameAttributes.map_state !== viewable)
      throw failure('is minimized or on another workspace, and draws nothing');
    if (this.#redirect(frame)) await this.#untilRedrawn(place);
    const end = performance.now() + showMs;
    for (;;) {
      const pixels = this.#drawn(place);
      if (pixels !== undefined && !isOneColour(pixels)) return pixels;
      if (pixels !== undefined) this.#pool.give(pixels.data);
      if (performance.now() > end) throw failure(`showed a picture of one colour for ${showMs} ms`);
      await sleep(retryMs);
    }
  }

  close(): void {
    this.#freeSegment();
  }

  /** The screen put together from its windows: a shot of the root window would hold the ignored ones. */
  async #withoutIgnored(windows: readonly Place[]): Promise<Pixels> {
    const { width, height } = this.size();
    const canvas = this.#background() ?? blank(width, height);
    for (const window of windows.toReversed()) {
      if (window.frameAttributes.map_state !== viewable) continue;
      if (this.#redirect(window.frame)) await this.#untilRedrawn(window);
      const pixels = this.#drawn(window);
      if (pixels === undefined) continue;
      paint(canvas, pixels, window.bounds.x, window.bounds.y);
      this.#pool.give(pixels.data);
    }
    return canvas;
  }

  /** The picture behind all windows, where the program that sets it says which. */
  #background(): Pixels | undefined {
    const pixmap = this.#display.values(this.#display.root, '_XROOTPMAP_ID')[0];
    if (pixmap === undefined) return undefined;
    const root = this.#attributes(this.#display.root);
    const { value, error } = this.#display.trap(() => this.#readOrNothing(pixmap, root));
    return error === undefined ? value : undefined;
  }

  /** Has the server keep the window's own pixels; true when it did not before. They stay kept. */
  #redirect(frame: XId): boolean {
    if (this.#redirected.has(frame)) return false;
    this.#display.x.XCompositeRedirectWindow(this.#display.pointer, frame, redirectAutomatic);
    this.#display.sync();
    this.#redirected.add(frame);
    return true;
  }

  async #untilRedrawn(place: Place): Promise<void> {
    await sleep(redrawMs);
    const end = performance.now() + restlessMs;
    let before = this.#drawn(place);
    while (performance.now() < end) {
      await sleep(retryMs);
      const now = this.#drawn(place);
      const same = before !== undefined && now?.data.equals(before.data);
      if (before !== undefined) this.#pool.give(before.data);
      before = now;
      if (same) break;
    }
    if (before !== undefined) this.#pool.give(before.data);
  }

  /** What a window that is redirected has drawn; undefined when it went or changed its size just now. */
  #drawn({ frame, frameAttributes, outside, bounds }: Place): Pixels | undefined {
    const { x, pointer } = this.#display;
    const attributes = withBorder(frameAttributes);
    const { value: whole, error } = this.#display.trap(() => {
      const pixmap = x.XCompositeNameWindowPixmap(pointer, frame);
      const pixels = this.#readOrNothing(pixmap, attributes);
      x.XFreePixmap(pointer, pixmap);
      return pixels;
    });
    if (whole === undefined || error !== undefined) return undefined;
    const part = crop(whole, within(bounds, outside, attributes));
    if (part !== whole) this.#pool.give(whole.data);
    return part;
  }

  #read(drawable: XId, attributes: Attributes): Pixels {
    const pixels = this.#readOrNothing(drawable, attributes);
    if (pixels === undefined) throw new CallError('failed', 'the X server gave no picture of the screen');
    return pixels;
  }

  #readOrNothing(drawable: XId, attributes: Attributes): Pixels | undefined {
    if (attributes.depth !== 24 && attributes.depth !== 32) {
      throw new CallError('failed', `a display of ${attributes.depth} bits a pixel cannot be captured; 24 are needed`);
    }
    const pixels = {
      width: attributes.width,
      height: attributes.height,
      data: this.#pool.take(attributes.width * attributes.height * 4),
    };
    const segment = this.#shared ? this.#segmentFor(pixels.data.length) : undefined;
    const done =
      segment === undefined ? this.#copy(drawable, pixels) : this.#share(drawable, attributes, segment, pixels);
    if (done) return pixels;
    this.#pool.give(pixels.data);
    return undefined;
  }

  /** Through memory shared with the server: one copy, no transfer. */
  #share(drawable: XId, attributes: Attributes, segment: Segment, to: Pixels): boolean {
    const { x, pointer } = this.#display;
    const image = x.XShmCreateImage(
      pointer,
      attributes.visual,
      attributes.depth,
      zPixmap,
      segment.address,
      segment.info,
      to.width,
      to.height,
    );
    if (image === null) return false;
    const got = x.XShmGetImage(pointer, drawable, image, 0, 0, allPlanes) !== 0;
    x.XDestroyImage(image);
    if (got) x.memcpy(to.data, segment.address, to.data.length);
    return got;
  }

  /** Over the connection, for a server that shares no memory with this process. */
  #copy(drawable: XId, to: Pixels): boolean {
    const { x, pointer } = this.#display;
    const image = x.XGetImage(pointer, drawable, 0, 0, to.width, to.height, allPlanes, zPixmap);
    if (image === null) return false;
    const { data } = koffi.decode(image, imageStruct) as { data: bigint };
    x.memcpy(to.data, data, to.data.length);
    x.XDestroyImage(image);
    return true;
  }

  #segmentFor(size: number): Segment | undefined {
    if (this.#segment !== undefined && this.#segment.size >= size) return this.#segment;
    this.#freeSegment();
    const { x, pointer } = this.#display;
    const id = x.shmget(ipcPrivate, size, ipcCreateOwnerOnly);
    if (id === -1) return this.#withoutSharing();
    const address = x.shmat(id, null, 0);
    // XShmSegmentInfo: XID shmseg, int shmid, char *shmaddr, Bool readOnly
    const info = Buffer.alloc(32);
    info.writeInt32LE(id, 8);
    info.writeBigUInt64LE(address ?? 0n, 16);
    const { error } = this.#display.trap(() => x.XShmAttach(pointer, info));
    // Marked now, the memory goes as soon as both sides are done with it, a crash included.
    x.shmctl(id, ipcRemove, null);
    if (error !== undefined) {
      x.shmdt(address);
      return this.#withoutSharing();
    }
    this.#segment = { address, size, info };
    return this.#segment;
  }

  #withoutSharing(): undefined {
    this.#shared = false;
    return undefined;
  }

  #freeSegment(): void {
    if (this.#segment === undefined) return;
    this.#display.x.XShmDetach(this.#display.pointer, this.#segment.info);
    this.#display.sync();
    this.#display.x.shmdt(this.#segment.address);
    this.#segment = undefined;
  }

  #attributes(window: XId): Attributes {
    const attributes = this.#display.attributes(window);
    if (attributes === undefined) throw new CallError('no_window', `the window ${window} was closed`);
    return withBorder(attributes);
  }
}

/** A window's pixmap holds its border too. */
function withBorder({ width, height, border_width, depth, visual }: WindowAttributes): Attributes {
  return { width: width + 2 * border_width, height: height + 2 * border_width, depth, visual };
}

interface Attributes {
  width: number;
  height: number;
  depth: number;
  visual: Pointer;
}

/** An area of the display as an area of a picture of `place`, cut to what the picture has. */
function within(area: Bounds, place: Bounds, picture: { width: number; height: number }): Bounds {
  const x = Math.min(Math.max(0, area.x - place.x), picture.width - 1);
  const y = Math.min(Math.max(0, area.y - place.y), picture.height - 1);
  return {
    x,
    y,
    width: Math.min(area.width, picture.width - x),
    height: Math.min(area.height, picture.height - y),
  };
}
