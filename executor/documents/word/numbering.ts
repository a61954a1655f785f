import type { OfficePackage } from '../ooxml/package.ts';
import { attribute, readXml } from '../ooxml/xml.ts';
import { numberText } from './numbers.ts';

interface Level {
  start: number;
  form: string;
  /** What is shown, with %1 for the number of the first level. */
  text: string;
  /** The style whose paragraphs are of this level. */
  style: string | undefined;
}

/** A list that paragraphs belong to, by its number in the document. */
interface List {
  abstract: string;
  /** Where levels begin anew in this list. */
  starts: Map<number, number>;
}

/** Where a paragraph stands in a list. */
export interface ListPlace {
  list: string;
  level: number;
}

const deepest = 8;

/** The lists of a document: counts their paragraphs and gives what is shown before each. */
export class Numbering {
  readonly #levels = new Map<string, Map<number, Level>>();
  readonly #lists = new Map<string, List>();
  readonly #counts = new Map<string, number[]>();
  readonly #begun = new Set<string>();

  static async read(office: OfficePackage, part: string | undefined): Promise<Numbering> {
    const numbering = new Numbering();
    if (part === undefined || !office.has(part)) return numbering;
    let levels = new Map<number, Level>();
    let level: Level | undefined;
    let list: List | undefined;
    let overridden = 0;
    await readXml(office.read(part), {
      open: (name, attributes) => {
        const value = attribute(attributes, 'val') ?? '';
        switch (name) {
          case 'abstractNum':
            levels = new Map();
            numbering.#levels.set(attribute(attributes, 'abstractNumId') ?? '', levels);
            break;
          case 'lvl':
            level = { start: 1, form: 'decimal', text: '', style: undefined };
            // A list's own level replaces that of its kind for the start alone.
            if (list === undefined) levels.set(Number(attribute(attributes, 'ilvl')), level);
            break;
          case 'start':
            if (level !== undefined) level.start = Number(value);
            break;
          case 'numFmt':
            if (level !== undefined) level.form = value;
            break;
          case 'lvlText':
            if (level !== undefined) level.text = value;
            break;
          case 'pStyle':
            if (level !== undefined) level.style = value;
            break;
          case 'num':
            list = { abstract: '', starts: new Map() };
            numbering.#lists.set(attribute(attributes, 'numId') ?? '', list);
            break;
          case 'abstractNumId':
            if (list !== undefined) list.abstract = value;
            break;
          case 'lvlOverride':
            overridden = Number(attribute(attributes, 'ilvl'));
            break;
          case 'startOverride':
            list?.starts.set(overridden, Number(value));
            break;
        }
      },
      close: (name) => {
        if (name === 'lvl') level = undefined;
        else if (name === 'num') list = undefined;
      },
    });
    return numbering;
  }

  /** The level of a list that belongs to a style; 0 when none does. */
  levelOfStyle(list: string, style: string): number {
    const levels = this.#levelsOf(list);
    return [...(levels ?? [])].find(([, level]) => level.style === style)?.[0] ?? 0;
  }

  /** Counts one more paragraph, and gives its number or bullet; empty for one of no list. */
  next({ list, level }: ListPlace): string {
    const levels = this.#levelsOf(list);
    const own = levels?.get(level);
    const kind = this.#lists.get(list);
    if (levels === undefined || own === undefined || kind === undefined || level > deepest) return '';
    const counts = this.#counts.get(kind.abstract) ?? [];
    this.#counts.set(kind.abstract, counts);
    const start = kind.starts.get(level);
    if (start !== undefined && !this.#begun.has(`${list} ${level}`)) counts[level] = start - 1;
    this.#begun.add(`${list} ${level}`);
    counts[level] = (counts[level] ?? own.start - 1) + 1;
    counts.length = level + 1;
    if (own.form === 'bullet') return bullet(own.text);
    return own.text.replace(/%([1-9])/g, (_, digit: string) => {
      const index = Number(digit) - 1;
      const other = levels.get(index);
      return numberText(counts[index] ?? other?.start ?? 1, other?.form ?? 'decimal');
    });
  }

  #levelsOf(list: string): Map<number, Level> | undefined {
    return this.#levels.get(this.#lists.get(list)?.abstract ?? '');
  }
}

/** The letters of symbol fonts mean nothing by themselves. */
function bullet(text: string): string {
  return /^[\p{Co}o]?$/u.test(text) ? '•' : text;
}
