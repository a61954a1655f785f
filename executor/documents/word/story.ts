import { type Attributes, attribute, type XmlHandler } from '../ooxml/xml.ts';
import type { NoteKind, Notes } from './notes.ts';
import type { ListPlace, Numbering } from './numbering.ts';
import type { ParagraphStyles } from './styles.ts';
import { symbolText } from './symbols.ts';

/** What the stories of a document (its text, headers, notes) have in common, and what they find. */
export interface StoryContext {
  numbering: Numbering;
  styles: ParagraphStyles;
  notes: Notes;
  /** Some text is formatted as hidden, and was left out. */
  hasHidden: boolean;
  /** Relations of the headers, footers and diagrams that are used. */
  headers: Set<string>;
  footers: Set<string>;
  diagrams: Set<string>;
}

/** Notes stand together in a part of their own, each with its number. */
export interface Note {
  kind: NoteKind;
  id: string;
  author: string | undefined;
  lines: string[];
}

interface Paragraph {
  text: string;
  /** Lines of text boxes that are anchored in it. */
  after: string[];
  style: string | undefined;
  list: string | undefined;
  level: number | undefined;
  /** Its end was deleted with tracked changes: the next paragraph goes on in it. */
  joins: boolean;
  runHidden: boolean;
  alternative: string;
  /** The reading of a Japanese word that is being read. */
  reading: string | undefined;
}

interface Cell {
  lines: string[];
  span: number;
  deleted: boolean;
}

interface Table {
  cells: string[];
  rowDeleted: boolean;
  cell: Cell | undefined;
}

/** Elements whose content is not what the document says: instructions, deleted text, former formats. */
const skipped = new Set([
  'instrText',
  'delText',
  'delInstrText',
  'tabs',
  'sdtPr',
  'sdtEndPr',
  'pPrChange',
  'rPrChange',
  'tblPrChange',
  'tblPrExChange',
  'tblGridChange',
  'trPrChange',
  'tcPrChange',
  'sectPrChange',
  'numberingChange',
]);
const noteKinds: readonly string[] = ['footnote', 'endnote', 'comment'] satisfies NoteKind[];
const maxSpan = 1000;

/**
 * Reads a story of a Word document, a paragraph or row of a table a line. Tracked
 * insertions are kept and deletions left out; the cells of a row stand apart by tabs, and
 * those that a merged one covers are empty; text boxes follow the paragraph they belong to.
 */
export class StoryReader implements XmlHandler {
  readonly #context: StoryContext;
  readonly #note: (note: Note) => void;
  /** Where lines go: the innermost last. */
  readonly #sinks: ((line: string) => void)[];
  readonly #path: string[] = [];
  readonly #paragraphs: Paragraph[] = [];
  readonly #tables: Table[] = [];
  /** Whether one of several forms of the same content was taken, for each place that has some. */
  readonly #choices: boolean[] = [];
  #skipFrom: number | undefined;
  #isText = false;
  #carried: { depth: number; text: string } | undefined;
  #noteRead: Note | undefined;

  constructor(context: StoryContext, line: (line: string) => void, note: (note: Note) => void = () => {}) {
    this.#context = context;
    this.#note = note;
    this.#sinks = [line];
  }

