import type { TSchema } from 'typebox';
import { describe, expect, test } from 'vitest';
import { problemFinder } from '../core/contract/problems.ts';
import { WorkflowDocument } from '../core/workflow/document.ts';
import { evaluateSchemas, withLiterals } from './schema-literals.mjs';

const schemas = await evaluateSchemas();

function constantsOf(file: string): Record<string, unknown> {
  const [, constants = {}] = [...schemas].find(([path]) => path.endsWith(file)) ?? [];
  return constants;
}

describe('the schemas of the source', () => {
  test('are found where a module keeps them, tables of them too', () => {
    expect(constantsOf('core/contract/messages.ts')).toMatchObject({
      RunRequest: { type: 'object' },
      executorProtocol: { run: { params: { type: 'object' }, result: { type: 'object' } } },
    });
    expect(constantsOf('core/contract/run.ts')).not.toHaveProperty('runStatuses');
  });

  test('lose nothing as literals', () => {
    const { WorkflowDocument: evaluated } = constantsOf('core/workflow/document.ts');
    const code = withLiterals('const Schema = make();\nexport { Schema };', { Schema: evaluated });
    const literal = JSON.parse(/= (.*);\n/.exec(code)?.[1] ?? '');
    expect(literal).toEqual(JSON.parse(JSON.stringify(WorkflowDocument)));
    const broken = { steps: 1, env: { '1': [] }, labels: null, other: 0, timeout_sec: -1 };
    expect(problemFinder(literal)(broken)).toEqual(problemFinder(WorkflowDocument)(broken));
  });

  test('have keywords alone that are checked', () => {
    for (const constants of schemas.values()) {
      for (const schema of Object.values(constants).flatMap(schemasIn))
        expect(() => problemFinder(schema)({})).not.toThrow();
    }
  });
});

test('a literal takes as many lines as what made it', () => {
  const code = withLiterals('export const A = make({\n  a: 1,\n}), B = 2;\nexport const C = 3;', {
    A: { type: 'null' },
  });
  expect(code).toBe('export const A = {"type":"null"}\n\n, B = 2;\nexport const C = 3;');
});

function schemasIn(value: unknown): TSchema[] {
  if (typeof value !== 'object' || value === null) return [];
  return '~kind' in value || '~unsafe' in value ? [value as TSchema] : Object.values(value).flatMap(schemasIn);
}
