/** What a file's first bytes say it is; a name can say anything. */
export type ContentType =
  | 'png'
  | 'jpeg'
  | 'gif'
  | 'webp'
  | 'heic'
  | 'avif'
  | 'tiff'
  | 'bmp'
  | 'pdf'
  | 'zip'
  | 'ole'
  | 'unknown';

/** In words, for messages. */
export const contentNames: Record<ContentType, string> = {
  png: 'a PNG image',
  jpeg: 'a JPEG image',
  gif: 'a GIF image',
  webp: 'a WebP image',
  heic: 'a HEIC image',
  avif: 'an AVIF image',
  tiff: 'a TIFF image',
  bmp: 'a BMP image',
  pdf: 'a PDF',
  zip: 'a zip package, as Office documents are',
  ole: 'an older Office document (.doc, .xls) or one that is protected by a password',
  unknown: 'something else',
};

const marks: [ContentType, number, string][] = [
  ['png', 0, '\x89PNG\r\n\x1a\n'],
  ['jpeg', 0, '\xff\xd8\xff'],
  ['gif', 0, 'GIF87a'],
  ['gif', 0, 'GIF89a'],
  ['webp', 8, 'WEBP'],
  ['tiff', 0, 'II*\0'],
  ['tiff', 0, 'MM\0*'],
  ['bmp', 0, 'BM'],
  ['zip', 0, 'PK\x03\x04'],
  ['zip', 0, 'PK\x05\x06'],
  ['ole', 0, '\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1'],
];

export function contentType(bytes: Uint8Array): ContentType {
  const start = Buffer.from(bytes.subarray(0, 1024)).toString('latin1');
  const found = marks.find(([, at, mark]) => start.startsWith(mark, at));
  if (found !== undefined) return found[0];
  if (start.startsWith('ftyp', 4)) return brandedType(start);
  // Readers take a PDF whose header has some bytes of something else before it.
  return start.includes('%PDF-') ? 'pdf' : 'unknown';
}

/** The family of HEIF: its first box names the brands that it follows. */
function brandedType(start: string): ContentType {
  const brands = start.slice(8, 64);
  if (/avi[fs]/.test(brands)) return 'avif';
  return /heic|heix|hevc|hevx|heim|heis|mif1|msf1/.test(brands) ? 'heic' : 'unknown';
}
