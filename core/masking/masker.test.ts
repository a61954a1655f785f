import { describe, expect, it } from 'vitest';
import { Masker } from './masker.ts';

describe('a masker', () => {
  it('replaces the longest secret first', () => {
    expect(new Masker(['pass', 'password']).text('password pass')).toBe('******* *******');
  });

  it('masks nested values and keys', () => {
    expect(new Masker(['key']).json({ key: ['a key', 1, null] })).toEqual({ '*******': ['a *******', 1, null] });
  });

  it('shows no byte of a secret, wherever chunks end', () => {
    const masker = new Masker(['abcabd', 'abc', '秘密の鍵']);
    const text = 'x abcabd y abcabcabd 秘密の鍵 ab abc abcab';
    const expected = 'x ******* y ************** ******* ab ******* *******ab';
    const bytes = Buffer.from(text);
    for (let first = 0; first <= bytes.length; first += 1) {
      for (let second = first; second <= bytes.length; second += 1) {
        const stream = masker.stream();
        const chunks = [bytes.subarray(0, first), bytes.subarray(first, second), bytes.subarray(second)];
        const shown = Buffer.concat([...chunks.map((chunk) => stream.push(chunk)), stream.end()]).toString('utf8');
        expect(shown).toBe(expected);
      }
    }
  });

  it('passes bytes that are no text', () => {
    const bytes = Buffer.from([0xff, 0x00, 0xfe]);
    expect(new Masker(['secret']).stream().push(bytes)).toEqual(bytes);
  });
});
