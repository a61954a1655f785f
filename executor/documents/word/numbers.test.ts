import { expect, it } from 'vitest';
import { numberText } from './numbers.ts';

it.each([
  [4, 'upperRoman', 'IV'],
  [1994, 'lowerRoman', 'mcmxciv'],
  [28, 'lowerLetter', 'bb'],
  [11, 'ordinal', '11th'],
  [22, 'ordinal', '22nd'],
  [7, 'decimalZero', '07'],
  [3, 'decimalEnclosedCircle', '③'],
  [21, 'japaneseCounting', '二十一'],
  [110, 'japaneseCounting', '百十'],
  [12, 'decimalFullWidth', '１２'],
  [2, 'aiueo', 'イ'],
  [2, 'iroha', 'ロ'],
  [5, 'none', ''],
  [5, 'somethingNew', '5'],
])('shows %d as %s', (count, form, text) => {
  expect(numberText(count, form)).toBe(text);
});
