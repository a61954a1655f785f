import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { WorkflowFile } from '../core/contract/api.ts';
import { CallError } from '../core/contract/protocol.ts';
import type { RunDetail, RunStatus } from '../core/contract/run.ts';
import { stoppedByPerson } from '../core/contract/run-state.ts';
import { makeApi } from './api.ts';
import type { RunEnd } from './supervisor.ts';

let home: string;
let world: FakeWorld;

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'dagu-api-'));
  world = new FakeWorld(join(home, 'artifacts'));
});
afterEach(() => rm(home, { recursive: true, force: true }));

describe('startRun', () => {
  it('starts a workflow of the folder and answers once the store has the run', async () => {
    const api = makeApi(world.parts);
    const answer = api.startRun({ path: '/flows/good.yaml' }) as Promise<{ runId: string }>;
    let answered = false;
    void answer.then(() => {
      answered = true;
    });
    await world.started();
    expect(answered).toBe(false);
    world.store('run-1', 'running');
    await expect(answer).resolves.toEqual({ runId: 'run-1' });
    expect(world.requests).toEqual([{ path: '/flows/good.yaml', trigger: 'tray' }]);
  });

  it('refuses what is not in the folder, is broken, or needs parameters', async () => {
    const api = makeApi(world.parts);
    await expect(api.startRun({ path: '/etc/other.yaml' })).rejects.toMatchObject({ code: 'not_found' });
    await expect(api.startRun({ path: '/flows/broken.yaml' })).rejects.toMatchObject({ code: 'broken' });
    await expect(api.startRun({ path: '/flows/params.yaml' })).rejects.toMatchObject({ code: 'needs_params' });
    expect(world.requests).toEqual([]);
  });

  it('runs a workflow once however often it is asked while the run starts or works', async () => {
    const api = makeApi(world.parts);
    const first = api.startRun({ path: '/flows/good.yaml' });
    await expect(api.startRun({ path: '/flows/good.yaml' })).rejects.toMatchObject({ code: 'busy' });
    await world.started();
    world.store('run-1', 'running');
    await first;
    await expect(api.startRun({ path: '/flows/good.yaml' })).rejects.toMatchObject({ code: 'busy' });
    expect(world.requests).toHaveLength(1);
  });

  it('fails with the reason when the run ended before the store had it', async () => {
    const answer = makeApi(world.parts).startRun({ path: '/flows/good.yaml' });
    await world.started();
    world.finish({ status: 'failed', error: 'the process could not be started' });
    await expect(answer).rejects.toMatchObject({ code: 'failed', message: 'the process could not be started' });
  });
});

describe('stopRun', () => {
  it('stops a run of this app, and says of others that they are stopped elsewhere', async () => {
    const api = makeApi(world.parts);
    world.store('mine', 'running');
    world.store('theirs', 'running');
    world.store('over', 'succeeded');
    world.activeRuns = ['mine'];
    await api.stopRun({ runId: 'mine' });
    await api.stopRun({ runId: 'over' });
    expect(world.stopped).toEqual([
      ['mine', stoppedByPerson],
      ['over', stoppedByPerson],
    ]);
    await expect(api.stopRun({ runId: 'theirs' })).rejects.toMatchObject({ code: 'elsewhere' });
    await expect(api.stopRun({ runId: 'none' })).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('readScreenshot', () => {
  const png = new Uint8Array([0x89, 0x50, 0x4e, 0x47]);

  beforeEach(async () => {
    await mkdir(join(home, 'artifacts/computer'), { recursive: true });
    await writeFile(join(home, 'artifacts/computer/01-each.png'), png);
    await writeFile(join(home, 'artifacts/computer/notes.txt'), 'text');
    await writeFile(join(home, 'secret.png'), png);
    await symlink(join(home, 'secret.png'), join(home, 'artifacts/computer/link.png'));
    world.store('run-1', 'succeeded');
  });

  it('gives the bytes of a picture in the artifacts folder', async () => {
    const answer = await makeApi(world.parts).readScreenshot({ runId: 'run-1', file: 'computer/01-each.png' });
    expect(answer.png).toEqual(png);
  });

  it.each([
    '../secret.png',
    'computer/../../secret.png',
    'computer/link.png',
    'computer/notes.txt',
    'computer/none.png',
    '',
  ])('refuses %j', async (file) => {
    const api = makeApi(world.parts);
    await expect(api.readScreenshot({ runId: 'run-1', file })).rejects.toMatchObject({ code: 'not_found' });
    await expect(api.readScreenshot({ runId: 'run-1', file: join(home, 'secret.png') })).rejects.toMatchObject({
      code: 'not_found',
    });
  });
});

/** The parts of the app as the API sees them, in memory. */
class FakeWorld {
  readonly requests: unknown[] = [];
  readonly stopped: [string, string][] = [];
  activeRuns: string[] = [];
  readonly #artifactsDir: string;
  readonly #runs = new Map<string, RunDetail>();
  readonly #listeners: ((runId: string) => void)[] = [];
  readonly #start = deferred<void>();
  readonly #end = deferred<RunEnd>();

  constructor(artifactsDir: string) {
    this.#artifactsDir = artifactsDir;
  }

  get parts(): Parameters<typeof makeApi>[0] {
    return {
      folder: { path: '/flows', list: async () => files, find: async (path) => findFile(path) },
      supervisor: {
        start: (request) => {
          this.requests.push(request);
          this.activeRuns = ['run-1'];
          this.#start.resolve();
          return { runId: 'run-1', finished: this.#end.promise };
        },
        stop: async (runId, reason) => void this.stopped.push([runId, reason]),
        active: () => this.activeRuns,
        onChanged: (listener) => void this.#listeners.push(listener),
      },
      queries: {
        listRuns: async () => ({ runs: [...this.#runs.values()].map(({ run }) => run) }),
        getRun: async ({ runId }) => {
          const detail = this.#runs.get(runId);
          return detail === undefined ? {} : { detail };
        },
      },
    };
  }

  /** Resolves when a run was started. */
  started(): Promise<void> {
    return this.#start.promise;
  }

  finish(end: RunEnd): void {
    this.#end.resolve(end);
  }

  store(runId: string, status: RunStatus): void {
    const run = {
      runId,
      name: 'good',
      path: '/flows/good.yaml',
      status,
      trigger: 'tray',
      createdAt: '2026-03-02T12:00:00Z',
      params: {},
      logDir: '/logs',
      artifactsDir: this.#artifactsDir,
    };
    this.#runs.set(runId, { run, steps: [], events: [] });
    for (const listener of this.#listeners) listener(runId);
  }
}

const file = (name: string, rest: Partial<WorkflowFile> = {}): WorkflowFile => ({
  path: `/flows/${name}.yaml`,
  file: `${name}.yaml`,
  name,
  missingParams: [],
  ...rest,
});
const files = [
  file('good'),
  file('broken', { problem: { message: 'no steps', line: 1, column: 1 } }),
  file('params', { missingParams: ['CUSTOMER'] }),
];

function findFile(path: string): WorkflowFile {
  const found = files.find((one) => one.path === path);
  if (found === undefined) throw new CallError('not_found', path);
  return found;
}

function deferred<T>() {
  let resolve: (value: T) => void = () => {};
  const promise = new Promise<T>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}
