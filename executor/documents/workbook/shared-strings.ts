import type { OfficePackage } from '../ooxml/package.ts';
import { readXml } from '../ooxml/xml.ts';

/** The texts that cells of all sheets refer to by number: their runs joined, readings of Japanese left out. */
export async function readSharedStrings(office: OfficePackage, part: string | undefined): Promise<string[]> {
  const strings: string[] = [];
  if (part === undefined || !office.has(part)) return strings;
  let text = '';
  let isText = false;
  let readings = 0;
  await readXml(office.read(part), {
    open: (name) => {
      if (name === 'si') text = '';
      else if (name === 'rPh') readings += 1;
      isText = name === 't' && readings === 0;
    },
    text: (piece) => {
      if (isText) text += piece;
    },
    close: (name) => {
      if (name === 'si') strings.push(text);
      else if (name === 'rPh') readings -= 1;
      isText = false;
    },
  });
  return strings;
}
