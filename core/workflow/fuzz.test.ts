import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { mutated } from '../../test/fuzz/mutate.mjs';
import { loadWorkflow } from './load.ts';

const folder = fileURLToPath(new URL('../../test/fuzz/', import.meta.url));
const filesOf = (name: string) =>
  readdirSync(join(folder, name))
    .filter((file) => file.endsWith('.yaml'))
    .map((file) => join(folder, name, file));
const corpus = filesOf('corpus').map((file) => readFileSync(file, 'utf8'));

/** A file becomes a workflow, or is refused in words. */
function expectAnswer(text: string): void {
  const { workflow, problems } = loadWorkflow(text, '/flows/x.yaml', { strictStream: true });
  expect(workflow === undefined).toBe(problems.length > 0);
}

// npm run fuzz takes longer, and other seeds.
it('mutations of valid files are answered', () => {
  for (let seed = 0; seed < 60; seed += 1) expectAnswer(mutated(corpus, seed));
}, 60_000);

it.each([...filesOf('corpus'), ...filesOf('found')])('%s is answered', (file) => {
  expectAnswer(readFileSync(file, 'utf8'));
});
