import sharp, { type Sharp } from 'sharp';
import type { Budget } from './budget.ts';
import { contentNames, contentType } from './content-type.ts';
import { maxEdge } from './limits.ts';
import type { DocumentPart, Picture } from './protocol.ts';
import { Unreadable } from './unreadable.ts';

const readable = ['png', 'jpeg', 'gif', 'webp'];

/** A PNG of more bytes is a photograph, of which a JPEG is a small part and no worse to read. */
const maxPngBytes = 1_048_576;
const jpegQuality = 90;

// What is no picture that people have is not given to the library's other readers.
sharp.block({ operation: ['VipsForeignLoad'] });
sharp.unblock({
  operation: ['VipsForeignLoadPng', 'VipsForeignLoadJpeg', 'VipsForeignLoadNsgif', 'VipsForeignLoadWebp'],
});
// One picture at a time is read, and forgotten.
sharp.cache(false);

/** An image file as a model takes it, by what it is and not by its name; of an animated one the first frame. */
export async function* readPicture(bytes: Uint8Array, budget: Budget): AsyncGenerator<DocumentPart> {
  const type = contentType(bytes);
  if (!readable.includes(type)) {
    const how = ['heic', 'avif', 'tiff', 'bmp'].includes(type) ? '; save or export it as JPEG or PNG' : '';
    throw new Unreadable(`is no PNG, JPEG, GIF or WebP image: it is ${contentNames[type]}${how}`);
  }
  budget.takeImage();
  try {
    // Cut and broken files are refused: what is missing could be what is asked for.
    yield { picture: await forModel(sharp(bytes, { failOn: 'error' })) };
  } catch (error) {
    throw new Unreadable(whyUnreadable(error as Error), { cause: error });
  }
}

/** Upright, its long edge at most 1568 pixels, on white, without what a camera notes of place and time. */
export async function forModel(image: Sharp): Promise<Picture> {
  const shown = image
    .autoOrient()
    .resize({ width: maxEdge, height: maxEdge, fit: 'inside', withoutEnlargement: true })
    .flatten({ background: 'white' });
  const { data, info } = await shown.raw().toBuffer({ resolveWithObject: true });
  const raw = { raw: { width: info.width, height: info.height, channels: info.channels } };
  const png = await sharp(data, raw).png().toBuffer();
  if (png.length <= maxPngBytes) return { mediaType: 'image/png', bytes: plain(png) };
  const jpeg = await sharp(data, raw).jpeg({ quality: jpegQuality }).toBuffer();
  return { mediaType: 'image/jpeg', bytes: plain(jpeg) };
}

function plain(buffer: Buffer): Uint8Array {
  return new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.length);
}

function whyUnreadable(error: Error): string {
  if (/pixel limit|exceeds.*limit|too large|dimensions/i.test(error.message)) {
    return `is too large an image (${firstLine(error)}); scale it down and save it again`;
  }
  return `is a damaged image: ${firstLine(error)}; open it and save it again`;
}

function firstLine({ message }: Error): string {
  return message.split('\n')[0] ?? '';
}
