import exceljs from 'exceljs';
import { describe, expect, it } from 'vitest';
import { readWorkbook } from './xlsx.ts';
import { formatDate } from './xlsx-dates.ts';

type Fill = (workbook: exceljs.Workbook) => void;

async function textOf(fill: Fill): Promise<string[]> {
  const workbook = new exceljs.Workbook();
  fill(workbook);
  const parts: string[] = [];
  for await (const part of readWorkbook(new Uint8Array(await workbook.xlsx.writeBuffer()))) parts.push(part);
  return parts;
}

const sheetText = async (fill: (sheet: exceljs.Worksheet) => void) =>
  (await textOf((workbook) => fill(workbook.addWorksheet('S')))).map((part) =>
    part.replace('--- sheet S ---\n', ''),
  )[0];

describe('readWorkbook', () => {
  it('gives each visible sheet under its name', async () => {
    const parts = await textOf((workbook) => {
      workbook.addWorksheet('First').addRow(['a', 1]);
      workbook.addWorksheet('Gone', { state: 'hidden' }).addRow(['secret']);
      workbook.addWorksheet('Gone too', { state: 'veryHidden' }).addRow(['secret']);
      workbook.addWorksheet('Last').addRow(['b', true]);
    });
    expect(parts).toEqual(['--- sheet First ---\na\t1', '--- sheet Last ---\nb\tTRUE']);
  });

  it('shows a merged cell once, keeps columns in place and leaves empty rows out', async () => {
    const text = await sheetText((sheet) => {
      sheet.getCell('A1').value = 'Title';
      sheet.mergeCells('A1:C1');
      sheet.getCell('C3').value = 'right';
    });
    expect(text).toBe('Title\n\t\tright');
  });

  it('takes what formulas last gave, and the formula where nothing is kept', async () => {
    const text = await sheetText((sheet) => {
      sheet.getCell('A1').value = { formula: 'SUM(1,2)', result: 3 };
      sheet.getCell('B1').value = { formula: 'B9*2', result: undefined as unknown as number };
      sheet.getCell('C1').value = { formula: '1/0', result: { error: '#DIV/0!' } };
    });
    expect(text).toBe('3\t=B9*2\t#DIV/0!');
  });

  it('shows numbers, rich text and links as people see them', async () => {
    const text = await sheetText((sheet) => {
      sheet.getCell('A1').value = 1234.5;
      sheet.getCell('A1').numFmt = '#,##0.00 "€"';
      sheet.getCell('B1').value = 0.19;
      sheet.getCell('B1').numFmt = '0%';
      sheet.getCell('C1').value = 0.1 + 0.2;
      sheet.getCell('D1').value = { richText: [{ text: 'bold ' }, { font: { bold: true }, text: 'text' }] };
      sheet.getCell('E1').value = { text: 'site', hyperlink: 'https://example.com' };
      sheet.getCell('F1').value = 'two\nlines';
    });
    expect(text).toBe('1234.50\t19%\t0.3\tbold text\tsite\ttwo lines');
  });

  it.each([false, true])('keeps dates to the day with date1904 %s', async (date1904) => {
    const [text] = await textOf((workbook) => {
      workbook.properties.date1904 = date1904;
      const cell = workbook.addWorksheet('S').getCell('A1');
      cell.value = new Date('2026-03-05T00:00:00Z');
      cell.numFmt = 'dd.mm.yyyy';
    });
    expect(text).toContain('05.03.2026');
  });

  it('refuses what is no workbook, and one that unpacks to too much', async () => {
    const read = async (bytes: Uint8Array) => {
      for await (const _ of readWorkbook(bytes));
    };
    await expect(read(Buffer.from('hello'))).rejects.toThrow('is not a readable Excel workbook');
    const workbook = new exceljs.Workbook();
    workbook.addWorksheet('S');
    const bytes = Buffer.from(await workbook.xlsx.writeBuffer());
    bytes.writeUInt32LE(600_000_000, bytes.indexOf(Buffer.from([0x50, 0x4b, 1, 2])) + 24);
    await expect(read(bytes)).rejects.toThrow('unpacks to more than 500 MB');
  });
});

describe('formatDate', () => {
  const date = new Date('2026-03-05T14:07:09Z');

  it.each([
    ['dd/mm/yyyy', '05/03/2026'],
    ['d.m.yy', '5.3.26'],
    ['yyyy"年"m"月"d"日"', '2026年3月5日'],
    ['dd\\-mm\\-yyyy hh:mm', '05-03-2026 14:07'],
    ['mm:ss', '07:09'],
    ['[$-409]m/d/yy h:mm', '3/5/26 14:07'],
    ['mm-dd-yy', '2026-03-05 14:07:09'],
    ['d mmmm yyyy', '2026-03-05 14:07:09'],
    ['', '2026-03-05 14:07:09'],
  ])('follows %j', (format, text) => {
    expect(formatDate(date, format)).toBe(text);
  });

  it('leaves midnight out', () => {
    expect(formatDate(new Date('2026-03-05T00:00:00Z'), '')).toBe('2026-03-05');
  });
});
