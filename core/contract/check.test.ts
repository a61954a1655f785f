import { Type } from 'typebox';
import { describe, expect, it } from 'vitest';
import { checker, InvalidValue, problemFinder } from './check.ts';

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
});

describe('a finder of problems', () => {
  const find = problemFinder(Schema);
  it.each([
    [{ kind: 'a', time: -1 }, [{ path: ['time'], message: 'time must be >= 0' }]],
    [{ kind: 'a', model: 3 }, [{ path: ['model'], message: 'model must be a name or a list of models' }]],
    [{ kind: 'a', model: [{ name: 'm', top_p: 2 }] }, [{ path: ['model', 0, 'top_p'], message: 'must be <= 1' }]],
    [
      { time: 1, x: 1 },
      [
        { path: [], message: 'must have the key "kind"' },
        { path: [], message: 'must not have the key "x"' },
      ],
    ],
    [{ kind: 'a' }, []],
  ])('%j', (value, problems) => {
    expect(find(value)).toEqual(problems);
  });
});
