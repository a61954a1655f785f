import { expect, it } from 'vitest';
import { quoteWord, splitWords } from './words.ts';

it.each([
  ['bash -e', ['bash', '-e']],
  ['"C:\\Program Files\\x.exe" /c', ['C:\\Program Files\\x.exe', '/c']],
  ["a='b c'd e", ['a=b cd', 'e']],
  ['"" x', ['', 'x']],
  ["it's", ["it's"]],
  ['"a\\"b\\\\"', ['a"b\\']],
])('words of %s', (text, words) => {
  expect(splitWords(text)).toEqual(words);
});

it.each(['a', 'a b', "it's", '"', '\\"\'', '', 'C:\\x y\\'])('a quoted word comes back: %s', (word) => {
  expect(splitWords(quoteWord(word))).toEqual([word]);
});