  open(name: string, attributes: Attributes): void {
    const parent = this.#path.at(-1);
    this.#path.push(name);
    if (this.#skipFrom !== undefined) return;
    if (this.#isSkipped(name, parent)) {
      this.#skipFrom = this.#path.length;
      return;
    }
    const value = attribute(attributes, 'val');
    this.#openBlock(name, attributes);
    this.#openProperty(name, parent, value);
    this.#openContent(name, parent, attributes);
  }

  text(piece: string): void {
    if (this.#isText && this.#skipFrom === undefined) this.#add(piece);
  }

  close(name: string): void {
    const depth = this.#path.length;
    this.#path.pop();
    if (this.#skipFrom !== undefined) {
      if (this.#skipFrom === depth) this.#skipFrom = undefined;
      return;
    }
    switch (name) {
      case 't':
        this.#isText = false;
        break;
      case 'p':
        this.#endParagraph();
        break;
      case 'num':
        this.#add('/'); // the upper part of a fraction
        break;
      case 'rt':
        this.#isText = false;
        break;
      case 'ruby':
        this.#endRuby();
        break;
      case 'txbxContent':
        this.#endSink();
        break;
      case 'tc':
        this.#endCell();
        break;
      case 'tr':
        this.#endRow();
        break;
      case 'tbl':
        this.#tables.pop();
        break;
      case 'AlternateContent':
        this.#choices.pop();
        break;
      case 'body':
      case 'hdr':
      case 'ftr':
        this.#flush();
        break;
      default:
        if (noteKinds.includes(name)) this.#endNote();
    }
  }

  #isSkipped(name: string, parent: string | undefined): boolean {
    if (skipped.has(name)) return true;
    // As a property it says that a paragraph's end or a row was deleted.
    if (name === 'del' || name === 'moveFrom') return parent !== 'rPr' && parent !== 'trPr';
    if (name !== 'Choice' && name !== 'Fallback') return false;
    const taken = this.#choices.at(-1) ?? false;
    if (!taken) this.#choices[this.#choices.length - 1] = true;
    return taken;
  }

  #openBlock(name: string, attributes: Attributes): void {
    switch (name) {
      case 'p':
        this.#paragraphs.push({
          text: this.#takeCarried(),
          after: [],
          style: undefined,
          list: undefined,
          level: undefined,
          joins: false,
          runHidden: false,
          alternative: '',
          reading: undefined,
        });
        break;
      case 'r':
        if (this.#paragraph !== undefined) this.#paragraph.runHidden = false;
        break;
      case 'AlternateContent':
        this.#choices.push(false);
        break;
      case 'txbxContent': {
        const after = this.#paragraph?.after;
        const outer = this.#sink;
        this.#sinks.push((line) => (after === undefined ? outer(line) : after.push(line)));
        break;
      }
      case 'tbl':
        this.#tables.push({ cells: [], rowDeleted: false, cell: undefined });
        break;
      case 'tr':
        Object.assign(this.#tables.at(-1) ?? {}, { cells: [], rowDeleted: false });
        break;
      case 'tc': {
        const cell: Cell = { lines: [], span: 1, deleted: false };
        Object.assign(this.#tables.at(-1) ?? {}, { cell });
        this.#sinks.push((line) => cell.lines.push(line));
        break;
      }
      default:
        if (noteKinds.includes(name)) this.#startNote(name as NoteKind, attributes);
    }
  }

  #openProperty(name: string, parent: string | undefined, value: string | undefined): void {
    const paragraph = this.#paragraph;
    const table = this.#tables.at(-1);
    const grandparent = this.#path.at(-3);
    if (parent === 'pPr' && name === 'pStyle' && paragraph !== undefined) paragraph.style = value;
    else if (parent === 'numPr' && paragraph !== undefined) {
      if (name === 'numId') paragraph.list = value;
      else if (name === 'ilvl') paragraph.level = Number(value);
    } else if (parent === 'rPr' && paragraph !== undefined) {
      if (grandparent === 'pPr' && (name === 'del' || name === 'moveFrom')) paragraph.joins = true;
      if (grandparent === 'r' && name === 'vanish') paragraph.runHidden = isOn(value);
    } else if (parent === 'trPr' && table !== undefined) {
      if (name === 'gridBefore') table.cells.push(...emptyCells(value));
      else if (name === 'del') table.rowDeleted = true;
    } else if (parent === 'tcPr' && table?.cell !== undefined) {
      if (name === 'gridSpan') table.cell.span = emptyCells(value).length;
      else if (name === 'cellDel') table.cell.deleted = true;
    }
  }

  #openContent(name: string, parent: string | undefined, attributes: Attributes): void {
    switch (name) {
      case 't':
        this.#isText = true;
        break;
      case 'tab':
      case 'ptab':
        if (parent === 'r') this.#add('\t');
        break;
      case 'br':
      case 'cr':
        this.#add('\n');
        break;
      case 'noBreakHyphen':
        this.#add('-');
        break;
      case 'sym':
        this.#add(symbolText(attribute(attributes, 'font') ?? '', attribute(attributes, 'char') ?? ''));
        break;
      case 'sup':
        this.#add('^');
        break;
      case 'sub':
        this.#add('_');
        break;
      case 'rt':
        if (this.#paragraph !== undefined) this.#paragraph.reading = '';
        break;
      case 'docPr':
        if (this.#paragraph === undefined) break;
        this.#paragraph.alternative = attribute(attributes, 'descr') ?? attribute(attributes, 'title') ?? '';
        break;
      case 'blip':
      case 'imagedata':
        this.#add(this.#pictureMark(attributes));
        break;
      case 'chart':
        this.#add('[chart]');
        break;
      case 'relIds':
        this.#context.diagrams.add(attribute(attributes, 'dm') ?? '');
        break;
      case 'altChunk':
        this.#sink('[embedded document, left out]');
        break;
      case 'headerReference':
        this.#context.headers.add(attribute(attributes, 'id') ?? '');
        break;
      case 'footerReference':
        this.#context.footers.add(attribute(attributes, 'id') ?? '');
        break;
      case 'footnoteReference':
      case 'endnoteReference':
      case 'commentReference':
        this.#add(
          this.#context.notes.mark(name.replace('Reference', '') as NoteKind, attribute(attributes, 'id') ?? ''),
        );
        break;
    }
  }

  get #paragraph(): Paragraph | undefined {
    return this.#paragraphs.at(-1);
  }

