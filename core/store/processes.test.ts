import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { at, TestStore } from './testing.ts';

// Several processes on one data directory at the same time, each with its own connection.

const root = fileURLToPath(new URL('../../', import.meta.url));
const count = 3;
let folder: string;
let program: string;
let test: TestStore;
let processes: ChildProcess[];

/** What each process does when it is told a task: all are told at once. */
const tasks = `
const { Store, tryFileLock } = require('./store.cjs');
const { readFileSync, writeFileSync } = require('node:fs');
const store = new Store(process.argv[2]);
const me = process.argv[3];
const run = (runId) => ({ runId, name: me, path: '/' + me, trigger: 'manual', createdAt: '${at}', params: {},
  logDir: '/l', artifactsDir: '/a', source: me });
const tasks = {
  resume(runId) {
    try { return store.resumeRun(runId, '${at}').length; } catch (error) { return error.code; }
  },
  write() {
    for (let n = 0; n < 30; n += 1) {
      const runId = me + '-' + n;
      const lock = tryFileLock(store.runLockPath(runId));
      store.createRun(run(runId), [{ step: 'a', action: 'run' }]);
      store.startRun(runId, '${at}');
      store.changeSteps(runId, [{ step: 'a', change: { status: 'succeeded' } }]);
      store.finishRun(runId, 'succeeded', '${at}');
      lock.release({ remove: true });
      store.listRuns({ limit: 5 });
    }
    return 'written';
  },
  count(file) {
    let counted = 0;
    while (counted < 100) {
      const lock = tryFileLock(file + '.lock');
      if (lock === undefined) continue;
      writeFileSync(file, String(Number(readFileSync(file, 'utf8')) + 1));
      counted += 1;
      lock.release({ remove: true });
    }
    return counted;
  },
};
process.on('message', ([task, argument]) => process.send(tasks[task](argument)));
process.send('ready');
`;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'processes-'));
  const entry = join(folder, 'entry.ts');
  const source = (file: string) => JSON.stringify(join(root, 'core/store', file));
  writeFileSync(
    entry,
    `export { Store } from ${source('store.ts')}; export { tryFileLock } from ${source('lock.ts')};`,
  );
  await build({
    root,
    configFile: false,
    logLevel: 'error',
    ssr: { noExternal: true, external: ['@photostructure/sqlite', 'fs-native-extensions'] },
    build: {
      ssr: entry,
      outDir: folder,
      emptyOutDir: false,
      rollupOptions: { output: { format: 'cjs', entryFileNames: 'store.cjs' } },
    },
  });
  program = join(folder, 'tasks.cjs');
  writeFileSync(program, tasks);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

beforeEach(async () => {
  test = new TestStore();
  processes = Array.from({ length: count }, (_, index) =>
    fork(program, [test.home, `p${index}`], { env: { ...process.env, NODE_PATH: join(root, 'node_modules') } }),
  );
  await Promise.all(processes.map((one) => once(one, 'message')));
});
afterEach(async () => {
  const ends = processes.map((one) => once(one, 'exit'));
  for (const one of processes) one.disconnect();
  await Promise.all(ends);
  test.close();
});

/** Gives all processes a task and waits for what each of them says. */
async function together(task: string, argument?: string): Promise<unknown[]> {
  const answers = processes.map(async (one) => (await once(one, 'message'))[0]);
  for (const one of processes) one.send([task, argument]);
  return await Promise.all(answers);
}

it('gives the answers to a run to one process, however many go on with it at once', async () => {
  for (let round = 0; round < 20; round += 1) {
    const runId = `run-${round}`;
    test.hold(runId);
    test.waiting(runId);
    test.store.addAnswer(runId, { step: 'read', kind: 'approve', inputs: {} });
    expect((await together('resume', runId)).map(String).toSorted()).toEqual(['1', 'nothing_to_do', 'nothing_to_do']);
  }
});

it('loses nothing of what several processes write at once', async () => {
  expect(await together('write')).toEqual(Array.from({ length: count }, () => 'written'));
  const runs = test.store.listRuns({ limit: 1000 });
  expect(runs).toHaveLength(30 * count);
  expect(new Set(runs.map(({ status }) => status))).toEqual(new Set(['succeeded']));
  expect(test.sql("SELECT count(*) AS count FROM steps WHERE status = 'succeeded'")).toEqual([{ count: 30 * count }]);
});

it('lets one process at a time hold a lock, also one that takes its file away', async () => {
  const file = join(folder, 'count');
  writeFileSync(file, '0');
  await together('count', file);
  expect(readFileSync(file, 'utf8')).toBe(String(100 * count));
});
