import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const root = fileURLToPath(new URL('../', import.meta.url));

const forbidden: [file: string, imported: string][] = [
  ['core/a.ts', '../native/desktop.ts'],
  ['core/store/b.ts', '../../executor/action.ts'],
  ['core/c.ts', 'electron'],
  ['native/a.ts', '../executor/action.ts'],
  ['native/x11/b.ts', '../../main/api.ts'],
  ['executor/a.ts', '../main/api.ts'],
  ['executor/b.ts', '../native/x11/driver.ts'],
  ['main/a.ts', '../executor/action.ts'],
  ['main/b.ts', 'koffi'],
  ['main/electron/c.ts', 'sharp'],
  ['renderer/a.tsx', '../main/api.ts'],
  ['renderer/b.tsx', 'node:fs'],
  ['renderer/c.tsx', '../core/store/store.ts'],
  ['preload/a.ts', 'ajv'],
];
const allowed: [file: string, imported: string][] = [
  ['core/y.ts', './contract/api.ts'],
  ['native/y.ts', '../core/contract/check.ts'],
  ['executor/y.ts', '../native/desktop.ts'],
  ['main/y.ts', '../core/contract/api.ts'],
  ['renderer/y.tsx', '../core/contract/api.ts'],
  ['preload/y.ts', 'electron'],
];

interface Diagnostic {
  category: string;
  location: { path: string };
}

describe('the lint step', () => {
  let folder: string;
  let reported: Set<string>;
  let asksTheNetwork: string[];

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'dagu-import-rules-'));
    await cp(join(root, 'biome.json'), join(folder, 'biome.json'));
    for (const [file, imported] of [...forbidden, ...allowed]) {
      await mkdir(dirname(join(folder, file)), { recursive: true });
      await writeFile(join(folder, file), `import '${imported}';\n`);
    }
    await writeFile(join(folder, 'executor/z.ts'), "fetch('https://model.example');\n");
    const diagnostics = await lint(folder);
    const filesOf = (rule: string) =>
      diagnostics.filter(({ category }) => category === rule).map(({ location }) => location.path);
    reported = new Set(filesOf('lint/style/noRestrictedImports'));
    asksTheNetwork = filesOf('lint/style/noRestrictedGlobals');
  });

  afterAll(() => rm(folder, { recursive: true, force: true }));

  test.each(forbidden)('reports that %s imports %s', (file) => {
    expect(reported).toContain(file);
  });

  test.each(allowed)('lets %s import %s', (file) => {
    expect(reported).not.toContain(file);
  });

  test('reports a request that does not go through core/net', () => {
    expect(asksTheNetwork).toEqual(['executor/z.ts']);
  });
});

function lint(folder: string): Promise<Diagnostic[]> {
  const args = ['lint', '--vcs-enabled=false', '--max-diagnostics=none', '--reporter=json', '.'];
  return new Promise((resolve, reject) => {
    execFile(join(root, 'node_modules/.bin/biome'), args, { cwd: folder }, (_failed, stdout, stderr) => {
      const report = stdout.split('\n').find((line) => line.startsWith('{'));
      if (report === undefined) reject(new Error(`biome gave no report: ${stderr}`));
      else resolve((JSON.parse(report) as { diagnostics: Diagnostic[] }).diagnostics);
    });
  });
}
