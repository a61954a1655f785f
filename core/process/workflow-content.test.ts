import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Step } from '../workflow/types.ts';
import { checkContent, namedWorkflows, workflowContent } from './workflow-content.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'workflow-content-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const write = (file: string, text: string) => writeFile(join(folder, file), text);
const hash = async (file = 'main.yaml') => (await workflowContent(join(folder, file))).hash;
const plain = 'steps:\n  - id: a\n    run: echo\n';
const calls = (name: string) => `steps:\n  - id: a\n    action: dag.run\n    with: { dag: "${name}" }\n`;

/** The hash before and after something is done. */
async function change(work: () => Promise<void>): Promise<boolean> {
  const before = await hash();
  await work();
  return (await hash()) !== before;
}

describe('the hash of a workflow', () => {
  it('is of its text, and the same wherever the folder is', async () => {
    await write('main.yaml', plain);
    const first = await hash();
    expect(first).toMatch(/^[0-9a-f]{64}$/);
    const other = await mkdtemp(join(tmpdir(), 'workflow-content-'));
    await writeFile(join(other, 'renamed.yaml'), plain);
    expect((await workflowContent(join(other, 'renamed.yaml'))).hash).toBe(first);
    await rm(other, { recursive: true });
    expect(await change(() => write('main.yaml', `${plain}# more\n`))).toBe(true);
  });

  it('is of the text that is given, whatever became of the file', async () => {
    await write('main.yaml', plain);
    const first = await hash();
    await write('main.yaml', `${plain}# more\n`);
    expect((await workflowContent(join(folder, 'main.yaml'), { text: plain })).hash).toBe(first);
  });

  it('stays when a file changes that the workflow does not name', async () => {
    await write('main.yaml', plain);
    expect(await change(() => write('other.yaml', plain))).toBe(false);
  });

  it('changes with the workflows that it names, and those that they name', async () => {
    await write('main.yaml', calls('child'));
    expect(await change(() => write('child.yaml', calls('grandchild')))).toBe(true);
    expect(await change(() => write('grandchild.yml', plain))).toBe(true);
    expect(await change(() => write('grandchild.yml', `${plain}# more\n`))).toBe(true);
  });

  it('ends where workflows name each other', async () => {
    await write('main.yaml', calls('child'));
    await write('child.yaml', calls('main'));
    expect(await change(() => write('child.yaml', calls('main.yaml')))).toBe(true);
  });

  it('changes with every workflow of the folder where the name is known only at run time', async () => {
    await write('main.yaml', `params: { WHICH: any }\n${calls('${params.WHICH}')}`);
    expect((await workflowContent(join(folder, 'main.yaml'))).anyWorkflow).toBe(true);
    expect(await change(() => write('any.yaml', plain))).toBe(true);
  });

  it('changes with its files of variables', async () => {
    await write('main.yaml', `dotenv: [.env, more.env]\n${plain}`);
    expect(await change(() => write('.env', 'A=1\n'))).toBe(true);
    expect(await change(() => write('more.env', 'A=1\n'))).toBe(true);
    expect(await change(() => write('more.env', 'A=2\n'))).toBe(true);
  });

  it('is there for a file with an error', async () => {
    await write('main.yaml', 'steps: 3\n');
    expect(await hash()).toMatch(/^[0-9a-f]{64}$/);
    await expect(workflowContent(join(folder, 'none.yaml'))).rejects.toMatchObject({ code: 'not_found' });
    await expect(workflowContent(folder)).rejects.toMatchObject({ code: 'broken' });
  });
});

it('refuses to run what is not what was allowed', async () => {
  await write('main.yaml', calls('child'));
  const path = join(folder, 'main.yaml');
  const allowed = await workflowContent(path);
  await expect(checkContent(path, allowed)).resolves.toBeUndefined();
  await write('child.yaml', plain);
  await expect(checkContent(path, allowed)).rejects.toMatchObject({ code: 'changed' });
});

it('finds the workflows among the tools of a chat step', () => {
  const step = { action: 'chat.completion', with: { tools: ['weather', 'stock'] } } as unknown as Step;
  expect(namedWorkflows(step)).toEqual(['weather', 'stock']);
  expect(namedWorkflows({ action: 'run', with: {} } as unknown as Step)).toEqual([]);
});
