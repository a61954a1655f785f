import { Type } from 'typebox';
import { describe, expect, it } from 'vitest';
import { checker, InvalidValue } from './check.ts';

const closed = { additionalProperties: false };
const Model = Type.Object({ name: Type.String(), top_p: Type.Optional(Type.Number({ maximum: 1 })) }, closed);
const Schema = Type.Object(
  {
    kind: Type.Enum(['a', 'b']),
    time: Type.Optional(Type.Number({ minimum: 0, description: '>= 0' })),
    model: Type.Optional(Type.Union([Type.String(), Type.Array(Model)], { description: 'a name or a list of models' })),
  },
  closed,
);

describe('a check at a border', () => {
  it('returns the value, or throws with the place', () => {
    const check = checker(Schema, 'thing');
    expect(check({ kind: 'a' })).toEqual({ kind: 'a' });
    expect(() => check({ kind: 'c' })).toThrow(new InvalidValue('thing', '/kind', 'must be one of "a", "b"'));
    expect(() => check({ kind: 'a', x: 1 })).toThrow('must not have the key "x"');
    expect(() => check(null)).toThrow(InvalidValue);
  });

  it('takes a key without a value as none', () => {
    const check = checker(Schema, 'thing');
    expect(check({ kind: 'a', time: undefined })).toEqual({ kind: 'a' });
    expect(() => check({ kind: undefined })).toThrow('must have the key "kind"');
  });

  it('names the types that would do', () => {
    const check = checker(Type.Object({ 'a/b': Type.Union([Type.String(), Type.Null()]) }), 'thing');
    expect(() => check({ 'a/b': 1 })).toThrow(new InvalidValue('thing', '/a~1b', 'must be string or null'));
  });
});
