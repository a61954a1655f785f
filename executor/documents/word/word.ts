import type { Budget } from '../budget.ts';
import { OfficePackage, type Relation } from '../ooxml/package.ts';
import { readXml, type XmlHandler } from '../ooxml/xml.ts';
import type { DocumentPart } from '../protocol.ts';
import { type NoteKind, Notes } from './notes.ts';
import { Numbering } from './numbering.ts';
import { type Note, type StoryContext, StoryReader } from './story.ts';
import { ParagraphStyles } from './styles.ts';

/**
 * The text of a Word document, a paragraph or row of a table a line: one part, or several
 * under headings where it has headers, footers, notes, comments or diagrams with text.
 */
export async function* readWord(bytes: Uint8Array, budget: Budget): AsyncGenerator<DocumentPart> {
  const office = await OfficePackage.open(bytes);
  try {
    yield* await new WordReader(office, budget).parts();
  } finally {
    office.close();
  }
}

class WordReader {
  readonly #office: OfficePackage;
  readonly #budget: Budget;

  constructor(office: OfficePackage, budget: Budget) {
    this.#office = office;
    this.#budget = budget;
  }

  async parts(): Promise<DocumentPart[]> {
    const main = await this.#office.mainPart();
    const relations = await this.#office.relations(main);
    const partOf = (type: string) => relations.find((relation) => relation.type === type)?.target;
    const context: StoryContext = {
      numbering: await Numbering.read(this.#office, partOf('numbering')),
      styles: await ParagraphStyles.read(this.#office, partOf('styles')),
      notes: new Notes(),
      hasHidden: false,
      headers: new Set(),
      footers: new Set(),
      diagrams: new Set(),
    };
    const body = await this.#story(main, context);
    const named = (ids: Set<string>) => relations.filter(({ id }) => ids.has(id));
    const header = await this.#stories(named(context.headers), context);
    const footer = await this.#stories(named(context.footers), context);
    const others: [string, string[]][] = [
      ['footnotes', await this.#notes('footnote', partOf('footnotes'), context)],
      ['endnotes', await this.#notes('endnote', partOf('endnotes'), context)],
      ['comments', await this.#notes('comment', partOf('comments'), context)],
      ['diagrams', await this.#diagrams(named(context.diagrams))],
    ];
    if (context.hasHidden) body.push(this.#budget.take('[Text that is formatted as hidden is left out.]'));
    const found = [['header', header] as const, ['document', body] as const, ...others, ['footer', footer] as const]
      .filter(([, lines]) => lines.length > 0)
      .map(([heading, lines]) => ({ heading, text: lines.join('\n') }));
    return found.length === 1 && body.length > 0 ? [{ text: body.join('\n') }] : found;
  }

  async #story(part: string, context: StoryContext): Promise<string[]> {
    const lines: string[] = [];
    await readXml(this.#office.read(part), new StoryReader(context, (line) => lines.push(this.#budget.take(line))));
    return lines;
  }

  /** Headers of first, even and odd pages often say the same. */
  async #stories(parts: readonly Relation[], context: StoryContext): Promise<string[]> {
    const lines = new Set<string>();
    for (const { target } of parts) for (const line of await this.#story(target, context)) lines.add(line);
    return [...lines];
  }

  /** Those that the text refers to, in its order, each line under the mark that stands in the text. */
  async #notes(kind: NoteKind, part: string | undefined, context: StoryContext): Promise<string[]> {
    const referred = context.notes.referred(kind);
    if (part === undefined || !this.#office.has(part) || referred.length === 0) return [];
    const found = new Map<string, Note>();
    const reader = new StoryReader(
      context,
      () => {},
      (note) => found.set(note.id, note),
    );
    await readXml(this.#office.read(part), reader);
    return referred.flatMap((id) => {
      const note = found.get(id);
      if (note === undefined) return [];
      const author = note.author === undefined || note.author === '' ? '' : `${note.author}: `;
      return [this.#budget.take(`${context.notes.mark(kind, id)} ${author}${note.lines.join(' ').trim()}`)];
    });
  }

  /** The texts of a diagram's shapes; the diagram itself is a drawing. */
  async #diagrams(parts: readonly Relation[]): Promise<string[]> {
    const lines: string[] = [];
    for (const { target } of parts) {
      await readXml(
        this.#office.read(target),
        shapeTexts((line) => lines.push(this.#budget.take(line))),
      );
    }
    return lines;
  }
}

function shapeTexts(line: (line: string) => void): XmlHandler {
  let text = '';
  let isText = false;
  return {
    open: (name) => {
      isText = name === 't';
      if (name === 'p') text = '';
    },
    text: (piece) => {
      if (isText) text += piece;
    },
    close: (name) => {
      isText = false;
      if (name === 'p' && text.trim() !== '') line(text.trim());
    },
  };
}
