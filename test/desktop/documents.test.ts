import sharp from 'sharp';
import { expect, it } from 'vitest';
import { readHere } from '../../executor/documents/read.ts';
import { japaneseFont, onePage } from '../fixtures/pdf.ts';

it('draws Japanese whose font is not in the PDF with one of the system', async () => {
  const dot: [string, string] = [
    '/Type/XObject /Subtype/Image /Width 1 /Height 1 /ColorSpace/DeviceGray /BitsPerComponent 8',
    '\xff',
  ];
  // Of pictures with little text a picture is made.
  const content = 'q /I Do Q BT /F 60 Tf 20 80 Td <90bf8b818f91> Tj ET';
  const page = onePage(content, '/Font<</F 5 0 R>> /XObject<</I 8 0 R>>', [...japaneseFont, dot]);
  const [part] = await readHere('pdf', page, { characters: 100, images: 1 });
  if (part === undefined || !('picture' in part)) throw new Error('the page came as text');
  const { bytes } = part.picture;
  const area = { left: 80, top: 260, width: 700, height: 240 };
  const letters = await sharp(bytes).extract(area).greyscale().threshold(160).png().toBuffer();
  const { channels } = await sharp(letters).stats();
  // The empty box of a missing letter has an edge alone, which is dark to a twentieth.
  expect(1 - (channels[0]?.mean ?? 255) / 255).toBeGreaterThan(0.1);
});
