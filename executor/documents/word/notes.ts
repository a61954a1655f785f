export type NoteKind = 'footnote' | 'endnote' | 'comment';

/** Numbers the notes of a document in the order in which its text refers to them. */
export class Notes {
  readonly #numbers: Record<NoteKind, Map<string, number>> = {
    footnote: new Map(),
    endnote: new Map(),
    comment: new Map(),
  };

  /** The mark that stands in the text for a note. */
  mark(kind: NoteKind, id: string): string {
    const numbers = this.#numbers[kind];
    const number = numbers.get(id) ?? numbers.size + 1;
    numbers.set(id, number);
    return `[${kind} ${number}]`;
  }

  /** The notes that the text refers to, in their order. */
  referred(kind: NoteKind): string[] {
    return [...this.#numbers[kind].keys()];
  }
}
