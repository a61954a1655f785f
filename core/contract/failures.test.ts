import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { failures, isFailureCode } from './failures.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
/** What answers the API: a code that begins there reaches a page. */
const folders = ['main', 'core/store', 'core/process', 'core/contract'];

it('has every code that a call can fail with, and none that none does', () => {
  const text = folders.flatMap(sources).join('\n');
  const thrown = [...text.matchAll(/(?:CallError|super)\(\s*'([a-z_]+)'/g)].map(([, code = '']) => code);
  expect(thrown.filter((code) => !isFailureCode(code))).toEqual([]);
  const unheard = Object.keys(failures).filter((code) => !text.includes(`'${code}'`));
  expect(unheard).toEqual([]);
});

it('answers each with a status of a failure', () => {
  for (const { status } of Object.values(failures))
    expect(status).toSatisfy((code: number) => code >= 400 && code < 600);
  expect(isFailureCode('toString')).toBe(false);
});

function sources(folder: string): string[] {
  const path = join(root, folder);
  const entries = readdirSync(path, { recursive: true, encoding: 'utf8' });
  const names = entries.filter((name) => /\.ts$/.test(name) && !/\.test\.ts$|failures\.ts$|words/.test(name));
  return names.map((name) => readFileSync(join(path, name), 'utf8'));
}
