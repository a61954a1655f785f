import { appendFileSync } from 'node:fs';

/** The log of a run itself: what it did with its steps, and what its reader should know. One line each, masked. */
export class RunLog {
  readonly #path: string;
  readonly #mask: (text: string) => string;
  #isBroken = false;

  constructor(path: string, mask: (text: string) => string) {
    this.#path = path;
    this.#mask = mask;
  }

  line(text: string): void {
    if (this.#isBroken) return;
    try {
      appendFileSync(this.#path, `${new Date().toISOString()} ${this.#mask(text)}\n`, { mode: 0o600 });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === undefined) throw error;
      // A full disk is told by what the run cannot do without: its store, and the logs of its steps.
      this.#isBroken = true;
    }
  }
}
