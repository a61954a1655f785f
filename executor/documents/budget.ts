import { countCharacters, type Limits } from './limits.ts';

/** A document passed one of the limits, which its name tells. */
export class LimitPassed extends Error {
  readonly limit: keyof Limits;

  constructor(limit: keyof Limits) {
    super(`more ${limit} than one document may hold`);
    this.name = 'LimitPassed';
    this.limit = limit;
  }
}

/** Counts what a reader takes out of a document, so that it stops where the limit is passed. */
export class Budget {
  #characters: number;
  #images: number;

  constructor({ characters, images }: Limits) {
    this.#characters = characters;
    this.#images = images;
  }

  /** The text itself. */
  take(text: string): string {
    this.#characters -= countCharacters(text);
    if (this.#characters < 0) throw new LimitPassed('characters');
    return text;
  }

  takeImage(): void {
    this.#images -= 1;
    if (this.#images < 0) throw new LimitPassed('images');
  }
}
