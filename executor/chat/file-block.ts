import type { DocumentPart } from '../documents/protocol.ts';

/** An image that goes with the step's request. */
export interface FileImage {
  /** The file, and the page of one that has pages. */
  name: string;
  mediaType: 'image/png' | 'image/jpeg';
  bytes: Uint8Array;
}

/** What one file gives: its block of text, which names its images by their place. */
export interface FileBlock {
  text: string;
  images: FileImage[];
}

/**
 * A file's block (spec: Files). What stands in a file cannot end the block, begin another
 * or look like one of its marks: `</file` in a text becomes `&lt;/file`, and a line that
 * is a mark gets a backslash before it.
 *
 * @param firstImage the place of its first image among all images of the step, from 1
 */
export function fileBlock(name: string, parts: readonly DocumentPart[], firstImage: number): FileBlock {
  const images: FileImage[] = [];
  const shown = escapeXml(name);
  const hasMarks = parts.some(({ heading }) => heading !== undefined);
  const pieces = parts.map((part) => {
    const heading = part.heading?.replace(/\s+/g, ' ');
    if ('picture' in part) {
      const place = firstImage + images.length;
      images.push({ name: heading === undefined ? name : `${name}, ${heading}`, ...part.picture });
      return heading === undefined ? `[Image ${place} is ${shown}.]` : `--- ${heading}: image ${place} ---`;
    }
    const text = harmless(part.text, hasMarks);
    if (heading === undefined) return text;
    return text === '' ? `--- ${heading} ---` : `--- ${heading} ---\n${text}`;
  });
  return { text: `<file name="${shown}">\n${pieces.join('\n')}\n</file>`, images };
}

function harmless(text: string, hasMarks: boolean): string {
  const inBlock = text.replace(/<(?=\/file\b|file\s+name=)/gi, '&lt;').replace(/^\[Image \d+ is /gm, '\\$&');
  return hasMarks ? inBlock.replace(/^--- .* ---$/gm, '\\$&') : inBlock;
}

function escapeXml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replace(/[\r\n\t]/g, (sign) => `&#${sign.charCodeAt(0)};`);
}
