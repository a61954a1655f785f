import { describe, expect, it } from 'vitest';
import { loadWorkflow } from '../../core/workflow/load.ts';
import { toolSpec } from './tool-schema.ts';

function specOf(params: string, more = '') {
  const text = `${more}params: ${params}\nsteps:\n  - run: "true"\n`;
  const { workflow, problems } = loadWorkflow(text, '/w.yaml', {
    strictStream: false,
    readSchemaFile: () => '{"type":"object","properties":{"CITY":{"type":"string","minLength":2}},"required":["CITY"]}',
  });
  if (workflow === undefined) throw new Error(JSON.stringify(problems));
  return toolSpec(workflow);
}

const p = (name: string, type: string, more: object = {}) => ({
  [name]: { type, description: `${name} parameter`, ...more },
});

describe('toolSpec', () => {
  it.each<[string, object, string[]?]>([
    ['CITY', p('CITY', 'string'), ['CITY']],
    ['CITY DAY', { ...p('CITY', 'string'), ...p('DAY', 'string') }, ['CITY', 'DAY']],
    ['"12"', p('1', 'integer', { default: 12 })],
    ['N=3', p('N', 'integer', { default: 3 })],
    ['N=0.5', p('N', 'number', { default: 0.5 })],
    ['N=007', p('N', 'string', { default: '007' })],
    ['B=true', p('B', 'boolean', { default: true })],
    [`[{L: '["a","b"]'}]`, p('L', 'array', { default: ['a', 'b'] })],
    [`[{M: '{"a":1}'}]`, p('M', 'object', { default: { a: 1 } })],
    ['[CITY, N=3]', { ...p('CITY', 'string'), ...p('N', 'integer', { default: 3 }) }, ['CITY']],
    ['[{CITY: Rome}, {N: 3}]', { ...p('CITY', 'string', { default: 'Rome' }), ...p('N', 'integer', { default: 3 }) }],
    ['{CITY: Rome, DAY: null}', { ...p('CITY', 'string', { default: 'Rome' }), ...p('DAY', 'string') }, ['DAY']],
    [
      '[{name: N, type: integer, default: 25, minimum: 1, maximum: 99, description: How many}]',
      { N: { type: 'integer', description: 'How many', default: 25, minimum: 1, maximum: 99 } },
    ],
    [
      '[{name: E, enum: [dev, prod], required: true}, {name: S, type: string, default: "3", min_length: 1, max_length: 4, pattern: "^3"}]',
      {
        ...p('E', 'string', { enum: ['dev', 'prod'] }),
        ...p('S', 'string', { default: '3', minLength: 1, maxLength: 4, pattern: '^3' }),
      },
      ['E'],
    ],
    ['[{name: S, type: string, default: "3"}]', p('S', 'string', { default: '3' })],
    ['[{name: I, type: integer, enum: [1, 2], required: true}]', p('I', 'integer', { enum: [1, 2] }), ['I']],
    [
      '{type: object, properties: {CITY: {type: string, description: Where}, N: {type: number, default: 1.5}}, required: [CITY]}',
      { CITY: { type: 'string', description: 'Where' }, ...p('N', 'number', { default: 1.5 }) },
      ['CITY'],
    ],
    ['{schema: city.json, values: {CITY: Rome}}', p('CITY', 'string', { default: 'Rome', minLength: 2 })],
  ])('describes params: %s', (params, properties, required) => {
    expect(specOf(params).parameters).toEqual({ type: 'object', properties, ...(required && { required }) });
  });

  it('tells what the workflow is for', () => {
    expect(specOf('N=3', 'description: Counts.\n')).toMatchObject({ name: 'w', description: 'Counts.' });
    expect(specOf('N=3').description).toBe('Runs the workflow w.');
  });
});
