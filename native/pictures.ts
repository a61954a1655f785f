import { CallError } from '../core/contract/protocol.ts';
import type { Bounds, Picture } from './desktop.ts';

/** Pixels as most displays keep them: four bytes each, blue first, rows without padding. */
export interface Pixels {
  width: number;
  height: number;
  data: Buffer;
}

export interface EncodedPicture {
  png: Uint8Array;
  width: number;
  height: number;
}

/** The pictures that a driver keeps, and the work on them that is the same on every system. */
export class Pictures {
  readonly #kept = new Map<string, { bounds: Bounds; pixels: Pixels }>();
  #next = 1;

  /** Keeps a picture of an area of the display. */
  add(bounds: Bounds, pixels: Pixels): Picture {
    const picture = `picture-${this.#next++}`;
    this.#kept.set(picture, { bounds, pixels });
    return { picture, bounds };
  }

  drop(picture: string): void {
    this.#kept.delete(picture);
  }

  clear(): void {
    this.#kept.clear();
  }

  /** One picture that just covers all the given ones, the first given in front, black between them. */
  compose(pictures: readonly string[]): Picture {
    const parts = pictures.map((picture) => this.#get(picture));
    const bounds = cover(parts.map((part) => part.bounds));
    const canvas = blank(bounds.width, bounds.height);
    for (const { bounds: place, pixels } of parts.toReversed()) {
      paint(canvas, pixels, place.x - bounds.x, place.y - bounds.y);
    }
    return this.add(bounds, canvas);
  }

  /** PNG, its long edge at most `maxEdge` pixels. */
  async encode(picture: string, maxEdge?: number): Promise<EncodedPicture> {
    const { width, height, data } = this.#get(picture).pixels;
    const { default: sharp } = await import('sharp');
    let image = sharp(toRgb(data), { raw: { width, height, channels: 3 } });
    if (maxEdge !== undefined && Math.max(width, height) > maxEdge) {
      image = image.resize({ width: maxEdge, height: maxEdge, fit: 'inside' });
    }
    // Measured on screens: of all levels the fastest, and smaller than the lower ones.
    const { data: png, info } = await image.png({ compressionLevel: 4 }).toBuffer({ resolveWithObject: true });
    return { png: new Uint8Array(png.buffer, png.byteOffset, png.length), width: info.width, height: info.height };
  }

  #get(picture: string): { bounds: Bounds; pixels: Pixels } {
    const kept = this.#kept.get(picture);
    if (kept === undefined) throw new CallError('failed', `there is no picture ${picture}; it was dropped`);
    return kept;
  }
}

/** Black pixels. */
export function blank(width: number, height: number): Pixels {
  return { width, height, data: Buffer.alloc(width * height * 4) };
}

/** Copies pixels onto a canvas with their top left corner at x, y; what lies outside is cut off. */
export function paint(canvas: Pixels, part: Pixels, x: number, y: number): void {
  const left = Math.max(0, x);
  const right = Math.min(canvas.width, x + part.width);
  if (left >= right) return;
  for (let row = Math.max(0, y); row < Math.min(canvas.height, y + part.height); row++) {
    const from = ((row - y) * part.width + (left - x)) * 4;
    part.data.copy(canvas.data, (row * canvas.width + left) * 4, from, from + (right - left) * 4);
  }
}

/** The part of pixels that an area covers. */
export function crop(pixels: Pixels, { x, y, width, height }: Bounds): Pixels {
  if (x === 0 && y === 0 && width === pixels.width && height === pixels.height) return pixels;
  const cut = blank(width, height);
  paint(cut, pixels, -x, -y);
  return cut;
}

/** Whether all pixels have one colour, as a frame that was never drawn does. */
export function isOneColour(pixels: Pixels, { x, y, width, height }: Bounds): boolean {
  const words = new Uint32Array(pixels.data.buffer, pixels.data.byteOffset, pixels.data.length / 4);
  const first = (words[y * pixels.width + x] ?? 0) & 0xffffff;
  for (let row = y; row < y + height; row++) {
    const end = row * pixels.width + x + width;
    for (let index = row * pixels.width + x; index < end; index++) {
      if (((words[index] ?? 0) & 0xffffff) !== first) return false;
    }
  }
  return true;
}

function cover(all: readonly Bounds[]): Bounds {
  const x = Math.min(...all.map((bounds) => bounds.x));
  const y = Math.min(...all.map((bounds) => bounds.y));
  return {
    x,
    y,
    width: Math.max(...all.map((bounds) => bounds.x + bounds.width)) - x,
    height: Math.max(...all.map((bounds) => bounds.y + bounds.height)) - y,
  };
}

function toRgb(bgrx: Buffer): Buffer {
  const words = new Uint32Array(bgrx.buffer, bgrx.byteOffset, bgrx.length / 4);
  const rgb = Buffer.allocUnsafe(words.length * 3);
  let to = 0;
  for (let index = 0; index < words.length; index++) {
    const word = words[index] as number;
    rgb[to++] = word >> 16;
    rgb[to++] = word >> 8;
    rgb[to++] = word;
  }
  return rgb;
}
