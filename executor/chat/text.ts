/**
 * Decodes a text file: UTF-8 and UTF-16 with or without their marks, else Shift_JIS.
 * Throws an Error in words for anything else, rather than return garbage.
 */
export function decodeText(bytes: Uint8Array): string {
  const marked = markedEncoding(bytes) ?? unmarkedUtf16(bytes);
  const text = marked === undefined ? guess(bytes) : decode(bytes, marked);
  if (text === undefined) {
    throw new Error('is not readable as text: it is neither UTF-8, UTF-16 nor Shift_JIS; save it as UTF-8');
  }
  return text;
}

function guess(bytes: Uint8Array): string | undefined {
  return decode(bytes, 'utf-8') ?? (looksJapanese(bytes) ? decode(bytes, 'shift_jis') : undefined);
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

/** UTF-16 without a mark shows by the zero halves of its spaces and digits. */
function unmarkedUtf16(bytes: Uint8Array): string | undefined {
  const sample = bytes.subarray(0, 4096);
  const zeros = [0, 0];
  sample.forEach((byte, index) => {
    if (byte === 0) zeros[index % 2] = (zeros[index % 2] ?? 0) + 1;
  });
  const [even = 0, odd = 0] = zeros;
  if (bytes.length % 2 !== 0 || even + odd === 0 || even + odd < sample.length / 8) return undefined;
  return odd > even ? 'utf-16le' : 'utf-16be';
}

/**
 * Western text often decodes as Shift_JIS, to nonsense. Bytes from 81 to 9F start nearly
 * every Japanese character and are no Western letters; half-width katakana come in runs.
 */
function looksJapanese(bytes: Uint8Array): boolean {
  const isKatakana = (byte: number | undefined) => byte !== undefined && byte >= 0xa1 && byte <= 0xdf;
  return bytes.some(
    (byte, index) => (byte >= 0x81 && byte <= 0x9f) || (isKatakana(byte) && isKatakana(bytes[index + 1])),
  );
}
