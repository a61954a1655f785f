import { describe, expect, it } from 'vitest';
import { parseParam, resolveParams } from './params.ts';
import type { Workflow } from './types.ts';

const workflow = {
  params: [
    { name: 'A', required: true },
    { name: 'B', default: '2', required: false },
  ],
} as Workflow;
const resolve = (...given: string[]) => resolveParams(workflow, given.map(parseParam));

describe('parameters', () => {
  it('are given by place or by name, and have defaults', () => {
    expect(resolve('1')).toEqual({ A: '1', B: '2' });
    expect(resolve('B=x=y\nz', 'A=')).toEqual({ A: '', B: 'x=y\nz' });
  });

  it('may be named as what every object has', () => {
    const odd = { params: [{ name: 'constructor', default: 'y', required: false }] } as unknown as Workflow;
    expect(resolveParams(odd, [])).toEqual({ constructor: 'y' });
    expect(resolveParams(odd, [parseParam('constructor=z')])).toEqual({ constructor: 'z' });
  });

  it.each([
    [[], 'parameter "A" is required'],
    [['A=1', 'C=2'], 'unknown parameter "C" (parameters of this workflow: A, B)'],
    [['1', '2', '3'], 'too many positional params: expected at most 2, got 3'],
    [['1', 'A=2'], 'parameter "A" is given twice'],
  ])('%j are refused', (given, message) => {
    expect(() => resolve(...given)).toThrow(message);
  });
});
