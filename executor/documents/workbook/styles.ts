import type { OfficePackage } from '../ooxml/package.ts';
import { attribute, readXml } from '../ooxml/xml.ts';
import { numberFormat, plainNumber, type ShowNumber } from './cell-format.ts';

/** Formats that have a number alone. Those that follow the reader's system are written unambiguously. */
const builtIn: Record<number, string> = {
  1: '0',
  2: '0.00',
  3: '#,##0',
  4: '#,##0.00',
  5: '"$"#,##0;-"$"#,##0',
  6: '"$"#,##0;-"$"#,##0',
  7: '"$"#,##0.00;-"$"#,##0.00',
  8: '"$"#,##0.00;-"$"#,##0.00',
  9: '0%',
  10: '0.00%',
  11: '0.00E+00',
  12: '# ?/?',
  13: '# ??/??',
  14: 'yyyy-mm-dd',
  15: 'd-mmm-yy',
  16: 'd-mmm',
  17: 'mmm-yy',
  18: 'h:mm AM/PM',
  19: 'h:mm:ss AM/PM',
  20: 'h:mm',
  21: 'h:mm:ss',
  22: 'yyyy-mm-dd hh:mm',
  37: '#,##0;(#,##0)',
  38: '#,##0;(#,##0)',
  39: '#,##0.00;(#,##0.00)',
  40: '#,##0.00;(#,##0.00)',
  41: '#,##0',
  42: '"$"#,##0',
  43: '#,##0.00',
  44: '"$"#,##0.00',
  45: 'mm:ss',
  46: '[h]:mm:ss',
  47: 'mm:ss.0',
  48: '##0.0E+0',
};
/** Dates of East Asian systems, which differ from one to the next. */
const eastAsianDates = [27, 28, 29, 30, 31, 36, 50, 51, 52, 53, 54, 55, 56, 57, 58];
const eastAsianTimes = [32, 33, 34, 35];

/** Excel's own short and long date and time, which people see in their system's way. */
const systemFormats: [RegExp, string][] = [
  [/^\[\$-F800\]/i, 'yyyy-mm-dd'],
  [/^\[\$-F400\]/i, 'hh:mm:ss'],
  [/^(?:mm-dd-yy|m\/d\/yy|m\/d\/yyyy)$/i, 'yyyy-mm-dd'],
  [/^m\/d\/yy{1,3} h:mm$/i, 'yyyy-mm-dd hh:mm'],
];

/** How the cells of each style show numbers. */
export class CellStyles {
  readonly #shows: ShowNumber[] = [];

  /** @param part the name of the styles' part; undefined for a workbook that has none */
  static async read(office: OfficePackage, part: string | undefined, from1904: boolean): Promise<CellStyles> {
    const styles = new CellStyles();
    if (part === undefined || !office.has(part)) return styles;
    const codes = new Map<number, string>();
    const shows = new Map<number, ShowNumber>();
    let isCellStyle = false;
    await readXml(office.read(part), {
      open: (name, attributes) => {
        if (name === 'numFmt') {
          codes.set(Number(attribute(attributes, 'numFmtId')), attribute(attributes, 'formatCode') ?? '');
        } else if (name === 'cellXfs') {
          isCellStyle = true;
        } else if (name === 'xf' && isCellStyle) {
          const id = Number(attribute(attributes, 'numFmtId') ?? 0);
          const show = shows.get(id) ?? numberFormat(unambiguous(codes.get(id) ?? builtInCode(id)), from1904);
          shows.set(id, show);
          styles.#shows.push(show);
        }
      },
      close: (name) => {
        if (name === 'cellXfs') isCellStyle = false;
      },
    });
    return styles;
  }

  show(style: string | undefined, value: number): string {
    return (this.#shows[Number(style ?? 0)] ?? plainNumber)(value);
  }
}

function builtInCode(id: number): string | undefined {
  if (eastAsianDates.includes(id)) return 'yyyy-mm-dd';
  return eastAsianTimes.includes(id) ? 'hh:mm:ss' : builtIn[id];
}

function unambiguous(code: string | undefined): string | undefined {
  const plain = code?.split(';')[0]?.trim() ?? '';
  return systemFormats.find(([pattern]) => pattern.test(plain))?.[1] ?? code;
}
