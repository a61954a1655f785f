import { Unreadable } from './unreadable.ts';

/**
 * Decodes a text file: UTF-16 by its mark, valid UTF-8, UTF-16 by its pattern of zeros,
 * else Shift_JIS. Lines end with `\n`. Throws an Unreadable for anything else, rather than
 * return garbage.
 */
export function decodeText(bytes: Uint8Array): string {
  const text = decoded(bytes);
  if (text === undefined) {
    throw new Unreadable('is not readable as text: it is neither UTF-8, UTF-16 nor Shift_JIS; save it as UTF-8');
  }
  return text.replaceAll('\r\n', '\n').trimEnd();
}

function decoded(bytes: Uint8Array): string | undefined {
  const marked = markedEncoding(bytes);
  if (marked !== undefined) return decode(bytes, marked);
  // No text holds zero characters: zero bytes are halves of UTF-16.
  if (bytes.includes(0)) return unmarkedUtf16(bytes);
  return decode(bytes, 'utf-8') ?? shiftJis(bytes);
}

function decode(bytes: Uint8Array, encoding: string): string | undefined {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

function markedEncoding(bytes: Uint8Array): string | undefined {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
  return undefined; // TextDecoder itself takes UTF-8's mark away
}

/** The order of bytes that gives the likelier text. */
function unmarkedUtf16(bytes: Uint8Array): string | undefined {
  const candidates = ['utf-16le', 'utf-16be'].map((encoding) => decode(bytes, encoding));
  const [little = -1, big = -1] = candidates.map((text) => (text === undefined ? undefined : likelihood(text)));
  return Math.max(little, big) < 0.5 ? undefined : candidates[little >= big ? 0 : 1];
}

/** From 0 to 1: how much of a text is what texts are made of; -1 for one with control characters. */
function likelihood(text: string): number {
  if (text === '' || /[^\P{Cc}\t\r\n\f]|[\uFFFE\uFFFF]/u.test(text)) return -1;
  const sample = text.slice(0, 4096);
  const count = (pattern: RegExp) => sample.match(pattern)?.length ?? 0;
  // In the wrong order letters give ideographs, and ideographs give anything.
  const usual = count(/[\t\r\n\u0020-\u007E\u00A0-\u00FF\u3000-\u30FF\uFF01-\uFFEE]/g);
  return (usual + count(/[\u4E00-\u9FFF]/g) * 0.6) / sample.length;
}

/** Western text often decodes as Shift_JIS, to nonsense: something in it has to look Japanese. */
function shiftJis(bytes: Uint8Array): string | undefined {
  const text = decode(bytes, 'shift_jis');
  if (text === undefined || text.includes('\x80')) return undefined;
  if (hasPairs(bytes)) return text;
  // In EUC-JP, hiragana are pairs that Shift_JIS takes for two half-width katakana.
  const other = decode(bytes, 'euc-jp');
  const isOther = other !== undefined && /[\u3041-\u3093]/.test(other);
  return /[\uFF61-\uFF9F]{2}/.test(text) && !isOther ? text : undefined;
}

/**
 * Whether some character of two bytes starts with one from 81 to 9F, as nearly every
 * Japanese one does, and is not a Western sign with the letter after it (`’s`, `“A`, `œu`).
 */
function hasPairs(bytes: Uint8Array): boolean {
  let before = 0x20;
  let beforeIsPair = false;
  for (let at = 0; at < bytes.length; ) {
    const lead = bytes[at] as number;
    const isPair = (lead >= 0x81 && lead <= 0x9f) || (lead >= 0xe0 && lead <= 0xfc);
    const trail = bytes[at + 1] as number;
    if (isPair && lead <= 0x9f) {
      const next = bytes[at + 2];
      const isAlone = !beforeIsPair && (next === undefined || next < 0x80);
      const startsWord = [0x84, 0x8a, 0x8b, 0x8e, 0x91, 0x93].includes(lead) && !isDigit(before);
      const isWestern = isAlone && isLetter(trail) && (isLetter(before) || startsWord);
      if (!isWestern) return true;
    }
    beforeIsPair = isPair;
    before = isPair ? 0 : lead;
    at += isPair ? 2 : 1;
  }
  return false;
}

function isLetter(byte: number): boolean {
  return (byte >= 0x41 && byte <= 0x5a) || (byte >= 0x61 && byte <= 0x7a);
}

function isDigit(byte: number): boolean {
  return byte >= 0x30 && byte <= 0x39;
}
