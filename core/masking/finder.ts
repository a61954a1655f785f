import { digitBefore, type Window } from './base64.ts';
import { beginningBytes, type Match, type Pattern, patternsOf, type Secret } from './patterns.ts';

const tableBits = 16;

/**
 * Finds secrets in bytes, in a time that hardly depends on how many there are: each four bytes
 * are looked up in a small table, and compared with the patterns that may begin so.
 */
export class Finder {
  /** Patterns of less than four bytes. */
  readonly #short: readonly Pattern[];
  /** For four bytes, as {@link slot} has them: which bucket has the patterns that begin so; 0 is empty. */
  readonly #table = new Uint16Array(1 << tableBits);
  readonly #buckets: Pattern[][] = [[]];
  readonly #byFirstByte = new Map<number, Pattern[]>();
  readonly #longest: number;
  readonly #sharesFirst: boolean;

  constructor(secrets: readonly Secret[]) {
    const patterns = secrets.flatMap(patternsOf);
    this.#longest = Math.max(0, ...patterns.map(({ longest }) => longest));
    this.#sharesFirst = patterns.some(({ sharesFirst }) => sharesFirst);
    this.#short = patterns.filter(({ longest }) => longest < beginningBytes);
    for (const pattern of patterns) this.#index(pattern);
  }

  #index(pattern: Pattern): void {
    addTo(this.#byFirstByte, pattern.beginnings[0]?.[0] as number, pattern);
    for (const beginning of pattern.beginnings) {
      if (beginning.length < beginningBytes) continue;
      this.#bucket(slot(beginning.readInt32BE(0))).push(pattern);
    }
  }

  #bucket(at: number): Pattern[] {
    const found = this.#table[at] as number;
    if (found !== 0) return this.#buckets[found] as Pattern[];
    const bucket: Pattern[] = [];
    this.#table[at] = this.#buckets.push(bucket) - 1;
    return bucket;
  }

  /** Where secrets stand, in the order of their starts; of those at one place the longest comes first. */
  find(window: Window): Match[] {
    const matches = this.#findShort(window);
    const { bytes } = window;
    const table = this.#table;
    let word = 0;
    for (let at = 0; at < bytes.length; at += 1) {
      word = (word << 8) | (bytes[at] as number);
      const bucket = table[slot(word)] as number;
      if (bucket !== 0) addMatches(matches, this.#buckets[bucket] as Pattern[], window, at + 1 - beginningBytes);
    }
    return matches.sort((one, other) => one.start - other.start || other.end - one.end);
  }

  #findShort(window: Window): Match[] {
    const matches: Match[] = [];
    for (const pattern of this.#short) {
      const [beginning] = pattern.beginnings as [Buffer];
      let at = window.bytes.indexOf(beginning);
      while (at >= 0) {
        addMatches(matches, [pattern], window, at);
        at = window.bytes.indexOf(beginning, at + 1);
      }
    }
    return matches;
  }

  /**
   * From where on a secret may stand that is not known yet, since the bytes end within it: what
   * stands before that place does not depend on what follows.
   */
  settled(window: Window): number {
    const { bytes, ended } = window;
    if (ended) return bytes.length;
    const last = this.#sharesFirst ? digitBefore(window, bytes.length) : bytes.length;
    for (let at = Math.max(0, bytes.length - this.#longest); at < bytes.length; at += 1) {
      const found = this.#byFirstByte.get(bytes[at] as number)?.filter((one) => one.match(window, at) === 'incomplete');
      if (found === undefined || found.length === 0) continue;
      return Math.min(last, found.some(({ sharesFirst }) => sharesFirst) ? digitBefore(window, at) : at);
    }
    return last;
  }
}

function slot(word: number): number {
  return Math.imul(word, 0x9e3779b1) >>> (32 - tableBits);
}

function addTo(map: Map<number, Pattern[]>, key: number, pattern: Pattern): void {
  const patterns = map.get(key);
  if (patterns === undefined) map.set(key, [pattern]);
  else patterns.push(pattern);
}

function addMatches(matches: Match[], patterns: readonly Pattern[], window: Window, at: number): void {
  if (at < 0) return;
  for (const pattern of patterns) {
    const match = pattern.match(window, at);
    if (match !== undefined && match !== 'incomplete') matches.push(match);
  }
}
