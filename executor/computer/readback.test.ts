import { describe, expect, it } from 'vitest';
import { isMaskedText, showsTyped } from './readback.ts';

describe('showsTyped', () => {
  it.each([
    ['as typed', 'Accounts payable', 'Accounts payable', true],
    ['thousands separators', '1,234,567', '1234567', true],
    ['a currency symbol', '€ 1 234', '1234', true],
    ['a hyphen after a digit', '123-4567', '1234567', true],
    ['slashes of a date', '2026/12/01', '20261201', true],
    ['line ends of another system', 'a\r\nb', 'a\nb', true],
    ['nothing for nothing', '', '', true],
    ['a hyphen after a digit beside a typed one', '1--2', '1-2', true],
    ['a leading minus that was not typed', '-1234', '1234', false],
    ['a decimal point that was not typed', '12.34', '1234', false],
    ['digits that were not typed', '12500', '125', false],
    ['letters that were not typed', 'EUR 125', '125', false],
    ['a dropped character', '12', '125', false],
    ['a doubled character', 'Aadd', 'Add', false],
    ['another order', '21', '12', false],
    ['another case', 'ADD', 'Add', false],
    ['text that was there before', 'oldnew', 'new', false],
    ['an accent that was not typed', 'e\u0301', 'e', false],
    ['something for nothing', 'x', '', false],
  ])('%s: %j for %j is %s', (_, shown, typed, holds) => {
    expect(showsTyped(shown, typed)).toBe(holds);
  });
});

it('knows a masked field by its marks alone', () => {
  expect(isMaskedText('••••')).toBe(true);
  expect(isMaskedText('')).toBe(false);
  expect(isMaskedText('a•')).toBe(false);
});
