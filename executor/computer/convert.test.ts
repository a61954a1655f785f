import { describe, expect, it } from 'vitest';
import { convert } from './convert.ts';

describe('convert', () => {
  it.each([
    ['1234', 1234],
    ['1,234', 1234],
    ['1,234,567.89', 1234567.89],
    ['12,34,567', 1234567],
    ['10 000,00 €', 10000],
    ['10\u00a0000,00\u00a0€', 10000],
    ['1.234.567', 1234567],
    ['1.234,5', 1234.5],
    ['1.234', 1.234],
    ["1'234.50", 1234.5],
    ['12,5', 12.5],
    ['¥1,200', 1200],
    ['￥１，２００', 1200],
    ['1,200円', 1200],
    ['EUR 12.50', 12.5],
    ['12.50 USD', 12.5],
    ['EUR-5', -5],
    ['-$5', -5],
    ['$-5', -5],
    ['−5', -5],
    ['▲1,000', -1000],
    ['+7', 7],
    ['.5', 0.5],
    ['0', 0],
  ])('reads %j as the number %d', (text, value) => {
    expect(convert(text, 'number')).toEqual({ value });
  });

  it.each([
    '',
    'abc',
    '12 of 30',
    '1,2345',
    '12.34.56',
    '5%',
    '1e5',
    '--5',
    '0x10',
    '12/01/26',
    '1 2',
    'Infinity',
    'INV-12',
    'INV12',
    'A 12',
  ])('does not guess a number from %j', (text) => {
    expect(convert(text, 'number')).toEqual({ miss: `${JSON.stringify(text)} is not a number` });
  });

  it('reads whole numbers alone as integers', () => {
    expect(convert('12.00', 'integer')).toEqual({ value: 12 });
    expect(convert('12.5', 'integer')).toEqual({ miss: '"12.5" is not a whole number' });
  });

  it('trims a string and leaves the rest', () => {
    expect(convert('  ＩＮＶ-1  x ', 'string')).toEqual({ value: 'ＩＮＶ-1  x' });
  });
});
