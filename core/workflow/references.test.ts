import { describe, expect, it } from 'vitest';
import { cut, escapedInPaths, expandVariables, mapTexts, referencesIn, resolve } from './references.ts';

const values: Record<string, string> = {
  'params.a': 'A',
  'steps.read.outputs.total': '12.50',
  params: '{"a":"A"}',
  'env._x': 'u',
  'foreach.item': '{}',
  'foreach.item.name': 'N',
  'context.run.id': 'R',
};
const scope = (reference: readonly string[]) => values[reference.join('.')];

describe('references', () => {
  it.each([
    ['${params.a}', 'A'],
    ['x${params.a}${params.a}y', 'xAAy'],
    ['${steps.read.outputs.total} EUR', '12.50 EUR'],
    ['${params}', '{"a":"A"}'],
    ['${env._x}', 'u'],
    ['an escape \\${params.a} is literal', 'an escape ${params.a} is literal'],
    ['two backslashes \\\\${params.a}', 'two backslashes \\\\A'],
    ['${params.b} has no value', '${params.b} has no value'],
    ["${HOME} and $(date) are the shell's", "${HOME} and $(date) are the shell's"],
    ['${steps.read.outputs.total.cents} is none', '${steps.read.outputs.total.cents} is none'],
    ['${steps.read.stdout} is none', '${steps.read.stdout} is none'],
    ['${params.a', '${params.a'],
    ['${foreach.item.name} of ${foreach.item}', 'N of {}'],
    ['${foreach.item.name.first} is none', '${foreach.item.name.first} is none'],
    ['${context.run.id} ${run.id}', 'R R'],
    ['${run.number} and ${constructor.x} are none', '${run.number} and ${constructor.x} are none'],
  ])('%s', (text, expected) => {
    expect(resolve(text, scope)).toBe(expected);
  });

  it('does not resolve what a value holds', () => {
    expect(resolve('${params.a}', () => '${params.a}')).toBe('${params.a}');
  });

  it('keeps every character of a text without references', () => {
    for (const text of ['', '\\', '$', '${', '\\${', '}{$', 'a\nb']) {
      expect(
        cut(text)
          .map((piece) => ('text' in piece ? piece.text : piece.source))
          .join(''),
      ).toBe(text);
    }
  });

  it('finds the references in nested values', () => {
    expect(referencesIn({ do: [{ act: '${params.a}' }, 'x ${env.B} ${steps.s.outputs.o}'], n: 3 }, ['with'])).toEqual([
      { path: ['with', 'do', 0, 'act'], reference: ['params', 'a'], source: '${params.a}' },
      { path: ['with', 'do', 1], reference: ['env', 'B'], source: '${env.B}' },
      { path: ['with', 'do', 1], reference: ['steps', 's', 'outputs', 'o'], source: '${steps.s.outputs.o}' },
    ]);
  });

  it('finds what a backslash of a path makes literal', () => {
    const text = 'copy C:\\Data\\${params.a} \\${params.a} C:\\\\${params.a} D:\\${HOME}';
    expect(escapedInPaths(text)).toEqual(['\\${params.a}']);
  });

  it('maps texts and leaves the value that was given alone', () => {
    const given = { a: ['x', 1, null], b: { c: 'y' } };
    expect(mapTexts(given, (text) => text.toUpperCase())).toEqual({ a: ['X', 1, null], b: { c: 'Y' } });
    expect(given.b.c).toBe('y');
  });

  it('expands variables that the environment has, once', () => {
    expect(expandVariables('$A ${B} $C $$A', { A: '$B', B: 'b' })).toBe('$B b $C $$B');
  });
});
