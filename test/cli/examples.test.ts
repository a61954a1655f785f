import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CommandLine } from './command.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const examples = readdirSync(join(root, 'examples'), { recursive: true, encoding: 'utf8' }).filter((file) =>
  file.endsWith('.yaml'),
);

let line: CommandLine;
beforeEach(() => {
  line = new CommandLine();
});
afterEach(() => line.close());

describe('the workflow files that people copy', () => {
  it.each(examples)('examples/%s validates without a warning', async (file) => {
    expect(await line.run('validate', join(root, 'examples', file))).toEqual({ code: 0, stdout: '', stderr: '' });
  });

  it('the one in the README validates', async () => {
    const [, block = ''] = /```yaml\n([\s\S]*?)```/.exec(readFileSync(join(root, 'README.md'), 'utf8')) ?? [];
    const file = line.file('readme.yaml', `params: {MODEL: m, MODEL_URL: "http://localhost:1"}\n${block}`);
    expect(await line.run('validate', file)).toEqual({ code: 0, stdout: '', stderr: '' });
  });
});
