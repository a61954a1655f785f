/** A base64 digit's value, in the standard alphabet and in that of URLs; -1 for other bytes. */
const digits = new Int8Array(256).fill(-1);
const standard = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
for (const [value, letter] of [...standard].entries()) digits[letter.charCodeAt(0)] = value;
digits['-'.charCodeAt(0)] = 62;
digits['_'.charCodeAt(0)] = 63;

const newline = 10;
const carriageReturn = 13;

/**
 * How many digits a line has at least that is broken for its length, so that the text goes on in
 * the next line. The `base64` tool breaks at 76, PEM at 64.
 */
export const wrappedLine = 16;

export function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && (digits[byte] as number) >= 0;
}

/** Bytes that are searched for secrets: a part of a stream, or a whole text. */
export interface Window {
  bytes: Buffer;
  /** How many base64 digits stood directly before them, counted up to what makes a wrapped line. */
  before: number;
  /** No more bytes come. */
  ended: boolean;
}

/** How many base64 digits end at a place, counted up to what makes a wrapped line. */
export function digitsBefore({ bytes, before }: Window, at: number): number {
  let from = at;
  while (from > 0 && at - from < wrappedLine && isDigit(bytes[from - 1])) from -= 1;
  return Math.min(wrappedLine, at - from + (from === 0 ? before : 0));
}

/** Where the text goes on behind the line break at a place; the place itself where none breaks a long line there. */
export function passBreak(window: Window, at: number): number {
  const { bytes } = window;
  const width = breakWidth(bytes, at);
  return width > 0 && digitsBefore(window, at) === wrappedLine ? at + width : at;
}

/** A carriage return at the end of what there is may be the first half of a break. */
function breakWidth(bytes: Buffer, at: number): number {
  if (bytes[at] === newline) return 1;
  if (bytes[at] !== carriageReturn) return 0;
  if (at + 1 === bytes.length) return 1;
  return bytes[at + 1] === newline ? 2 : 0;
}

/** The digit before a place, in the same line or at the end of a wrapped one; the place itself where there is none. */
export function digitBefore(window: Window, at: number): number {
  const { bytes } = window;
  if (isDigit(bytes[at - 1])) return at - 1;
  const lineEnd = at - (bytes[at - 1] === newline && bytes[at - 2] === carriageReturn ? 2 : 1);
  return isDigit(bytes[lineEnd - 1]) && passBreak(window, lineEnd) === at ? lineEnd - 1 : at;
}

/**
 * A secret's place in a base64 text: how many bytes stand before it, modulo 3, and its own
 * bytes. That decides which digits are the secret's alone, and of which ones it has some bits.
 */
export interface Placement {
  alignment: 0 | 1 | 2;
  size: number;
}

export const alignments = [0, 1, 2] as const;

/** The digits that hold nothing but the secret: from, to, as indexes into the text from the last multiple of 3 bytes. */
export function ownDigits({ alignment, size }: Placement): { from: number; to: number } {
  return { from: Math.ceil((8 * alignment) / 6), to: Math.floor((8 * (alignment + size)) / 6) };
}

/** Whether the secret has some bits of the digit after its own ones. */
export function sharesLastDigit({ alignment, size }: Placement): boolean {
  return (8 * (alignment + size)) % 6 !== 0;
}

/** The base64 text, without padding, of a secret behind as many zero bytes as its alignment says. */
export function encodeAt(secret: Buffer, alignment: number): string {
  return Buffer.concat([Buffer.alloc(alignment), secret])
    .toString('base64')
    .replace(/=+$/, '');
}

/** The text with the secret's bits in it all zero; `first` is the index of its first digit. */
export function clearBits(text: string, first: number, placement: Placement): string {
  return mapDigits(text, first, (digit, index) => digit & ~secretBits(index, placement));
}

/** The text with the secret's bits put where {@link clearBits} took some out. */
export function putBits(text: string, first: number, secret: Buffer, alignment: Placement['alignment']): string {
  const encoded = encodeAt(secret, alignment);
  const placement = { alignment, size: secret.length };
  const bitsAt = (index: number) => (digits[encoded.charCodeAt(index)] ?? 0) & secretBits(index, placement);
  return mapDigits(text, first, (digit, index) => digit | bitsAt(index));
}

/** Which of the six bits of a digit are the secret's. */
function secretBits(index: number, { alignment, size }: Placement): number {
  let mask = 0;
  for (let bit = 0; bit < 6; bit += 1) {
    const byte = Math.floor((6 * index + bit) / 8);
    if (byte >= alignment && byte < alignment + size) mask |= 0b100000 >> bit;
  }
  return mask;
}

/** Changes the digits of a text and leaves its line breaks; the alphabet is that of the text. */
function mapDigits(text: string, first: number, map: (digit: number, index: number) => number): string {
  const isUrl = /[-_]/.test(text);
  let index = first;
  return text.replaceAll(/[^\r\n]/g, (letter) => {
    const changed = standard[map(digits[letter.charCodeAt(0)] as number, index)] as string;
    index += 1;
    return isUrl ? changed.replace('+', '-').replace('/', '_') : changed;
  });
}
