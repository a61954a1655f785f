import type { Step } from './types.ts';

/** The steps that a list of dependencies waits for, one bit each. */
type Bits = Uint32Array;

/**
 * Which steps have ended when another begins. What a list of dependencies waits for is
 * found once, however many steps share it or wait for it, so that ten thousand steps take
 * a moment and some megabytes.
 */
export class StepOrder {
  readonly #steps: readonly Step[];
  readonly #numbers: ReadonlyMap<string, number>;
  readonly #known = new Map<readonly string[], Bits>();

  /** @param steps of one workflow, their `depends` naming the others by key */
  constructor(steps: readonly Step[]) {
    this.#steps = steps;
    this.#numbers = new Map(steps.map(({ key }, number) => [key, number]));
  }

  /** Whether a step waits for another, be it through others. */
  isBefore(earlier: Step, later: Step): boolean {
    const number = this.#numbers.get(earlier.key);
    if (number === undefined || this.#steps[number] !== earlier) return false;
    return ((this.#bitsOf(later.depends)[number >>> 5] ?? 0) & (1 << (number & 31))) !== 0;
  }

  #bitsOf(wanted: readonly string[]): Bits {
    const open = [wanted];
    const entered = new Set<readonly string[]>();
    for (let list = open.at(-1); list !== undefined; list = open.at(-1)) {
      const unknown = entered.has(list) ? [] : this.#listsOf(list).filter((other) => !this.#known.has(other));
      entered.add(list);
      // Steps that wait for themselves are told elsewhere; here they end the search.
      const further = unknown.filter((other) => !entered.has(other));
      if (further.length > 0) {
        for (const other of further) open.push(other);
        continue;
      }
      open.pop();
      if (!this.#known.has(list)) this.#known.set(list, this.#union(list));
    }
    return this.#known.get(wanted) as Bits;
  }

  /** The dependencies of those that a list names, each list once. */
  #listsOf(list: readonly string[]): (readonly string[])[] {
    return [...new Set(list.map((key) => this.#step(key)?.depends ?? []))];
  }

  #step(key: string): Step | undefined {
    return this.#steps[this.#numbers.get(key) ?? -1];
  }

  #union(list: readonly string[]): Bits {
    const bits = new Uint32Array(Math.ceil(this.#steps.length / 32));
    const add = (word: number, at: number) => {
      bits[at] = (bits[at] ?? 0) | word;
    };
    for (const key of list) {
      const number = this.#numbers.get(key);
      if (number !== undefined) add(1 << (number & 31), number >>> 5);
    }
    for (const depends of this.#listsOf(list)) this.#known.get(depends)?.forEach(add);
    return bits;
  }
}
