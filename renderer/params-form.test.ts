import { expect, it } from 'vitest';
import type { ParamField } from '../core/contract/workflow-file.ts';
import { givenValues, paramProblem } from './params-form.ts';
import { textsFor } from './texts.ts';

const texts = textsFor('en');
const param = (rest: Partial<ParamField>): ParamField => ({ name: 'P', type: 'string', required: false, ...rest });

it.each<[Partial<ParamField>, string, string | undefined]>([
  [{}, '', undefined],
  [{ required: true }, '', 'This is needed.'],
  [{ required: true, default: 'a' }, '', undefined],
  [{ type: 'integer' }, '3', undefined],
  [{ type: 'integer' }, '3.5', 'Give a whole number.'],
  [{ type: 'number' }, 'three', 'Give a number.'],
  [{ type: 'number' }, ' ', 'Give a number.'],
  [{ type: 'number', minimum: 2 }, '1.5', 'Give 2 or more.'],
  [{ type: 'number', maximum: 2 }, '2.5', 'Give 2 or less.'],
  [{ minLength: 2 }, '😀', 'Give at least 2 characters.'],
  [{ maxLength: 1 }, '😀', undefined],
  [{ maxLength: 1 }, 'ab', 'Give at most 1 characters.'],
  [{ pattern: '^[A-Z]+$' }, 'AB', undefined],
  [{ pattern: '^[A-Z]+$' }, 'Ab', 'This does not have the form that is asked for: ^[A-Z]+$'],
  [{ pattern: '(?<' }, 'anything', undefined],
])('checks a value: %j %j', (rest, value, problem) => {
  expect(paramProblem(param(rest), value, texts)).toBe(problem);
});

it('gives the values that differ from the defaults', () => {
  const params = [param({ name: 'A', default: '1' }), param({ name: 'B', default: '2' }), param({ name: 'C' })];
  expect(givenValues(params, { A: '5', B: '2', C: '' })).toEqual({ A: '5' });
});
