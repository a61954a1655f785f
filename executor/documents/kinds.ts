import type { DocumentKind } from './protocol.ts';

const endings: Record<string, DocumentKind | 'text'> = {
  ...Object.fromEntries(
    'txt md csv tsv json jsonl yaml yml xml html htm log'.split(' ').map((ending) => [ending, 'text']),
  ),
  docx: 'word',
  xlsx: 'workbook',
  xlsm: 'workbook',
  pdf: 'pdf',
  png: 'picture',
  jpg: 'picture',
  jpeg: 'picture',
  gif: 'picture',
  webp: 'picture',
};

/** Kinds that people often have, with how they become one that is read. */
const advice: Record<string, string> = {
  heic: 'it is a HEIC image; save or export it as JPEG',
  heif: 'it is a HEIC image; save or export it as JPEG',
  avif: 'save the image as PNG or JPEG',
  bmp: 'save the image as PNG or JPEG',
  tif: 'save the image as PNG or PDF',
  tiff: 'save the image as PNG or PDF',
  svg: 'save the image as PNG',
  doc: 'save it as a Word document (.docx)',
  docm: 'save it as a Word document without macros (.docx)',
  dotx: 'save it as a Word document (.docx)',
  rtf: 'save it as a Word document (.docx)',
  odt: 'save it as a Word document (.docx)',
  xls: 'save it as an Excel workbook (.xlsx)',
  xlsb: 'save it as an Excel workbook (.xlsx)',
  ods: 'save it as an Excel workbook (.xlsx)',
  ppt: 'save it as a PDF',
  pptx: 'save it as a PDF',
  zip: 'unpack it and name the files in it',
};

/** The kind of a file by the ending of its name; else why it is of none, in words. */
export function kindOfFile(ending: string): { kind: DocumentKind | 'text' } | { problem: string } {
  const name = ending.toLowerCase();
  if (Object.hasOwn(endings, name)) return { kind: endings[name] as DocumentKind | 'text' };
  const supported = Object.keys(endings)
    .map((known) => `.${known}`)
    .join(', ');
  const how = Object.hasOwn(advice, name) ? `: ${advice[name]}` : '';
  return { problem: `is of a kind that is not supported${how} (supported are ${supported})` };
}
