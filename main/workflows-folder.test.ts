import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WorkflowsFolder } from './workflows-folder.ts';

let path: string;
let folder: WorkflowsFolder;
let watching: AbortController;

beforeEach(async () => {
  path = await mkdtemp(join(tmpdir(), 'dagu-folder-'));
  folder = new WorkflowsFolder(path);
  watching = new AbortController();
});

afterEach(async () => {
  watching.abort();
  await rm(path, { recursive: true, force: true });
});

const write = (file: string, text: string) => writeFile(join(path, file), text);
const good = 'description: Says hello\nsteps:\n  - id: hello\n    run: echo hello\n';

describe('list', () => {
  it('gives the workflow files by name, and nothing else', async () => {
    await write('b.yaml', good);
    await write('a.yml', good);
    await write('.hidden.yaml', good);
    await write('notes.txt', good);
    await mkdir(join(path, 'folder.yaml'));
    const files = await folder.list();
    expect(files.map(({ path: place, file }) => ({ path: place, file }))).toEqual([
      { path: join(path, 'a.yml'), file: 'a.yml' },
      { path: join(path, 'b.yaml'), file: 'b.yaml' },
    ]);
    expect(files[0]?.workflow?.description).toBe('Says hello');
    expect(files[0]?.content?.hash).toMatch(/^[0-9a-f]{64}$/);
  });

  it('gives the first problem of a broken file with its place', async () => {
    await write('broken.yaml', 'steps:\n  - id: a\n    runn: echo\n');
    const [broken] = await folder.list();
    expect(broken?.problem).toMatchObject({ line: 2, column: 5 });
    expect(broken?.problem?.message).toMatch(/\brunn?\b/);
  });

  it('reads a file again once it changed', async () => {
    await write('a.yaml', 'steps: 3\n');
    expect((await folder.list())[0]?.problem).toBeDefined();
    await write('a.yaml', good);
    expect((await folder.list())[0]?.problem).toBeUndefined();
  });

  it('fails when there is no such folder', async () => {
    await rm(path, { recursive: true });
    await expect(folder.list()).rejects.toMatchObject({ code: 'no_folder' });
  });
});

describe('find', () => {
  it('refuses a file that is not in the folder', async () => {
    await write('a.yaml', good);
    await expect(folder.find(join(path, 'a.yaml'))).resolves.toMatchObject({ file: 'a.yaml' });
    await expect(folder.find(join(path, '..', 'a.yaml'))).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('watch', () => {
  it('tells when files come, change, are replaced and go', async () => {
    const change = await watchChanges();
    await write('a.yaml', good);
    await change();
    await write('a.yaml', `${good}# changed\n`);
    await change();
    await write('a.tmp', good);
    await rename(join(path, 'a.tmp'), join(path, 'a.yaml'));
    await change();
    await rm(join(path, 'a.yaml'));
    await change();
  });

  it('goes on when the folder went and came back', async () => {
    const change = await watchChanges();
    await rm(path, { recursive: true });
    await change();
    await mkdir(path);
    await change();
    await write('a.yaml', good);
    await change();
  });
});

/** Watches the folder; `next` resolves at a change that no earlier `next` was given. */
async function watchChanges() {
  let count = 0;
  let wake = () => {};
  await folder.watch(() => {
    count += 1;
    wake();
  }, watching.signal);
  return async () => {
    while (count === 0) await new Promise<void>((resolve) => (wake = resolve));
    count -= 1;
  };
}
