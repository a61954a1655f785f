import { readFileSync } from 'node:fs';
import exceljs from 'exceljs';
import { afterEach, describe, expect, it } from 'vitest';
import { xlsx } from '../../../test/fixtures/office.ts';
import { readHere } from '../read.ts';
import { numberFormat } from './cell-format.ts';

const limits = { characters: 1_000_000, images: 50 };
const read = async (bytes: Uint8Array) =>
  (await readHere('workbook', bytes, limits)).map((part) => [part.heading, 'text' in part ? part.text : undefined]);
/** The one sheet of a workbook that was written by hand. */
const byHand = async (...given: Parameters<typeof xlsx>) => (await read(xlsx(...given)))[0]?.[1];
const { TZ } = process.env;

afterEach(() => {
  if (TZ === undefined) delete process.env.TZ;
  else process.env.TZ = TZ;
});

describe('a workbook of LibreOffice', () => {
  const zones = ['UTC', 'America/New_York', 'Asia/Tokyo', 'Pacific/Auckland'];
  const files = ['ledger.xlsx', 'ledger-1904.xlsx'];

  it.each(zones.flatMap((zone) => files.map((file) => [file, zone])))(
    'gives %s as people see it, in %s',
    async (file, zone) => {
      process.env.TZ = zone;
      const bytes = readFileSync(new URL(`../../../test/fixtures/documents/${file}`, import.meta.url));
      expect(await read(bytes)).toEqual([
        [
          'sheet Ledger',
          `Ledger of Kestrel Bay Paper
Dates	01.01.2026	5 March 2026	2026年12月31日	2026-03-29 02:30	2024-02-29 23:59
Numbers	1,234.50	000042	19.5%	4912345678904	0.1
Kinds	1	#DIV/0!	plain and bold	two lines	a link
		third column
Merged	above
	below`,
        ],
        ['sheet 売上', '四月	100.00'],
        [undefined, '[Hidden sheets are left out: Secret]'],
      ]);
    },
  );
});

describe('a workbook of another program', () => {
  it('takes what formulas last gave, and marks what was never calculated', async () => {
    const workbook = new exceljs.Workbook();
    const sheet = workbook.addWorksheet('S');
    sheet.getCell('A1').value = { formula: 'SUM(1,2)', result: 3 };
    sheet.getCell('B1').value = { formula: 'B9*2', result: undefined as unknown as number };
    sheet.getCell('C1').value = { formula: '1/0', result: { error: '#DIV/0!' } };
    sheet.getCell('D1').value = true;
    sheet.getCell('A3').value = 'Title';
    sheet.mergeCells('A3:C3');
    workbook.addWorksheet('Gone', { state: 'veryHidden' }).addRow(['secret']);
    expect(await read(new Uint8Array(await workbook.xlsx.writeBuffer()))).toEqual([
      ['sheet S', '3\t=B9*2 [not calculated]\t#DIV/0!\tTRUE\nTitle'],
      [undefined, '[Hidden sheets are left out: Gone]'],
    ]);
  });

  it('knows the other ways to write a cell', async () => {
    const rows =
      '<x:row><x:c t="inlineStr"><x:is><x:r><x:t>in </x:t></x:r><x:r><x:t>line</x:t></x:r><x:rPh><x:t>reading</x:t></x:rPh></x:is></x:c><x:c t="s"><x:v>0</x:v></x:c>' +
      '<x:c t="str"><x:f>A1</x:f><x:v></x:v></x:c><x:c t="d"><x:v>2026-03-05T00:00:00</x:v></x:c><x:c r="F1" t="b"><x:v>0</x:v></x:c><x:c><x:f t="shared" si="0"/></x:c></x:row>';
    const strings =
      '<si><t>請求</t><rPh sb="0" eb="2"><t>セイキュウ</t></rPh><r><t xml:space="preserve"> 書</t></r></si>';
    expect(await byHand(rows, { strings })).toBe('in line\t請求 書\t\t2026-03-05\t\tFALSE\t[formula, not calculated]');
  });

  it('shows dates by the built-in formats, and those of the system without ambiguity', async () => {
    const ids = [14, 22, 15, 20, 46, 31, 0];
    const styles = `<cellXfs>${ids.map((id) => `<xf numFmtId="${id}"/>`).join('')}</cellXfs>`;
    const rows = `<x:row>${ids.map((_, style) => `<x:c s="${style}"><x:v>46086.5</x:v></x:c>`).join('')}</x:row>`;
    expect(await byHand(rows, { styles })).toBe(
      '2026-03-05\t2026-03-05 12:00\t5-Mar-26\t12:00\t1106076:00:00\t2026-03-05\t46086.5',
    );
  });
});

