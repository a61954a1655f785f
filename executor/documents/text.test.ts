import { describe, expect, it } from 'vitest';
import { decodeText } from './text.ts';

const japanese = Uint8Array.from([0x90, 0xbf, 0x8b, 0x81, 0x8f, 0x91, 0x20, 0x31, 0x30, 0x30, 0x89, 0x7e]);
const bytes = (...codes: number[]) => Uint8Array.from(codes);
const western = (text: string) => Buffer.from(text.replaceAll('’', '\x92').replaceAll('“', '\x93'), 'latin1');

describe('decodeText', () => {
  it.each<[string, Uint8Array, string]>([
    ['UTF-8', Buffer.from('請求書 é'), '請求書 é'],
    ['UTF-8 with its mark', Buffer.from('\uFEFF請求書'), '請求書'],
    ['UTF-8 of one character', Buffer.from('é'), 'é'],
    ['UTF-16 with its mark', Buffer.from('\uFEFF請求書 1', 'utf16le'), '請求書 1'],
    ['big-endian UTF-16 with its mark', Buffer.from('\uFEFF請求書 1', 'utf16le').swap16(), '請求書 1'],
    ['UTF-16 without a mark', Buffer.from('Total 100', 'utf16le'), 'Total 100'],
    ['big-endian UTF-16 without a mark', Buffer.from('Total 100', 'utf16le').swap16(), 'Total 100'],
    ['Japanese UTF-16 without a mark', Buffer.from('請求書　合計 100 円\n', 'utf16le'), '請求書　合計 100 円'],
    ['Shift_JIS', japanese, '請求書 100円'],
    ['Shift_JIS of one character', japanese.slice(-2), '円'],
    ['Shift_JIS whose second byte is a letter', bytes(0x32, 0x30, 0x32, 0x36, 0x94, 0x4e), '2026年'],
    ['Shift_JIS of twenty bytes', Buffer.concat([japanese, japanese.slice(0, 8)]), '請求書 100円請求書 1'],
    ['half-width katakana', bytes(0xb1, 0xb2, 0xb3), 'ｱｲｳ'],
    ['an extension of Microsoft', bytes(0x87, 0x40, 0x88, 0xea), '①一'],
    ['nothing', bytes(), ''],
  ])('decodes %s', (_, given, text) => {
    expect(decodeText(given)).toBe(text);
  });

  it.each(['GRÖSSE', 'café', 'vérité', 'naïve', 'It’s 5 o’clock', 'the “ABC of it', 'STRAßE'])(
    'does not take Western %s for Japanese',
    (text) => {
      expect(() => decodeText(western(text))).toThrow(/^is not readable as text.*save it as UTF-8/);
    },
  );

  it('takes neither EUC-JP nor bytes of a program for text', () => {
    const euc = bytes(0xa4, 0xb3, 0xa4, 0xec, 0xa4, 0xcf, 0xa4, 0xc7, 0xa4, 0xb9);
    expect(() => decodeText(euc)).toThrow('is not readable as text');
    expect(() => decodeText(Buffer.from('\x7fELF\x02\x01\0\0\0\0\x01\x03\0\x07', 'latin1'))).toThrow(
      'is not readable as text',
    );
  });

  it('ends lines in one way, and takes what is blank from the end', () => {
    expect(decodeText(Buffer.from('a\r\n b\n\n'))).toBe('a\n b');
  });
});
