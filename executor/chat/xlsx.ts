import type { Cell, CellValue, Row, Worksheet } from 'exceljs';
import { formatDate } from './xlsx-dates.ts';

/** The most that a workbook may unpack to; a small file can claim gigabytes. */
const maxUnpacked = 500 * 1_048_576;

/**
 * The text of an Excel workbook: each visible sheet under a `--- sheet NAME ---` line, a
 * row a line, cells apart by tabs, as people see them. Formulas give their stored value.
 * Throws an Error in words when it cannot be read.
 */
export async function* readWorkbook(bytes: Uint8Array): AsyncGenerator<string> {
  if (unpackedSize(bytes) > maxUnpacked) throw new Error('unpacks to more than 500 MB; give a smaller workbook');
  const { Workbook } = (await import('exceljs')).default;
  const workbook = new Workbook();
  try {
    await workbook.xlsx.load(bytes.slice().buffer);
  } catch (error) {
    throw new Error(`is not a readable Excel workbook, or it is protected by a password: ${(error as Error).message}`, {
      cause: error,
    });
  }
  const visible = workbook.worksheets.filter(({ state }) => state === 'visible');
  if (visible.length === 0) throw new Error('has no visible sheet');
  for (const sheet of visible) yield sheetText(sheet);
}

function sheetText(sheet: Worksheet): string {
  const lines = [`--- sheet ${sheet.name} ---`];
  sheet.eachRow((row) => {
    const line = rowText(row);
    if (line !== '') lines.push(line);
  });
  return lines.join('\n');
}

function rowText(row: Row): string {
  const cells: string[] = [];
  row.eachCell({ includeEmpty: true }, (cell) => cells.push(cellText(cell)));
  return cells.join('\t').trimEnd();
}

function cellText(cell: Cell): string {
  // The cells that a merged one covers repeat its value.
  if (cell.isMerged && cell.master !== cell) return '';
  return valueText(cell.value, cell.numFmt ?? '').replace(/\s*[\r\n]+\s*/g, ' ');
}

function valueText(value: CellValue | undefined, format: string): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return numberText(value, format);
  if (typeof value === 'boolean') return value ? 'TRUE' : 'FALSE';
  if (value instanceof Date) return formatDate(value, format);
  if ('error' in value) return value.error;
  if ('richText' in value) return value.richText.map(({ text }) => text).join('');
  // The library types the text of a link as a string, and gives rich text there too.
  if ('hyperlink' in value) return valueText(value.text as CellValue, format);
  const formula = 'formula' in value ? value.formula : value.sharedFormula;
  return value.result === undefined ? `=${formula}` : valueText(value.result as CellValue, format);
}

/** A number with the decimals that its format shows, and as a percentage where it is one. */
function numberText(value: number, format: string): string {
  const code = (format.split(';')[0] ?? '').replace(/"[^"]*"|\\.|\[[^\]]*\]/g, '');
  const isPercent = code.includes('%');
  // Fifteen digits are what Excel itself keeps; the rest is binary noise.
  const shown = Number((isPercent ? value * 100 : value).toPrecision(15));
  const decimals = /0\.(0+)(?![0#?E])/i.exec(code)?.[1]?.length;
  return `${decimals === undefined ? shown : shown.toFixed(decimals)}${isPercent ? '%' : ''}`;
}

/** The bytes that a zip file's directory says its parts unpack to; 0 where it has none. */
function unpackedSize(bytes: Uint8Array): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const end = findDirectoryEnd(view);
  if (end === undefined) return 0;
  let total = 0;
  let at = view.getUint32(end + 16, true);
  while (at + 46 <= bytes.length && view.getUint32(at, true) === 0x02014b50) {
    total += view.getUint32(at + 24, true);
    at += 46 + view.getUint16(at + 28, true) + view.getUint16(at + 30, true) + view.getUint16(at + 32, true);
  }
  return total;
}

/** Where the zip's end record stands, which only a comment of at most 64 KB follows. */
function findDirectoryEnd(view: DataView): number | undefined {
  const first = Math.max(0, view.byteLength - 22 - 65_535);
  for (let at = view.byteLength - 22; at >= first; at -= 1) if (view.getUint32(at, true) === 0x06054b50) return at;
  return undefined;
}
