import { Finder } from './finder.ts';
import { MaskingStream, maskMatches } from './masking-stream.ts';
import { fewestCharacters, type Match, type Secret } from './patterns.ts';
import { mapTexts, marker, sealedNumber, sealText } from './sealed.ts';

/**
 * Replaces secret values by `*******`, in texts, values and streams of bytes: as they are, without
 * the blanks around them, escaped as JSON has them, and in base64 wherever they stand in it, its
 * lines wrapped or not. Of secrets that begin alike the longest is replaced; those that overlap
 * are one mask. A secret of less than four characters is replaced as it is alone.
 */
export class Masker {
  readonly #secrets: Secret[] = [];
  #finder: Finder | undefined;

  constructor(secrets: readonly Secret[] = []) {
    for (const { name, value } of secrets) this.add(value, name);
  }

  /** The values that are masked; the name is empty where a value has none. */
  get secrets(): readonly Secret[] {
    return this.#secrets;
  }

  /** Masks a value from now on; an empty one is nothing to mask. Without a name, what was sealed stays so. */
  add(value: string, name = ''): void {
    if (value === '' || this.#secrets.some((secret) => secret.value === value)) return;
    this.#secrets.push({ name, value });
    this.#finder = undefined;
  }

  text(text: string): string {
    return this.#replace(
      text,
      (bytes, matches) => maskMatches(bytes, matches, { to: bytes.length, hidden: 0 }).shown.toString('utf8'),
      (real) => real,
    );
  }

  /** A copy of a JSON value with every text in it masked, keys included. */
  json<T>(value: T): T {
    return this.#secrets.length === 0 ? value : (mapTexts(value, (text) => this.text(text)) as T);
  }

  /** Like {@link json}, with numbers too: one that holds a secret of four or more digits becomes a masked text. */
  values<T>(value: T): T {
    return this.json(mapNumbers(value, (text) => (this.#isIn(text) ? this.text(text) : undefined)) as T);
  }

  /** A copy of a JSON value for the store, numbers included, every secret in it sealed (sealed.ts). */
  seal<T>(value: T): T {
    const sealed = mapTexts(value, (text) => this.#seal(text));
    return mapNumbers(sealed, (text) => (this.#isIn(text) ? sealedNumber(this.#seal(text)) : undefined)) as T;
  }

  /** A mask for one stream of bytes that comes in chunks. */
  stream(): MaskingStream {
    return new MaskingStream(() => this.#find());
  }

  #find(): Finder | undefined {
    if (this.#secrets.length > 0) this.#finder ??= new Finder(this.#secrets);
    return this.#finder;
  }

  #seal(text: string): string {
    return this.#replace(text, sealMatches, sealText);
  }

  /** What `found` makes of a text with secrets in it, or `without` of another one. */
  #replace(
    text: string,
    found: (bytes: Buffer, matches: readonly Match[]) => string,
    without: (text: string) => string,
  ): string {
    const bytes = Buffer.from(text);
    const matches = this.#find()?.find({ bytes, before: 0, ended: true }) ?? [];
    return matches.length === 0 ? without(text) : found(bytes, matches);
  }

  /** Whether a number's digits hold a secret. */
  #isIn(text: string): boolean {
    return this.#secrets.some(({ value }) => value.length >= fewestCharacters && text.includes(value));
  }
}

/** Of a secret that begins within another one, the rest cannot be got back. */
function sealMatches(bytes: Buffer, matches: readonly Match[]): string {
  let sealed = '';
  let end = 0;
  for (const match of matches) {
    if (match.end <= end) continue;
    if (match.start >= end) sealed += sealText(bytes.toString('utf8', end, match.start)) + sealMatch(bytes, match);
    else sealed += marker('', []);
    end = match.end;
  }
  return sealed + sealText(bytes.toString('utf8', end));
}

function sealMatch(bytes: Buffer, match: Match): string {
  const { start, end, pattern } = match;
  return marker(pattern.secret.name, pattern.form(bytes.toString('latin1', start, end), match));
}

/** A copy of a JSON value with the numbers replaced for which `map` gives something. */
function mapNumbers(value: unknown, map: (text: string) => string | undefined): unknown {
  if (typeof value === 'number' || typeof value === 'bigint') return map(String(value)) ?? value;
  if (Array.isArray(value)) return value.map((item) => mapNumbers(item, map));
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, mapNumbers(item, map)]));
  }
  return value;
}
