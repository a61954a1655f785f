import { describe, expect, it } from 'vitest';
import { loadWorkflow } from './load.ts';
import { givenParams, parseParam, parseParams, resolveParams } from './params.ts';
import type { Json, Workflow } from './types.ts';

const workflow = {
  params: [
    { name: 'A', type: 'string', required: true },
    { name: 'B', type: 'string', default: '2', required: false },
  ],
} as Workflow;
const resolve = (...given: string[]) => resolveParams(workflow, given.map(parseParam));

/** The values of a file's parameters for what is given at a start. */
function start(params: string, given: string): Record<string, string> {
  const { workflow: loaded, problems } = loadWorkflow(`params: ${params}\nsteps: [{run: x}]`, '/w.yaml', {
    strictStream: true,
  });
  expect(problems).toEqual([]);
  return resolveParams(loaded as Workflow, parseParams(given));
}

describe('parameters', () => {
  it('are given by place or by name, and have defaults', () => {
    expect(resolve('1')).toEqual({ A: '1', B: '2' });
    expect(resolve('B=x=y\nz', 'A=')).toEqual({ A: '', B: 'x=y\nz' });
  });

  it('may be named as what every object has', () => {
    const odd = { params: [{ name: 'constructor', type: 'string', default: 'y', required: false }] } as Workflow;
    expect(resolveParams(odd, [])).toEqual({ constructor: 'y' });
    expect(resolveParams(odd, [parseParam('constructor=z')])).toEqual({ constructor: 'z' });
  });

  it.each([
    [[], 'parameter "A" is required; give it as A=value'],
    [['A=1', 'C=2'], 'unknown parameter "C" (parameters of this workflow: A, B)'],
    [['1', '2', '3'], 'too many positional params: expected at most 2, got 3'],
    [['1', 'A=2'], 'parameter "A" is given twice'],
    [['A=1', 'A=2'], 'parameter "A" is given twice'],
  ])('%j are refused', (given, message) => {
    expect(() => resolve(...given)).toThrow(message);
  });
});

describe('a positional parameter', () => {
  it('has its place as name, its word as default, and what is given by the word too', () => {
    expect(start('CITY N=3', '')).toEqual({ 1: 'CITY', N: '3' });
    expect(start('CITY N=3', 'Paris')).toEqual({ 1: 'Paris', CITY: 'Paris', N: '3' });
  });

  it('may be named by its word, which steps then read, too', () => {
    expect(start('CITY', 'CITY=Paris')).toEqual({ 1: 'Paris', CITY: 'Paris' });
    expect(() => start('CITY', 'TOWN=Paris')).toThrow('unknown parameter "TOWN" (parameters of this workflow: $1)');
    expect(() => start('CITY', 'Rome CITY=Paris')).toThrow('parameter "CITY" is given twice');
  });
});

describe('a value', () => {
  it.each([
    ['[{name: N, type: integer, minimum: 1}]', 'N=12', '12'],
    ['[{name: N, type: integer, default: 1}]', 'N=-00012', '-00012'],
    ['[{name: N, type: number, maximum: 2}]', 'N=1.5e0', '1.5e0'],
    ['[{name: N, type: boolean}, {name: M, default: x}]', 'N=TRUE', 'true'],
    ['[{name: N, type: boolean, default: true}]', 'N=0', 'false'],
    ['[{name: N, enum: [1, 1.50]}]', 'N=1.50', '1.50'],
    ['[{name: N, max_length: 2}]', 'N=𠮷𠮷', '𠮷𠮷'],
    ['[{name: N, pattern: "(?i)^ab"}]', 'N=ABC', 'ABC'],
    ['[{name: N, type: integer, required: false}]', '', ''],
  ])('of %s: %s', (params, given, value) => {
    expect(start(params, given).N).toBe(value);
  });

  it.each([
    ['[{name: N, type: integer, minimum: 1}]', 'N=1.5', 'parameter "N": cannot coerce "1.5" to integer'],
    ['[{name: N, type: integer, minimum: 1}]', 'N=0', 'parameter "N": "0" must be at least 1'],
    ['[{name: N, type: number, maximum: 2}]', 'N=0x1', 'cannot coerce "0x1" to number'],
    ['[{name: N, type: boolean, default: true}]', 'N=yes', 'cannot coerce "yes" to boolean'],
    ['[{name: N, enum: [a, b]}]', 'N=c', 'parameter "N": "c" must be one of: a, b'],
    ['[{name: N, min_length: 2}]', 'N=', 'parameter "N": "" must have at least 2 characters'],
    ['[{name: N, pattern: "^a"}]', 'N=b', 'parameter "N": "b" must match ^a'],
    ['[{name: N, required: true, type: integer}]', '', 'parameter "N" is required'],
  ])('of %s refused: %s', (params, given, message) => {
    expect(() => start(params, given)).toThrow(message);
  });
});

describe('a JSON Schema', () => {
  const range =
    '{type: object, properties: {FROM: {type: integer, default: 1}, TO: {type: integer, exclusiveMaximum: 10}}, required: [TO]}';

  it('is what all values must match together', () => {
    expect(start(range, 'TO=5')).toEqual({ FROM: '1', TO: '5' });
    expect(() => start(range, 'TO=10')).toThrow('TO must be < 10');
    expect(() => start(range, '')).toThrow('parameter "TO" is required');
    expect(() => start(range, 'TO=1 X=2')).toThrow('unknown parameter "X"');
  });

  it('may let others in', () => {
    expect(start('{schema: true, values: {A: 1}}', 'B=2')).toEqual({ A: '1', B: '2' });
  });

  it('says nothing of a value that is not there', () => {
    expect(start('{type: object, properties: {S: {type: string, minLength: 2}}}', '')).toEqual({ S: '' });
  });
});

describe('parameters in one text', () => {
  it.each([
    ['a b=c', [{ value: 'a' }, { name: 'b', value: 'c' }]],
    [`"a b" c="d e" 'f"g'`, [{ value: 'a b' }, { name: 'c', value: 'd e' }, { value: 'f"g' }]],
    ['p=C:\\x\\y "a\\"b"', [{ name: 'p', value: 'C:\\x\\y' }, { value: 'a"b' }]],
    [
      '{"A": 1, "B": "x y", "C": [1]}',
      [
        { name: 'A', value: '1' },
        { name: 'B', value: 'x y' },
        { name: 'C', value: '[1]' },
      ],
    ],
    ['{a b}', [{ value: '{a' }, { value: 'b}' }]],
    ['  ', []],
  ])('%s', (text, given) => {
    expect(parseParams(text)).toEqual(given);
  });
});

describe('parameters of another workflow', () => {
  it.each<[Json | undefined, object[]]>([
    [
      { A: 'x', B: 2, C: { d: 1 }, D: null },
      [
        { name: 'A', value: 'x' },
        { name: 'B', value: '2' },
        { name: 'C', value: '{"d":1}' },
        { name: 'D', value: 'null' },
      ],
    ],
    [
      ['A=x y', 'z', { B: true }, 5],
      [{ name: 'A', value: 'x y' }, { value: 'z' }, { name: 'B', value: 'true' }, { value: '5' }],
    ],
    ['A="x y" z', [{ name: 'A', value: 'x y' }, { value: 'z' }]],
    [undefined, []],
  ])('%j', (params, given) => {
    expect(givenParams(params)).toEqual(given);
  });
});
