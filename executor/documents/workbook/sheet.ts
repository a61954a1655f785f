import type { Attributes, XmlHandler } from '../ooxml/xml.ts';
import { Unreadable } from '../unreadable.ts';
import type { CellStyles } from './styles.ts';

/** The most columns that a sheet has. */
const maxColumns = 16_384;

/**
 * Gives the rows of a sheet as lines, their cells apart by tabs and in their columns. Rows
 * without text are left out. What a formula last gave stands for it; one that never gave
 * anything is shown with a mark.
 */
export class SheetReader implements XmlHandler {
  readonly #strings: readonly string[];
  readonly #styles: CellStyles;
  readonly #line: (line: string) => void;
  #row: string[] = [];
  #column = 0;
  #isCell = false;
  #type = 'n';
  #style: string | undefined;
  #value: string | undefined;
  #formula: string | undefined;
  #collects: 'value' | 'formula' | undefined;
  #readings = 0;

  constructor(strings: readonly string[], styles: CellStyles, line: (line: string) => void) {
    this.#strings = strings;
    this.#styles = styles;
    this.#line = line;
  }

  open(name: string, attributes: Attributes): void {
    switch (name) {
      case 'c':
        this.#column = columnOf(attributes.r) ?? this.#column + 1;
        if (this.#column > maxColumns) throw new Unreadable('is damaged: a cell is beyond the last column');
        this.#type = attributes.t ?? 'n';
        this.#style = attributes.s;
        this.#value = undefined;
        this.#formula = undefined;
        this.#isCell = true;
        break;
      case 'v':
        this.#value = '';
        this.#collects = 'value';
        break;
      case 'f':
        this.#formula = '';
        this.#collects = 'formula';
        break;
      case 'rPh':
        this.#readings += 1;
        break;
      case 't':
        // The text of a cell that keeps its own: one piece, or one for each run.
        if (!this.#isCell || this.#readings > 0) break;
        this.#value ??= '';
        this.#collects = 'value';
        break;
      case 'row':
        this.#row = [];
        this.#column = 0;
        break;
    }
  }

  text(piece: string): void {
    if (this.#collects === 'value') this.#value += piece;
    else if (this.#collects === 'formula') this.#formula += piece;
  }

  close(name: string): void {
    this.#collects = undefined;
    if (name === 'c') {
      this.#isCell = false;
      const text = this.#cellText();
      if (text !== '') this.#row[this.#column - 1] = text;
    } else if (name === 'rPh') {
      this.#readings -= 1;
    } else if (name === 'row') {
      const line = Array.from(this.#row, (text) => text ?? '').join('\t');
      if (line !== '') this.#line(line);
    }
  }

  #cellText(): string {
    if (this.#value === undefined) return this.#formula === undefined ? '' : notCalculated(this.#formula);
    return oneLine(this.#shown(this.#value));
  }

  #shown(value: string): string {
    switch (this.#type) {
      case 's':
        return this.#strings[Number(value)] ?? '';
      case 'str':
      case 'inlineStr':
      case 'e':
        return value;
      case 'b':
        return value === '1' || value === 'true' ? 'TRUE' : 'FALSE';
      case 'd':
        return isoDate(value);
      default: {
        const number = Number(value);
        return value.trim() === '' || Number.isNaN(number) ? value : this.#styles.show(this.#style, number);
      }
    }
  }
}

function notCalculated(formula: string): string {
  return formula === '' ? '[formula, not calculated]' : oneLine(`=${formula} [not calculated]`);
}

function oneLine(text: string): string {
  return /[\t\r\n]/.test(text) ? text.replace(/\s*[\t\r\n]+\s*/g, ' ') : text;
}

/** A date that is kept as text in the ISO form: the day alone where it is midnight. */
function isoDate(value: string): string {
  return value.replace(/T00:00:00(?:\.0+)?Z?$/, '').replace('T', ' ');
}

/** The column of a cell's name, as 3 for C7. */
function columnOf(name: string | undefined): number | undefined {
  if (name === undefined) return undefined;
  let column = 0;
  for (let index = 0; index < name.length; index += 1) {
    const letter = name.charCodeAt(index) & ~0x20;
    if (letter < 65 || letter > 90) break;
    column = column * 26 + letter - 64;
  }
  return column === 0 ? undefined : column;
}
