import { describe, expect, it } from 'vitest';
import { batches } from './keyboard.ts';
import { keysByKeysym, spareCodes } from './keymap.ts';
import { keysymOfCharacter, keysymOfKey } from './keysyms.ts';

/** Three keys from code 8: a and A, nothing, b and B; a second pair of meanings on the last. */
const keymap = { first: 8, count: 3, perKey: 4, keysyms: [0x61, 0x41, 0, 0, 0, 0, 0, 0, 0x62, 0x42, 0x6c1, 0x6e1] };

describe('a keymap', () => {
  it('tells the key of each meaning, and the keys without any', () => {
    const keys = keysByKeysym(keymap);
    expect(keys.get(0x61)).toEqual({ code: 8, shift: false });
    expect(keys.get(0x42)).toEqual({ code: 10, shift: true });
    expect(keys.get(0x6c1)).toBeUndefined();
    expect(spareCodes(keymap)).toEqual([9]);
  });
});

describe('batches', () => {
  const keys = keysByKeysym(keymap);
  const typed = (text: string, spare: number[]) =>
    batches([...text], keys, spare).map(({ characters, meanings }) => [characters.join(''), [...meanings]]);

  it('needs no spare key for what the keyboard has', () => {
    expect(typed('abBA', [])).toEqual([['abBA', []]]);
  });

  it('puts each other character on a spare key once, as many as there are', () => {
    expect(typed('aéaあé日', [9, 20])).toEqual([
      [
        'aéaあé',
        [
          [9, 0xe9],
          [20, 0x1003042],
        ],
      ],
      ['日', [[9, 0x10065e5]]],
    ]);
  });

  it('says which character cannot be typed where there is no spare key', () => {
    expect(() => typed('a日', [])).toThrow('no key for "日"');
  });
});

describe('keysyms', () => {
  it.each([
    ['é', 0xe9],
    ['日', 0x10065e5],
    ['😀', 0x101f600],
    ['\n', 0xff0d],
    ['\t', 0xff09],
  ])('of the character %j', (character, keysym) => {
    expect(keysymOfCharacter(character)).toBe(keysym);
  });

  it.each([
    ['s', 0x73],
    ['+', 0x2b],
    ['f1', 0xffbe],
    ['f12', 0xffc9],
    ['meta', 0xffeb],
  ])('of the key %s', (key, keysym) => {
    expect(keysymOfKey(key)).toBe(keysym);
  });
});