describe('numberFormat', () => {
  const from1900 = (code: string, value: number) => numberFormat(code, false)(value);

  it.each([
    ['dd/mm/yyyy', 46086, '05/03/2026'],
    ['d.m.yy', 46086, '5.3.26'],
    ['[$-411]ggge"年"m"月"d"日"', 46086, '令和8年3月5日'],
    ['[$-411]ggge"年"m"月"d"日"', 32515, '昭和64年1月7日'],
    ['[$-411]ge.m.d;@', 32516, 'H1.1.8'],
    ['yyyy/m/d(aaa)', 46086, '2026/3/5(Thu)'],
    ['[$-411]yyyy/m/d(aaa)', 46086, '2026/3/5(木)'],
    ['[$-407]d. mmmm yyyy', 46086, '5. März 2026'],
    ['mm:ss', 0.5 + 7.5 / 1440, '07:30'],
    ['[h]:mm', 1.5, '36:00'],
    ['yyyy-mm-dd hh:mm', 46086.99999999, '2026-03-06 00:00'],
    ['dd/mm/yyyy', 59, '28/02/1900'],
    ['dd/mm/yyyy', 61, '01/03/1900'],
    ['dd/mm/yyyy', -5, '-5'],
    ['#,##0.00 "€"', 1234.5, '1,234.50 €'],
    ['#,##0.00 [$€-407]', 1234.5, '1,234.50 €'],
    ['#,##0;[Red](#,##0)', -5, '(5)'],
    ['0%', 0.19, '19%'],
    ['00000', 42, '00042'],
    ['General', 0.1 + 0.2, '0.3'],
    ['General', 4912345678904, '4912345678904'],
    ['General', 1e20, '100000000000000000000'],
    ['General', 0.000000123, '1.23e-7'],
    [';;;', 5, ''],
    ['what is "this', 5.5, '5.5'],
  ])('%s of %d', (code, value, text) => {
    expect(from1900(code, value)).toBe(text);
  });

  it('counts from 1904', () => {
    expect(numberFormat('yyyy-mm-dd', true)(0)).toBe('1904-01-01');
    expect(numberFormat('[h]:mm', true)(1.5)).toBe('36:00');
  });
});

describe('what is no readable workbook', () => {
  it.each<[string, Uint8Array, string]>([
    ['another file', Buffer.from('%PDF-1.7'), 'is no Office document: it is a PDF'],
    [
      'a cell beyond the last column',
      xlsx('<x:row><x:c r="XFE1"><x:v>1</x:v></x:c></x:row>'),
      'a cell is beyond the last column',
    ],
    ['XML that is cut', xlsx('<x:row>'), 'is not a readable Excel workbook: '],
  ])('tells of %s', async (_, bytes, message) => {
    await expect(read(bytes)).rejects.toThrow(message);
  });

  it('stops where there is more text than a step may have', async () => {
    const cell = `<x:c t="str"><x:v>${'x'.repeat(1000)}</x:v></x:c>`;
    await expect(read(xlsx(`<x:row>${cell}</x:row>`.repeat(1001)))).rejects.toThrow('more characters');
  });
});