  get #sink(): (line: string) => void {
    return this.#sinks.at(-1) as (line: string) => void;
  }

  #add(text: string): void {
    const paragraph = this.#paragraph;
    if (paragraph === undefined) return;
    if (paragraph.runHidden) this.#context.hasHidden = true;
    else if (this.#path.includes('rt')) paragraph.reading += text;
    else paragraph.text += text;
  }

  #pictureMark(attributes: Attributes): string {
    const words = (this.#paragraph?.alternative || attribute(attributes, 'title') || '').replace(/\s+/g, ' ').trim();
    return words === '' ? '[picture]' : `[picture: ${words}]`;
  }

  /** The reading stands in the file before the word; people see it above. */
  #endRuby(): void {
    const paragraph = this.#paragraph;
    if (paragraph === undefined) return;
    if (paragraph.reading) paragraph.text += `(${paragraph.reading})`;
    paragraph.reading = undefined;
  }

  #endParagraph(): void {
    const paragraph = this.#paragraphs.pop();
    if (paragraph === undefined) return;
    const { text, after, joins } = paragraph;
    if (joins) {
      this.#carried = { depth: this.#sinks.length, text };
    } else {
      const place = this.#placeOf(paragraph);
      const label = place === undefined ? '' : this.#context.numbering.next(place);
      this.#emit(label === '' || text.trim() === '' ? text : `${label} ${text}`);
    }
    for (const line of after) this.#sink(line);
  }

  #placeOf({ list, level, style }: Paragraph): ListPlace | undefined {
    const { numbering, styles } = this.#context;
    const fromStyle = style === undefined ? undefined : styles.place(style, numbering);
    if (list === undefined) return fromStyle;
    // The number 0 takes a paragraph out of its style's list.
    return list === '0' ? undefined : { list, level: level ?? fromStyle?.level ?? 0 };
  }

  #emit(text: string): void {
    for (const line of text.split('\n')) if (line.trim() !== '') this.#sink(line.trimEnd());
  }

  #takeCarried(): string {
    const carried = this.#carried;
    if (carried?.depth !== this.#sinks.length) return '';
    this.#carried = undefined;
    return carried.text;
  }

  #flush(): void {
    this.#emit(this.#takeCarried());
  }

  #endSink(): void {
    this.#flush();
    this.#sinks.pop();
  }

  #endCell(): void {
    this.#endSink();
    const table = this.#tables.at(-1);
    const cell = table?.cell;
    if (table === undefined || cell === undefined) return;
    const text = cell.deleted ? '' : cell.lines.join(' ').replace(/\s*\t\s*/g, ' ');
    table.cells.push(text, ...emptyCells(String(cell.span - 1)));
    table.cell = undefined;
  }

  #endRow(): void {
    const table = this.#tables.at(-1);
    if (table === undefined || table.rowDeleted) return;
    // The table in a cell is a part of that cell.
    const line = table.cells.join(this.#tables.length > 1 ? ' | ' : '\t');
    if (table.cells.some((text) => text !== '')) this.#sink(line.trimEnd());
  }

  #startNote(kind: NoteKind, attributes: Attributes): void {
    // Lines between the text and its notes are kept as notes of a type of their own.
    if ((attribute(attributes, 'type') ?? 'normal') !== 'normal') {
      this.#skipFrom = this.#path.length;
      return;
    }
    const lines: string[] = [];
    const id = attribute(attributes, 'id') ?? '';
    this.#noteRead = { kind, id, author: attribute(attributes, 'author'), lines };
    this.#sinks.push((line) => lines.push(line));
  }

  #endNote(): void {
    if (this.#noteRead === undefined) return;
    this.#endSink();
    this.#note(this.#noteRead);
    this.#noteRead = undefined;
  }
}

function emptyCells(count: string | undefined): string[] {
  const number = Math.trunc(Number(count));
  return Array<string>(number > 0 ? Math.min(number, maxSpan) : 0).fill('');
}

function isOn(value: string | undefined): boolean {
  return value === undefined || !['0', 'false', 'off'].includes(value);
}
