import { readFileSync } from 'node:fs';
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { japaneseFont, onePage, pdf } from '../../../test/fixtures/pdf.ts';
import type { Picture } from '../protocol.ts';
import { readHere } from '../read.ts';

const limits = { characters: 1_000_000, images: 50 };
const fixture = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url));
const read = (bytes: Uint8Array, given = limits) => readHere('pdf', bytes, given);
const textOf = async (bytes: Uint8Array) => (await read(bytes)).map((part) => ('text' in part ? part.text : 'picture'));

async function pictureOf(bytes: Uint8Array): Promise<Picture> {
  const picture = (await read(bytes)).flatMap((part) => ('picture' in part ? [part.picture] : []))[0];
  if (picture === undefined) throw new Error('there is no picture');
  return picture;
}

/** The share of dark pixels in a part of a picture, from 0 to 1. */
async function darkness(
  { bytes }: Picture,
  area?: { left: number; top: number; width: number; height: number },
): Promise<number> {
  const image = area === undefined ? sharp(bytes) : sharp(bytes).extract(area);
  // The library takes figures of what it was given, not of what it made of it.
  const { channels } = await sharp(await image.greyscale().threshold(160).png().toBuffer()).stats();
  return 1 - (channels[0]?.mean ?? 0) / 255;
}

describe('text', () => {
  it('comes page by page, line by line', async () => {
    const [first, second] = await read(fixture('examples/invoices/hinoki.pdf'));
    expect(first).toMatchObject({
      heading: 'page 1',
      text: expect.stringMatching(/^請求書\n[\s\S]*請求書番号 HJ-20260312-08\n/),
    });
    expect(second).toMatchObject({ heading: 'page 2', text: expect.stringMatching(/合計 \(EUR\)\s1059\.41$/) });
  });

  it('is Japanese where the font is not in the file', async () => {
    const text = '<90bf8b818f91> Tj 0 -20 Td <8d878c76203130302089 7e> Tj';
    const bytes = onePage(`BT /F 16 Tf 20 150 Td ${text} ET`, '/Font<</F 5 0 R>>', japaneseFont);
    expect(await textOf(bytes)).toEqual(['請求書\n合計 100 円']);
  });

  it('is in the order of its reading where it is turned', async () => {
    const font = ['<</Type/Font /Subtype/Type1 /BaseFont/Helvetica>>'];
    const content =
      'BT /F 12 Tf 20 150 Td (First line) Tj 0 -20 Td (Second line) Tj ET BT /F 12 Tf 0 1 -1 0 380 20 Tm (margin) Tj ET';
    expect(await textOf(onePage(content, '/Font<</F 5 0 R>>', font))).toEqual(['First line\nSecond line\nmargin']);
  });

  it('is nothing on a blank page, which is no picture', async () => {
    expect(await textOf(onePage(''))).toEqual(['']);
  });
});

describe('pictures', () => {
  it('stand for a scanned page, at a size that a model can read', async () => {
    const parts = await read(fixture('test/fixtures/documents/scan.pdf'));
    expect(parts[0]).toEqual({
      heading: 'page 1',
      text: 'The invoice is on the next page, as it came from the scanner.',
    });
    expect(parts[1]).toMatchObject({ heading: 'page 2', picture: { mediaType: 'image/png' } });
    const picture = await pictureOf(fixture('test/fixtures/documents/scan.pdf'));
    expect(await sharp(picture.bytes).metadata()).toMatchObject({ width: 1109, height: 1568, format: 'png' });
    expect(await darkness(picture)).toBeGreaterThan(0.003);
  });

  it('stand for text whose font does not say what its letters are', async () => {
    const invoice = fixture('examples/invoices/kestrel-bay.pdf').toString('latin1');
    const bytes = Buffer.from(invoice.replaceAll('/ToUnicode', '/ToNothing'), 'latin1');
    expect(await darkness(await pictureOf(bytes))).toBeGreaterThan(0.003);
  });

  it('stand for a page with a stamp of text on a picture, and not for one of little text', async () => {
    const image: [string, string] = [
      '/Type/XObject /Subtype/Image /Width 2 /Height 2 /ColorSpace/DeviceGray /BitsPerComponent 8',
      '\x00\xff\xff\x00',
    ];
    const font = '<</Type/Font /Subtype/Type1 /BaseFont/Helvetica>>';
    const text = 'BT /F 12 Tf 20 150 Td (Page 7) Tj ET';
    const resources = '/Font<</F 5 0 R>> /XObject<</I 6 0 R>>';
    expect(await textOf(onePage(text, resources, [font, image]))).toEqual(['Page 7']);
    expect(await textOf(onePage(`${text} q 300 0 0 100 50 20 cm /I Do Q`, resources, [font, image]))).toEqual([
      'picture',
    ]);
  });

  it('follow the turn of a page', async () => {
    const picture = await pictureOf(onePage('0 0 200 200 re f', '', [], '/Rotate 90'));
    expect(await sharp(picture.bytes).metadata()).toMatchObject({ width: 784, height: 1568 });
    const half = { left: 0, width: 784, height: 700 };
    expect(await darkness(picture, { ...half, top: 0 })).toBeGreaterThan(0.95);
    expect(await darkness(picture, { ...half, top: 850 })).toBeLessThan(0.05);
  });

  it('are told of when they cannot be decoded', async () => {
    const image: [string, string] = [
      '/Type/XObject /Subtype/Image /Width 800 /Height 600 /ColorSpace/DeviceRGB /BitsPerComponent 8 /Filter/JPXDecode',
      'no picture',
    ];
    const bytes = onePage('q 400 0 0 200 0 0 cm /I Do Q', '/XObject<</I 5 0 R>>', [image]);
    await expect(read(bytes)).rejects.toThrow('page 1 of 1: an image on it cannot be decoded');
  });

  it('are as many as a step may have', async () => {
    await expect(read(fixture('test/fixtures/documents/scan.pdf'), { characters: 1000, images: 0 })).rejects.toThrow(
      'more images',
    );
  });
});

describe('what is no readable PDF', () => {
  it.each<[string, Uint8Array, string]>([
    ['another file', Buffer.from('hello'), 'is no PDF: it is something else'],
    ['no objects', Buffer.from('%PDF-1.7\nhello'), 'is not a readable PDF: '],
    [
      'pages that lead back to themselves',
      pdf(['<</Type/Catalog /Pages 2 0 R>>', '<</Type/Pages /Kids[2 0 R] /Count 3>>']),
      'page 1 of',
    ],
  ])('tells of %s', async (_, bytes, message) => {
    await expect(read(bytes)).rejects.toThrow(message);
  });
});
