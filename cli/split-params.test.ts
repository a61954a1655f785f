import { describe, expect, it } from 'vitest';
import { splitParams } from './split-params.ts';

describe('--params', () => {
  it.each([
    ['A=1  B=two', ['A=1', 'B=two']],
    [' plain\n"two words" ', ['plain', 'two words']],
    [`B="it's" C='say "hi"'`, ["B=it's", 'C=say "hi"']],
    [
      String.raw`B="say \"hi\"" C="C:\\temp\new" D='\"' E=\x`,
      ['B=say "hi"', String.raw`C=C:\temp\new`, String.raw`D=\"`, String.raw`E=\x`],
    ],
    [`A="" '' B=x"y z"'w'`, ['A=', '', 'B=xy zw']],
    ['', []],
  ])('%j', (text, words) => {
    expect(splitParams(text).map(({ name, value }) => (name === undefined ? value : `${name}=${value}`))).toEqual(
      words,
    );
  });

  it.each([
    ["B=it's", "'s"],
    ['B=5" A=6', '" A=6'],
    ['NAME="unclosed', '"unclosed'],
    [String.raw`A="ends in \"`, String.raw`"ends in \"`],
    [`A="1" B='two\nlines and a great deal more text`, "'two lines and a great deal mo…"],
  ])('%j has a quote that is not closed', (text, where) => {
    expect(() => splitParams(text)).toThrow(`--params: the quote that begins at ${where} is not closed`);
  });
});
