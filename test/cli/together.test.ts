import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { openDataPaths } from '../../core/store/paths.ts';
import { Store } from '../../core/store/store.ts';
import { type Host, openHost } from '../../main/host.ts';
import { forkNodeExecutor } from '../../main/node-processes.ts';
import { CommandLine } from './command.ts';

/** Two commands and a supervisor, as the tray app has it, on one data directory. */

let line: CommandLine;
let host: Host;
const errors: unknown[] = [];

beforeEach(async () => {
  line = new CommandLine();
  errors.length = 0;
  const workflows = join(line.home, 'workflows');
  mkdirSync(workflows, { recursive: true, mode: 0o700 });
  // The person's policy: what is in this folder may run.
  writeFileSync(join(line.home, 'settings.json'), JSON.stringify({ trust: { folders: [workflows] } }));
  const nothing = () => {};
  host = await openHost({
    paths: openDataPaths(line.home),
    workflows,
    fork: forkNodeExecutor,
    onRunChanged: nothing,
    onWorkflowsChanged: nothing,
    onSettingsChanged: nothing,
    onError: (error) => errors.push(error),
  });
  host.begin();
});
afterEach(async () => {
  host.end();
  await host.supervisor.stopAll('the test is over');
  await host.close();
  line.close();
});

const flow = (mark: string) => `working_dir: ${line.folder}
type: chain
steps:
  - {id: a, run: echo ${mark} a >> effects}
  - {id: b, run: echo ${mark} b >> effects}
  - {id: c, run: echo ${mark} c >> effects}
`;

it('share one data directory: nothing lost, nothing twice', async () => {
  const own = join(line.home, 'workflows', 'own.yaml');
  writeFileSync(own, flow('tray'));
  const rounds = 3;
  const commands = ['one', 'two'].map(async (mark) => {
    const file = line.file(`${mark}.yaml`, flow(mark));
    const codes: (number | null)[] = [];
    for (let round = 0; round < rounds; round += 1) codes.push((await line.run('start', '-q', file)).code);
    return codes;
  });
  const started: string[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const { runId } = await host.api.startRun({ path: own, params: {} });
    started.push(runId);
    await vi.waitFor(async () => expect((await host.api.getRun({ runId })).run.status).toBe('succeeded'), 20_000);
  }
  expect(await Promise.all(commands)).toEqual([Array(rounds).fill(0), Array(rounds).fill(0)]);

  const effects = readFileSync(join(line.folder, 'effects'), 'utf8').trim().split('\n').sort();
  const expected = ['one', 'tray', 'two'].flatMap((mark) =>
    ['a', 'b', 'c'].flatMap((step) => Array(rounds).fill(`${mark} ${step}`)),
  );
  expect(effects).toEqual(expected.sort());
  const store = new Store(line.home);
  const runs = store.listRuns({ limit: 100 });
  store.close();
  expect(runs.map(({ status }) => status)).toEqual(Array(3 * rounds).fill('succeeded'));
  expect(new Set(runs.map(({ runId }) => runId)).size).toBe(3 * rounds);
  expect(errors).toEqual([]);
});

it('an answer that a command gives is taken up by the supervisor, once', async () => {
  const file = line.file(
    'ask.yaml',
    `working_dir: ${line.folder}
steps:
  - {id: draft, run: echo draft >> effects, approval: {prompt: Right?}}
  - {id: send, depends: draft, run: echo send >> effects}
`,
  );
  const ids = ['r1', 'r2', 'r3'];
  await Promise.all(ids.map((id) => line.run('start', '-q', '-r', id, file)));
  const approved = await Promise.all(ids.map((id) => line.run('approve', 'ask', '--run-id', id)));
  for (const { code, stdout } of approved) {
    expect(code).toBe(0);
    expect(stdout).toContain('The tray app goes on with the run.');
  }
  await vi.waitFor(async () => {
    const { runs } = await host.api.listRuns({ limit: 10 });
    expect(runs.map(({ status }) => status)).toEqual(['succeeded', 'succeeded', 'succeeded']);
  }, 20_000);
  const effects = readFileSync(join(line.folder, 'effects'), 'utf8').trim().split('\n').sort();
  expect(effects).toEqual(['draft', 'draft', 'draft', 'send', 'send', 'send']);
  expect(errors).toEqual([]);
});
