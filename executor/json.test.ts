import { describe, expect, it } from 'vitest';
import { asOutput, ExactNumber, parseExact, toJson, toSortedJson, withNumbers } from './json.ts';

describe('toSortedJson', () => {
  it('sorts the keys at every level and escapes nothing for HTML', () => {
    expect(toSortedJson({ b: [{ d: 1, c: '<&>' }], a: { '10': 1, '9': null }, total: 1.5 })).toBe(
      '{"a":{"10":1,"9":null},"b":[{"c":"<&>","d":1}],"total":1.5}',
    );
  });
});

describe('parseExact', () => {
  it.each([
    '{"a":-12345678901234567890,"b":9007199254740993,"c":12345678901234567.89}',
    '[1e400,-1.23456789012345678901e-7,0.1000000000000000055511151231257827]',
    '{"a":"12345678901234567890","b":"\\"12345678901234567890","c\\\\":[98765432109876543210]}',
  ])('keeps every digit of %s', (text) => {
    expect(toJson(parseExact(text))).toBe(text);
  });

  it.each(['9007199254740992', '0.1', '1e3', '1.50000000000000000000', '-0', '100000000000000000000'])(
    'reads %s as the number that it is',
    (text) => {
      expect(parseExact(text)).toBe(Number(text));
    },
  );

  it.each(['{"a":', '12345678901234567890.', '01234567890123456789', '{"a":1234567890123456789012} x'])(
    'throws for %s',
    (text) => {
      expect(() => parseExact(text)).toThrow(SyntaxError);
    },
  );

  it('reads a long text in a moment', () => {
    const text = `{"a":"${'x\\n'.repeat(200_000)}","b":12345678901234567890}`;
    expect(toJson((parseExact(text) as { b: unknown }).b)).toBe('12345678901234567890');
  });
});

describe('exact numbers', () => {
  const value = parseExact('{"list":[{"id":98765432109876543210}],"id":12345678901234567890,"plain":1}') as Record<
    string,
    unknown
  >;

  it('become outputs with all digits', () => {
    expect(asOutput(value.id)).toBe('12345678901234567890');
    expect(asOutput(value.list)).toBe('[{"id":98765432109876543210}]');
    expect(asOutput(value.plain)).toBe(1);
  });

  it('are numbers for a check', () => {
    expect(withNumbers(value)).toEqual({
      list: [{ id: Number('98765432109876543210') }],
      id: Number('12345678901234567890'),
      plain: 1,
    });
  });

  it('are texts for those who know only JSON.stringify', () => {
    expect(JSON.stringify([new ExactNumber('12345678901234567890')])).toBe('["12345678901234567890"]');
  });
});
