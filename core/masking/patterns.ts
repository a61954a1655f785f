import {
  alignments,
  digitBefore,
  encodeAt,
  isDigit,
  ownDigits,
  type Placement,
  passBreak,
  sharesLastDigit,
  type Window,
  wrappedLine,
} from './base64.ts';
import { base64Form, inJson, jsonForm, trimmedForm } from './sealed.ts';

/** A value that is shown to nobody, by the name that the workflow gave it; without one it is empty. */
export interface Secret {
  name: string;
  value: string;
}

/** Secrets with fewer characters are masked as they are, and not in numbers or base64, which would hit by chance. */
export const fewestCharacters = 4;

/** A secret's place: from, to. */
export interface Match {
  start: number;
  end: number;
  /** Where it was found: behind the start where that is a digit which has some of its bits. */
  at: number;
  pattern: Pattern;
}

/** One way in which a secret can stand in bytes. */
export interface Pattern {
  readonly secret: Secret;
  /** It begins with one of these, each of {@link beginningBytes} or all that it has. */
  readonly beginnings: readonly Buffer[];
  /** The most bytes that it takes, line breaks counted. */
  readonly longest: number;
  /** Whether the digit before it may have some of its bits. */
  readonly sharesFirst: boolean;
  /**
   * Whether it stands at a place. `incomplete` where the bytes end before that is known, or before it is
   * known where it ends.
   */
  match(window: Window, at: number): Match | 'incomplete' | undefined;
  /** How the secret is sealed that stands so in a text: the parts of a marker behind its name (sealed.ts). */
  form(text: string, match: Match): readonly string[];
}

/** Patterns are looked for by so many of their first bytes. */
export const beginningBytes = 4;

/** The ways in which a secret can stand somewhere. */
export function patternsOf(secret: Secret): Pattern[] {
  const { value } = secret;
  // Programs that hand a value on take a line end off it.
  const trimmed = value.trim();
  if (trimmed.length < fewestCharacters) return [new PlainPattern(secret, value, [])];
  const texts = new Map<string, readonly string[]>([
    [inJson(trimmed), jsonForm],
    [trimmed, trimmedForm],
    [value, []],
  ]);
  return [
    ...[...texts].map(([text, form]) => new PlainPattern(secret, text, form)),
    ...alignments.flatMap((alignment) => base64Patterns(secret, Buffer.from(trimmed), alignment)),
  ];
}

class PlainPattern implements Pattern {
  readonly secret: Secret;
  readonly beginnings: readonly Buffer[];
  readonly longest: number;
  readonly sharesFirst = false;
  readonly #bytes: Buffer;
  readonly #form: readonly string[];

  constructor(secret: Secret, text: string, form: readonly string[]) {
    this.secret = secret;
    this.#bytes = Buffer.from(text);
    this.beginnings = [this.#bytes.subarray(0, beginningBytes)];
    this.longest = this.#bytes.length;
    this.#form = form;
  }

  match({ bytes, ended }: Window, at: number): Match | 'incomplete' | undefined {
    const wanted = this.#bytes;
    for (let index = 0; index < wanted.length; index += 1) {
      if (at + index === bytes.length) return ended ? undefined : 'incomplete';
      if (bytes[at + index] !== wanted[index]) return undefined;
    }
    return { start: at, end: at + wanted.length, at, pattern: this };
  }

  form(): readonly string[] {
    return this.#form;
  }
}

function base64Patterns(secret: Secret, bytes: Buffer, alignment: Placement['alignment']): Pattern[] {
  const placement = { alignment, size: bytes.length };
  const { from, to } = ownDigits(placement);
  const own = encodeAt(bytes, alignment).slice(from, to);
  const ofUrls = own.replaceAll('+', '-').replaceAll('/', '_');
  return [...new Set([own, ofUrls])].map((digits) => new Base64Pattern(secret, digits, placement));
}

/**
 * A secret in base64, known by the digits that are its own. Those that it shares with its
 * neighbours, at most one on each side, are masked with it.
 */
class Base64Pattern implements Pattern {
  readonly secret: Secret;
  readonly beginnings: readonly Buffer[];
  readonly longest: number;
  readonly sharesFirst: boolean;
  readonly #digits: Buffer;
  readonly #placement: Placement;

  constructor(secret: Secret, digits: string, placement: Placement) {
    this.secret = secret;
    this.beginnings = beginningsOf(digits);
    // With what it shares with its neighbours, and a break of two bytes in each line, the first of which began before.
    this.longest = digits.length + 2 + 2 * (Math.ceil(digits.length / wrappedLine) + 1);
    this.sharesFirst = placement.alignment !== 0;
    this.#digits = Buffer.from(digits);
    this.#placement = placement;
  }

  match(window: Window, at: number): Match | 'incomplete' | undefined {
    const ownEnd = this.#ownEnd(window, at);
    if (ownEnd === undefined) return undefined;
    const end = ownEnd === 'incomplete' ? ownEnd : this.#end(window, ownEnd);
    if (end === 'incomplete') return window.ended ? undefined : end;
    return { start: this.sharesFirst ? digitBefore(window, at) : at, end, at, pattern: this };
  }

  form(text: string, { start, at }: Match): readonly string[] {
    return base64Form(text, start < at, this.#placement);
  }

  #ownEnd(window: Window, at: number): number | 'incomplete' | undefined {
    const { bytes } = window;
    let end = at;
    for (let index = 0; index < this.#digits.length; index += 1) {
      if (index > 0) end = passBreak(window, end);
      if (end >= bytes.length) return 'incomplete';
      if (bytes[end] !== this.#digits[index]) return undefined;
      end += 1;
    }
    return end;
  }

  /** The end with the digit that has the last bits of the secret. */
  #end(window: Window, ownEnd: number): number | 'incomplete' {
    const { bytes, ended } = window;
    if (!sharesLastDigit(this.#placement)) return ownEnd;
    const last = passBreak(window, ownEnd);
    if (last >= bytes.length && !ended) return 'incomplete';
    return isDigit(bytes[last]) ? last + 1 : ownEnd;
  }
}

/** The first digits, as they are and with a line break at each place where one may be. */
function beginningsOf(digits: string): Buffer[] {
  const places = Array.from({ length: beginningBytes - 1 }, (_, index) => index + 1);
  const broken = ['\n', '\r\n'].flatMap((end) => places.map((at) => digits.slice(0, at) + end + digits.slice(at)));
  return [digits, ...broken].map((text) => Buffer.from(text.slice(0, beginningBytes)));
}
