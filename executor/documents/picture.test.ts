import { readFileSync } from 'node:fs';
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { readHere } from './read.ts';

const limits = { characters: 1_000_000, images: 50 };
const photo = readFileSync(new URL('../../test/fixtures/documents/photo.jpg', import.meta.url));

async function read(bytes: Uint8Array) {
  const [part] = await readHere('picture', bytes, limits);
  if (part === undefined || !('picture' in part)) throw new Error('there is no picture');
  return { ...part.picture, image: sharp(part.picture.bytes) };
}

/** A photo as a camera keeps one that was held upright: turned, with a note of how. */
function held(orientation: number): Buffer {
  const tiff = Buffer.from([
    0x4d,
    0x4d,
    0,
    42,
    0,
    0,
    0,
    8,
    0,
    1,
    1,
    0x12,
    0,
    3,
    0,
    0,
    0,
    1,
    0,
    orientation,
    0,
    0,
    0,
    0,
    0,
    0,
  ]);
  const exif = Buffer.concat([Buffer.from('Exif\0\0'), tiff]);
  const head = Buffer.from([0xff, 0xe1, 0, exif.length + 2]);
  return Buffer.concat([photo.subarray(0, 2), head, exif, photo.subarray(2)]);
}

/** Two frames of one pixel, white then black. */
const animated = Buffer.from(
  '47494638396101000100800100ffffff0000002c000000000100010000020244010021f904000a0000002c000000000100010000020 24c01003b'.replace(
    ' ',
    '',
  ),
  'hex',
);

describe('readPicture', () => {
  it('turns a photo as it was taken, and keeps nothing that the camera notes', async () => {
    const { width = 0, height = 0 } = await sharp(photo).metadata();
    const { image } = await read(held(6));
    const found = await image.metadata();
    expect(found).toMatchObject({ width: height, height: width });
    expect(found.exif).toBeUndefined();
    // The title stands at the top left of the page, so at the top right of the turned one.
    const corner = await image
      .extract({ left: height - 80, top: 20, width: 60, height: 120 })
      .greyscale()
      .png()
      .toBuffer();
    const { channels } = await sharp(corner).stats();
    expect(channels[0]?.min).toBeLessThan(80);
  });

  it('scales a long edge down to 1568, and nothing up', async () => {
    const large = await sharp({ create: { width: 4000, height: 1000, channels: 3, background: 'red' } })
      .png()
      .toBuffer();
    expect(await (await read(large)).image.metadata()).toMatchObject({ width: 1568, height: 392 });
    const small = await sharp({ create: { width: 40, height: 10, channels: 3, background: 'red' } })
      .webp()
      .toBuffer();
    expect(await (await read(small)).image.metadata()).toMatchObject({ width: 40, height: 10, format: 'png' });
  });

  it('gives the first frame of an animated one', async () => {
    const { image } = await read(animated);
    expect(await image.metadata()).toMatchObject({ width: 1, height: 1 });
    expect((await image.stats()).channels[0]?.mean).toBe(255);
  });

  it('puts what is transparent on white', async () => {
    const clear = await sharp({
      create: { width: 4, height: 4, channels: 4, background: { r: 0, g: 0, b: 0, alpha: 0 } },
    })
      .png()
      .toBuffer();
    expect((await (await read(clear)).image.stats()).channels.map(({ mean }) => mean)).toEqual([255, 255, 255]);
  });

  it('gives a photograph that is large as a PNG as a JPEG', async () => {
    const noise = await sharp({
      create: {
        width: 900,
        height: 900,
        channels: 3,
        background: 'grey',
        noise: { type: 'gaussian', mean: 128, sigma: 60 },
      },
    })
      .png()
      .toBuffer();
    expect((await read(noise)).mediaType).toBe('image/jpeg');
  });

  it.each<[string, Buffer, string]>([
    [
      'HEIC',
      Buffer.from('\0\0\0\x18ftypheic\0\0\0\0mif1heic', 'latin1'),
      'it is a HEIC image; save or export it as JPEG or PNG',
    ],
    ['a page', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>'), 'it is something else'],
    ['a PDF', Buffer.from('%PDF-1.7'), 'it is a PDF'],
    ['a photo that is cut', photo.subarray(0, 4000), 'is a damaged image: '],
    ['no photo behind its mark', photo.subarray(0, 20), 'is a damaged image: '],
  ])('refuses %s', async (_, bytes, message) => {
    await expect(read(bytes)).rejects.toThrow(message);
  });

  it('refuses an image of more pixels than memory holds', async () => {
    const header = Buffer.from(
      await sharp({ create: { width: 1, height: 1, channels: 3, background: 'red' } })
        .png()
        .toBuffer(),
    );
    header.writeUInt32BE(100_000, 16);
    header.writeUInt32BE(100_000, 20);
    const { crc32 } = await import('node:zlib');
    header.writeUInt32BE(crc32(header.subarray(12, 29)), 29);
    await expect(read(header)).rejects.toThrow(/^is too large an image .*scale it down/);
  });
});
