import { CallError } from '../core/contract/protocol.ts';
import type { Bounds, Picture } from './desktop.ts';
import { PixelPool } from './pixel-pool.ts';

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
  readonly #pool: PixelPool;
  #next = 1;

  /** @param pool where pictures get their memory from and give it back to */
  constructor(pool = new PixelPool()) {
    this.#pool = pool;
  }

  /** Keeps a picture of an area of the display. */
  add(bounds: Bounds, pixels: Pixels): Picture {
    const picture = `picture-${this.#next++}`;
    this.#kept.set(picture, { bounds, pixels });
    return { picture, bounds };
  }

  drop(picture: string): void {
    const kept = this.#kept.get(picture);
    if (kept === undefined) return;
    this.#kept.delete(picture);
    this.#pool.give(kept.pixels.data);
  }

  clear(): void {
    this.#kept.clear();
    this.#pool.clear();
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
    const { default: sharp } = await import('sharp');
    const { width, height, data } = this.#get(picture).pixels;
    const rgb = this.#pool.take(width * height * 3);
    try {
      toRgb(data, rgb);
      let image = sharp(rgb, { raw: { width, height, channels: 3 } });
      if (maxEdge !== undefined && Math.max(width, height) > maxEdge) {
        image = image.resize({ width: maxEdge, height: maxEdge, fit: 'inside' });
      }
      // Measured on screens: of all levels the fastest, and smaller than the lower ones.
      const { data: png, info } = await image.png({ compressionLevel: 4 }).toBuffer({ resolveWithObject: true });
      return { png: new Uint8Array(png.buffer, png.byteOffset, png.length), width: info.width, height: info.height };
    } finally {
      this.#pool.give(rgb);
    }
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
export function isOneColour({ data }: Pixels): boolean {
  const words = new Uint32Array(data.buffer, data.byteOffset, data.length / 4);
  const first = (words[0] ?? 0) & 0xffffff;
  return words.every((word) => (word & 0xffffff) === first);
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

/** Red, green and blue of each pixel. Four pixels at a time make three whole words. */
function toRgb(bgrx: Buffer, rgb: Buffer): void {
  const from = new Uint32Array(bgrx.buffer, bgrx.byteOffset, bgrx.length / 4);
  const to = new Uint32Array(rgb.buffer, rgb.byteOffset, rgb.length >> 2);
  const groups = from.length >> 2;
  for (let group = 0; group < groups; group++) {
    const one = from[group * 4] as number;
    const two = from[group * 4 + 1] as number;
    const three = from[group * 4 + 2] as number;
    const four = from[group * 4 + 3] as number;
    to[group * 3] = ((one >>> 16) & 0xff) | (one & 0xff00) | ((one & 0xff) << 16) | ((two & 0xff0000) << 8);
    to[group * 3 + 1] = ((two >>> 8) & 0xff) | ((two & 0xff) << 8) | (three & 0xff0000) | ((three & 0xff00) << 16);
    to[group * 3 + 2] = (three & 0xff) | ((four >>> 8) & 0xff00) | ((four & 0xff00) << 8) | ((four & 0xff) << 24);
  }
  for (let pixel = groups * 4; pixel < from.length; pixel++) {
    const word = from[pixel] as number;
    rgb[pixel * 3] = word >> 16;
    rgb[pixel * 3 + 1] = word >> 8;
    rgb[pixel * 3 + 2] = word;
  }
}
