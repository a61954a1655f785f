import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { blank, crop, isOneColour, Pictures, type Pixels } from './pictures.ts';

/** Pixels of one colour; red, green and blue. */
function filled(width: number, height: number, [red, green, blue]: readonly [number, number, number]): Pixels {
  const pixels = blank(width, height);
  for (let at = 0; at < pixels.data.length; at += 4) pixels.data.set([blue, green, red, 0], at);
  return pixels;
}

const orange = [255, 128, 0] as const;
const blue = [0, 0, 255] as const;

async function colourAt(png: Uint8Array, x: number, y: number): Promise<number[]> {
  const { data, info } = await sharp(png).removeAlpha().raw().toBuffer({ resolveWithObject: true });
  const at = (y * info.width + x) * 3;
  return [...data.subarray(at, at + 3)];
}

describe('Pictures', () => {
  it('encodes the colours as they are', async () => {
    const pictures = new Pictures();
    const { picture } = pictures.add({ x: 0, y: 0, width: 5, height: 3 }, filled(5, 3, orange));
    const { png, width, height } = await pictures.encode(picture);
    expect([width, height]).toEqual([5, 3]);
    expect(await colourAt(png, 4, 2)).toEqual([...orange]);
  });

  it('encodes each pixel at its place', async () => {
    const pixels = blank(7, 5);
    for (let at = 0; at < pixels.data.length; at++) pixels.data[at] = (at * 37) % 256;
    const pictures = new Pictures();
    const { picture } = pictures.add({ x: 0, y: 0, width: 7, height: 5 }, pixels);
    const { data } = await sharp((await pictures.encode(picture)).png)
      .raw()
      .toBuffer({ resolveWithObject: true });
    const expected = Array.from({ length: 35 }, (_, pixel) =>
      [2, 1, 0].map((byte) => pixels.data[pixel * 4 + byte] as number),
    );
    expect([...data]).toEqual(expected.flat());
  });

  it('does not let one picture show through another that got its memory', async () => {
    const pictures = new Pictures();
    const bounds = { x: 0, y: 0, width: 3, height: 3 };
    const first = pictures.add(bounds, filled(3, 3, orange));
    const encoding = pictures.encode(first.picture);
    pictures.drop(first.picture);
    const second = pictures.add(bounds, filled(3, 3, blue));
    await expect(encoding).rejects.toMatchObject({ code: 'failed' });
    expect(await colourAt((await pictures.encode(second.picture)).png, 1, 1)).toEqual([...blue]);
  });

  it.each([
    [{ width: 400, height: 100 }, 200, [200, 50]],
    [{ width: 100, height: 400 }, 200, [50, 200]],
    [{ width: 100, height: 50 }, 200, [100, 50]],
  ])('fits %j to a long edge of %d', async ({ width, height }, maxEdge, size) => {
    const pictures = new Pictures();
    const { picture } = pictures.add({ x: 0, y: 0, width, height }, filled(width, height, blue));
    const encoded = await pictures.encode(picture, maxEdge);
    expect([encoded.width, encoded.height]).toEqual(size);
  });

  it('composes with the first in front, black between', async () => {
    const pictures = new Pictures();
    const front = pictures.add({ x: 10, y: 10, width: 10, height: 10 }, filled(10, 10, orange));
    const back = pictures.add({ x: -5, y: 15, width: 20, height: 20 }, filled(20, 20, blue));
    const { picture, bounds } = pictures.compose([front.picture, back.picture]);
    expect(bounds).toEqual({ x: -5, y: 10, width: 25, height: 25 });
    const { png } = await pictures.encode(picture);
    expect(await colourAt(png, 16, 6)).toEqual([...orange]);
    expect(await colourAt(png, 5, 10)).toEqual([...blue]);
    expect(await colourAt(png, 2, 2)).toEqual([0, 0, 0]);
  });

  it('keeps a picture until it is dropped', async () => {
    const pictures = new Pictures();
    const { picture } = pictures.add({ x: 0, y: 0, width: 1, height: 1 }, blank(1, 1));
    pictures.drop(picture);
    await expect(pictures.encode(picture)).rejects.toMatchObject({ code: 'failed' });
  });
});

describe('isOneColour', () => {
  it('sees one pixel that differs', () => {
    const pixels = filled(6, 4, blue);
    expect(isOneColour(pixels)).toBe(true);
    pixels.data[pixels.data.length - 4] = 1;
    expect(isOneColour(pixels)).toBe(false);
  });

  it('does not count what is no colour', () => {
    const pixels = filled(2, 1, blue);
    pixels.data[7] = 255;
    expect(isOneColour(pixels)).toBe(true);
  });
});

describe('crop', () => {
  it('takes the part that the area covers', () => {
    const pixels = filled(4, 4, blue);
    pixels.data.set([7, 7, 7, 0], (2 * 4 + 3) * 4);
    const part = crop(pixels, { x: 2, y: 2, width: 2, height: 2 });
    expect([...part.data.subarray(4, 7)]).toEqual([7, 7, 7]);
    expect([part.width, part.height]).toEqual([2, 2]);
  });
});
