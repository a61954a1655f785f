import { describe, expect, it } from 'vitest';
import { toSortedJson } from './json.ts';

describe('toSortedJson', () => {
  it('sorts the keys at every level and escapes nothing for HTML', () => {
    expect(toSortedJson({ b: [{ d: 1, c: '<&>' }], a: { '10': 1, '9': null }, total: 1.5 })).toBe(
      '{"a":{"10":1,"9":null},"b":[{"c":"<&>","d":1}],"total":1.5}',
    );
  });
});
