import { describe, expect, it } from 'vitest';
import { containsText, literalPattern, normalise, normaliseLabel, patternTest, showPattern } from './normalise.ts';

describe('normalise', () => {
  it.each([
    ['ＡＢＣ１２３！', 'ABC123!'],
    ['￥１，２００', '¥1,200'],
    ['ﾃﾞｰﾀ ﾊﾟｽ', 'データ パス'],
    ['｢請求書｣', '「請求書」'],
    ['  a \t\n b　c  ', 'a b c'],
    ['a\u00a0b', 'a b'],
    ['cafe\u0301', 'caf\u00e9'],
    ['①ﬁ²㍿', '①ﬁ²㍿'],
    ['保存', '保存'],
  ])('compares %j as %j', (text, folded) => {
    expect(normalise(text)).toBe(folded);
  });

  it('drops the trailing colon of a label alone', () => {
    expect(normaliseLabel('Amount:')).toBe('Amount');
    expect(normaliseLabel('金額：')).toBe('金額');
    expect(normaliseLabel('Amount : ')).toBe('Amount');
    expect(normaliseLabel('a:b')).toBe('a:b');
    expect(normaliseLabel('Ratio::')).toBe('Ratio:');
    expect(normalise('Amount:')).toBe('Amount:');
  });

  it('finds a part of a text', () => {
    expect(containsText('合計　１，２００円', '合計 1,200')).toBe(true);
    expect(containsText('Total', 'total')).toBe(false);
  });
});

describe('patternTest', () => {
  const whole = (pattern: string, text: string) => patternTest(pattern, { anywhere: false })(text);
  const part = (pattern: string, text: string) => patternTest(pattern, { anywhere: true })(text);

  it.each([
    ['Save', 'Save', true],
    ['Save', 'Save as', false],
    ['Save*', 'Save as', true],
    ['*as', 'Save as', true],
    ['S*a*s', 'Save as', true],
    ['Invoice * of *', 'Invoice 12 of 30', true],
    ['Invoice * of *', 'Invoice 12', false],
    ['ab*ba', 'aba', false],
    ['ab*ba', 'abba', true],
    ['*', '', true],
    ['＊', 'x', false],
    [' Save ', 'Save', true],
    ['ｻﾞ*', 'ザルツ', true],
    ['a*b*c', 'acb', false],
  ])('whole: %j on %j is %s', (pattern, text, matches) => {
    expect(whole(pattern, text)).toBe(matches);
  });

  it.each([
    ['Invoice', 'Books - Invoice 12', true],
    ['Invoice*open', 'Books - Invoice 12 (open)', true],
    ['open*Invoice', 'Books - Invoice 12 (open)', false],
    ['x', 'Books', false],
    ['x*', 'Books', false],
    ['*x', 'Books', false],
  ])('anywhere: %j on %j is %s', (pattern, text, matches) => {
    expect(part(pattern, text)).toBe(matches);
  });

  it('takes the stars of a value literally', () => {
    const pattern = `Item ${literalPattern('A*B＊')}*`;
    expect(whole(pattern, 'Item A*B* (2)')).toBe(true);
    expect(whole(pattern, 'Item AxB* (2)')).toBe(false);
    expect(showPattern(pattern)).toBe('Item A*B**');
  });
});
