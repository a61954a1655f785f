import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { editorSchema } from './editor-schema.ts';
import { loadWorkflow } from './load.ts';
import { readStream } from './stream.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const filesOf = (folder: string) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.yaml'))
    .map((file) => join(folder, file));
const files = ['examples', 'test/fuzz/corpus'].flatMap(filesOf);

const { $schema: _, ...schema } = editorSchema();
const validate = new Ajv2020({ strict: false, allErrors: true }).compile(schema);

/** What an editor tells of a file, document by document. */
function told(text: string): string[] {
  return readStream(text).documents.flatMap(({ value }) =>
    validate(value) ? [] : (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`),
  );
}

describe('dagu.schema.json', () => {
  it('is what the shapes give now: npm run schema', () => {
    const written: unknown = JSON.parse(readFileSync(join(root, 'dagu.schema.json'), 'utf8'));
    expect(written).toEqual(editorSchema());
  });

  it.each(files)('accepts %s, and so does the loader', (file) => {
    const text = readFileSync(join(root, file), 'utf8');
    expect(told(text)).toEqual([]);
    expect(loadWorkflow(text, file, { strictStream: true }).problems).toEqual([]);
  });

  it.each([
    ['an unknown key', 'stepz: 1\nsteps: [{run: x}]', 'must NOT have additional properties'],
    ['no steps', 'description: x', "must have required property 'steps'"],
    ['an unknown action', 'steps: [{action: moon.fly}]', '/steps/0/action must be equal to one of the allowed values'],
    [
      'an unknown key of an input',
      'steps: [{action: dag.run, with: {dog: x}}]',
      '/steps/0/with must NOT have additional',
    ],
    ['an input of run', 'steps: [{run: x, with: {image: y}}]', '/steps/0/with must NOT have additional properties'],
    ['a wrong operation', 'steps: [{action: computer.run, with: {do: [{fly: x}]}}]', '/steps/0/with/do/0'],
    ['a body', 'steps: [{foreach: {items: [], steps: [{runs: x}]}}]', '/steps/0/foreach/steps/0'],
    ['a handler', 'steps: [{run: x}]\nhandler_on: {done: {run: x}}', '/handler_on must NOT have additional properties'],
    ['a key that does not run here', 'steps: [{run: x}]\ncontainer: x', 'must NOT have additional properties'],
  ])('refuses %s', (_, text, message) => {
    expect(told(text).join('\n')).toContain(message);
  });

  it('says what each key of the root and of a step is for', () => {
    const { properties, definitions } = schema as { properties: object; definitions: { step: { properties: object } } };
    for (const [name, field] of Object.entries({ ...properties, ...definitions.step.properties })) {
      if (name === 'steps') continue;
      expect([name, (field as { description?: string }).description]).toEqual([name, expect.stringMatching(/./)]);
    }
  });
});
