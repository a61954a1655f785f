import { Ajv2020 } from 'ajv/dist/2020.js';
import { type TSchema, Type } from 'typebox';
import { describe, expect, it } from 'vitest';
import { problemFinder } from './problems.ts';

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

describe('a finder of problems', () => {
  const find = problemFinder(Schema);
  it.each([
    [{ kind: 'a', time: -1 }, [{ path: ['time'], message: 'time must be >= 0' }]],
    [{ kind: 'a', time: 'x' }, [{ path: ['time'], message: 'time must be >= 0' }]],
    [{ kind: 'c' }, [{ path: ['kind'], message: 'must be one of "a", "b"' }]],
    [{ kind: 'a', model: 3 }, [{ path: ['model'], message: 'model must be a name or a list of models' }]],
    [{ kind: 'a', model: [{ name: 'm', top_p: 2 }] }, [{ path: ['model', 0, 'top_p'], message: 'must be <= 1' }]],
    [
      { kind: 'a', model: [{ x: 1 }] },
      [
        { path: ['model', 0], message: 'must have the key "name"' },
        { path: ['model', 0], message: 'must not have the key "x"' },
      ],
    ],
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

  it('refuses a keyword that it would overlook', () => {
    expect(() => problemFinder(Type.String({ format: 'date' }))('x')).toThrow('keyword "format"');
  });

  it('takes time in proportion to the value', () => {
    const wrong = { kind: 'a', model: Array.from({ length: 50_000 }, () => ({ x: 1 })) };
    expect(find(wrong).length).toBeGreaterThan(50_000);
  });
});

describe('its verdict', () => {
  const schemas: TSchema[] = [
    Schema,
    Type.Record(Type.String({ pattern: '^[a-z]+$' }), Type.Number(), closed),
    Type.Record(Type.String(), Type.Union([Type.String(), Type.Null()]), { minProperties: 1, maxProperties: 2 }),
    Type.Array(Type.Union([Type.Literal('a'), Type.Integer({ minimum: 1, maximum: 3 })]), { minItems: 1, maxItems: 2 }),
    Type.Union([Type.String({ minLength: 2, maxLength: 3, pattern: '^.a' }), Type.Array(Type.Boolean()), Model]),
    Type.Object({ a: Type.Optional(Type.Number()) }, { additionalProperties: Type.String() }),
    Type.Unknown(),
  ];
  const scalars = ['', 'a', 'ba', 'bab', 'baaa', '𠮷a', 0, 1, 3, 4, 1.5, -1, true, null];
  const values: unknown[] = [
    ...scalars,
    [],
    ...scalars.flatMap((one) => [
      [one],
      [one, 'a'],
      [one, 1, 'a'],
      { a: one },
      { ab: one, a1: 2 },
      { name: one },
      { a: one, b: one, c: one },
    ]),
    ...scalars.flatMap((one) => [
      { kind: 'a', time: one },
      { kind: one, model: [{ name: one }] },
      { kind: 'b', model: one, other: 1 },
    ]),
    [true, false],
    [[]],
    {},
  ];

  it('is that of ajv', () => {
    const ajv = new Ajv2020({ strict: false, allErrors: true });
    for (const schema of schemas) {
      const validate = ajv.compile(schema);
      const find = problemFinder(schema);
      for (const value of values) {
        expect([value, find(value).length === 0], JSON.stringify(schema)).toEqual([value, validate(value)]);
      }
    }
  });
});
