import { Buffer } from 'node:buffer';
import { createCanvas } from '@napi-rs/canvas';
import type { PDFPageProxy } from 'pdfjs-dist/types/src/display/api.d.ts';
import sharp from 'sharp';
import { maxEdge } from '../limits.ts';
import { forModel } from '../picture.ts';
import type { Picture } from '../protocol.ts';
import { registerFonts } from './fonts.ts';
import { loadPdfJs, type PdfJs } from './library.ts';

/** Operations of pdf.js by what they do, found by the names that it has for them. */
function operations({ OPS }: PdfJs) {
  const named = (pattern: RegExp) =>
    new Set(
      Object.entries(OPS)
        .filter(([name]) => pattern.test(name))
        .map(([, code]) => code),
    );
  return {
    path: OPS.constructPath,
    /** Leave something to see. */
    draws: named(/ShowText$|^show|^paint(?!Form)|[fF]ill(?:Path)?$|[sS]troke$/),
    image: named(/^paint.*Image/),
    /** On an image that goes by a name, their first argument. */
    namedImage: named(/^paint(?:ImageXObject(?:Repeat)?|ImageMaskXObject)$/),
  };
}

/** What a page draws. */
export interface Drawn {
  /** Nothing is drawn: neither text nor pictures nor shapes, which could be letters. */
  isBlank: boolean;
  images: number;
  /** Those that cannot be decoded, which drawing the page leaves out without a word. */
  brokenImages: number;
}

/** Looks through a page's operations, which decodes its pictures. */
export async function whatIsDrawn(page: PDFPageProxy): Promise<Drawn> {
  const { path, draws, image, namedImage } = operations(await loadPdfJs());
  const { fnArray, argsArray } = await page.getOperatorList();
  const drawn: Drawn = { isBlank: true, images: 0, brokenImages: 0 };
  for (const [index, code] of fnArray.entries()) {
    const args = argsArray[index] as unknown[] | null;
    // A path carries what is done with it as its first argument.
    if (draws.has(code === path ? (args?.[0] as number) : code)) drawn.isBlank = false;
    if (image.has(code)) drawn.images += 1;
    const [name] = args ?? [];
    if (!namedImage.has(code) || typeof name !== 'string') continue;
    if ((await decodedImage(page, name)) === null) drawn.brokenImages += 1;
  }
  return drawn;
}

/** A picture of the page; null for one that could not be decoded. */
function decodedImage(page: PDFPageProxy, name: string): Promise<unknown> {
  // Those with this start are shared by pages.
  const objects = name.startsWith('g_') ? page.commonObjs : page.objs;
  return new Promise((resolve) => objects.get(name, resolve));
}

/** Draws a page on white, its long edge 1568 pixels. */
export async function drawPage(page: PDFPageProxy): Promise<Picture> {
  registerFonts();
  const { width, height } = page.getViewport({ scale: 1 });
  const viewport = page.getViewport({ scale: maxEdge / Math.max(width, height) });
  const canvas = createCanvas(Math.max(1, Math.round(viewport.width)), Math.max(1, Math.round(viewport.height)));
  await page.render({ canvas: canvas as unknown as HTMLCanvasElement, viewport, background: 'white' }).promise;
  const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
  const pixels = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  return await forModel(sharp(pixels, { raw: { width: canvas.width, height: canvas.height, channels: 4 } }));
}
