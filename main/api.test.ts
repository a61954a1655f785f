import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { stoppedByPerson } from '../core/contract/run-state.ts';
import { makeApi } from './api.ts';
import { SettingsFile } from './app-settings.ts';
import { Catalog } from './catalog.ts';
import { Dispatcher } from './dispatcher.ts';
import { Scheduler } from './scheduler.ts';
import { TestStore } from './testing.ts';
import { Trust } from './trust.ts';
import { WorkflowsFolder } from './workflows-folder.ts';

let world: TestStore;
let folder: string;
let api: ReturnType<typeof makeApi>;
let dispatcher: Dispatcher;
let changes: string[];

beforeEach(async () => {
  world = new TestStore();
  folder = await mkdtemp(join(tmpdir(), 'dagu-api-'));
  changes = [];
  await open();
});
afterEach(async () => {
  dispatcher.end();
  world.close();
  await rm(folder, { recursive: true, force: true });
});

/** The parts as the app has them after a start. */
async function open(): Promise<void> {
  const settings = new SettingsFile(join(world.home, 'settings.json'));
  await settings.read();
  const { queries, supervisor, home } = world;
  const trust = new Trust(queries, () => settings.current.trust);
  const catalog = new Catalog(new WorkflowsFolder(folder), trust);
  const maxActiveRuns = () => settings.current.queue.maxActiveRuns;
  dispatcher = new Dispatcher({ supervisor, queries, maxActiveRuns, onError: (error) => changes.push(String(error)) });
  const scheduler = new Scheduler({ workflows: () => catalog.startable(), queries, dispatcher, home });
  const onChanged = (what: string) => void changes.push(what);
  api = makeApi({ home, catalog, trust, dispatcher, scheduler, settings, queries, onChanged });
}

const good = 'steps:\n  - id: a\n    run: echo\n';
const at = (file: string) => join(folder, file);
const write = (file: string, text: string) => writeFile(at(file), text);
const policy = (trust: object) => writeFile(join(world.home, 'settings.json'), JSON.stringify({ trust }));
const trustOf = async (file: string) => (await api.getWorkflowPlan({ path: at(file) })).trust;
const allow = async (file: string) => {
  const { hash } = await api.getWorkflowPlan({ path: at(file) });
  await api.allowWorkflow({ path: at(file), hash });
};

describe('trust', () => {
  it('lets no file run that nobody has allowed', async () => {
    await write('a.yaml', good);
    expect((await api.listWorkflows({})).workflows[0]?.trust).toBe('new');
    await expect(api.startRun({ path: at('a.yaml') })).rejects.toMatchObject({ code: 'not_allowed' });
    expect(world.statuses()).toEqual({});

    await allow('a.yaml');
    expect(changes).toEqual(['workflows']);
    const { runId } = await api.startRun({ path: at('a.yaml') });
    expect(world.statuses()).toEqual({ [runId]: 'running' });
  });

  it('asks again when the file changes, and not when it is as it was', async () => {
    await write('a.yaml', good);
    await allow('a.yaml');
    await write('a.yaml', `${good}# more\n`);
    expect(await trustOf('a.yaml')).toBe('changed');
    await expect(api.startRun({ path: at('a.yaml') })).rejects.toMatchObject({ code: 'changed' });
    await write('a.yaml', good);
    expect(await trustOf('a.yaml')).toBe('allowed');
  });

  it('asks again when a workflow or a file of variables changes that belongs to it', async () => {
    await write('a.yaml', 'dotenv: vars.env\nsteps:\n  - id: a\n    action: dag.run\n    with: { dag: child }\n');
    await write('child.yaml', good);
    await write('vars.env', 'A=1\n');
    await allow('a.yaml');
    await write('child.yaml', `${good}# more\n`);
    expect(await trustOf('a.yaml')).toBe('changed');
    await allow('a.yaml');
    await write('vars.env', 'A=2\n');
    expect(await trustOf('a.yaml')).toBe('changed');
  });

  it('allows nothing but what was shown', async () => {
    await write('a.yaml', good);
    const { hash } = await api.getWorkflowPlan({ path: at('a.yaml') });
    await write('a.yaml', `${good}# swapped\n`);
    await expect(api.allowWorkflow({ path: at('a.yaml'), hash })).rejects.toMatchObject({ code: 'changed' });
    expect(await trustOf('a.yaml')).toBe('new');
  });

  it('is of one path: the same content under another name is new', async () => {
    await write('a.yaml', good);
    await allow('a.yaml');
    await write('b.yaml', good);
    expect(await trustOf('b.yaml')).toBe('new');
  });

  it('follows the settings file: folders and contents', async () => {
    await write('a.yaml', good);
    const { hash } = await api.getWorkflowPlan({ path: at('a.yaml') });
    await policy({ hashes: [hash] });
    await open();
    expect(await trustOf('a.yaml')).toBe('allowed');
    await policy({ folders: [folder] });
    await open();
    expect(await trustOf('a.yaml')).toBe('allowed');
    await policy({ folders: [`${folder}-other`] });
    await open();
    expect(await trustOf('a.yaml')).toBe('new');
  });

  it('runs the text that was checked, with the hash for its process to compare', async () => {
    await write('a.yaml', good);
    await allow('a.yaml');
    const { hash } = await api.getWorkflowPlan({ path: at('a.yaml') });
    world.supervisor.refusal = { code: 'failed', error: 'not now' };
    const { runId } = await api.startRun({ path: at('a.yaml') });
    expect(world.store.stateOf(runId)).toMatchObject({
      workflowText: good,
      request: { contentHash: hash, trigger: 'tray', mode: 'queued' },
    });
  });

  it('holds for what a run goes on with, too', async () => {
    await write('a.yaml', 'steps:\n  - id: a\n    action: dag.run\n    with: { dag: child }\n');
    await write('child.yaml', good);
    await allow('a.yaml');
    const { runId } = await api.startRun({ path: at('a.yaml') });
    world.supervisor.finish(runId, 'failed');
    // The file itself may change: the run has its text.
    await write('a.yaml', good);
    await api.retryRun({ runId });
    world.supervisor.finish(runId, 'failed');
    await write('child.yaml', `${good}# swapped\n`);
    await expect(api.retryRun({ runId })).rejects.toMatchObject({ code: 'changed' });
    expect(world.store.attempts(runId)).toHaveLength(2);
  });

  it('is not made up for: what a schedule would have done before is passed over', async () => {
    await write('a.yaml', `schedule: "* * * * *"\ncatchup_window: 24h\n${good}`);
    await allow('a.yaml');
    const mark = world.store.scheduleMark(at('a.yaml'));
    expect(Date.parse(mark ?? '')).toBeGreaterThan(Date.now() - 60_000);
  });
});

describe('startRun', () => {
  beforeEach(() => policy({ folders: [folder] }).then(open));

  it('refuses what is not in the folder, is broken, or has wrong parameters', async () => {
    await write('broken.yaml', 'steps: 3\n');
    await write('params.yaml', `params:\n  - name: CUSTOMER\n    required: true\n${good}`);
    await expect(api.startRun({ path: '/etc/other.yaml' })).rejects.toMatchObject({ code: 'not_found' });
    await expect(api.startRun({ path: at('broken.yaml') })).rejects.toMatchObject({ code: 'broken' });
    const path = at('params.yaml');
    await expect(api.startRun({ path })).rejects.toMatchObject({ code: 'bad_params' });
    await expect(api.startRun({ path, params: { OTHER: '1' } })).rejects.toMatchObject({ code: 'bad_params' });
    const { runId } = await api.startRun({ path, params: { CUSTOMER: 'Blue Harbour' } });
    expect(world.store.stateOf(runId)?.request?.params).toEqual([{ name: 'CUSTOMER', value: 'Blue Harbour' }]);
  });

  it('runs a workflow once however often it is clicked', async () => {
    await write('a.yaml', good);
    const path = at('a.yaml');
    const clicks = await Promise.allSettled([api.startRun({ path }), api.startRun({ path })]);
    expect(clicks.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
    await expect(api.startRun({ path })).rejects.toMatchObject({ code: 'busy' });
    expect(Object.values(world.statuses())).toEqual(['running']);
  });

  it('queues what is more than the file lets run at once', async () => {
    await write('a.yaml', `max_active_runs: 1\n${good}`);
    await api.startRun({ path: at('a.yaml') });
    const { runId } = await api.startRun({ path: at('a.yaml') });
    const queue = await api.getQueue({});
    expect(queue).toMatchObject({ queued: [{ runId, status: 'queued' }], active: 1, maxActiveRuns: 5 });
  });
});

describe('a run', () => {
  it('is stopped whoever works on it', async () => {
    world.wait('w1', '/flows/w.yaml');
    await api.stopRun({ runId: 'w1' });
    expect(world.store.stopRequest('w1')).toBe(stoppedByPerson);
    expect(world.supervisor.requests).toMatchObject([{ mode: 'resume', runId: 'w1' }]);
    world.supervisor.finish('w1', 'aborted');
    await expect(api.stopRun({ runId: 'w1' })).rejects.toMatchObject({ code: 'ended' });
    await expect(api.stopRun({ runId: 'none' })).rejects.toMatchObject({ code: 'not_found' });
  });

  it('is tried again at its end, from a step of it', async () => {
    world.wait('w1', '/flows/w.yaml');
    await expect(api.retryRun({ runId: 'w1' })).rejects.toMatchObject({ code: 'not_ended' });
    world.store.finishRun('w1', 'failed', new Date().toISOString());
    await expect(api.retryRun({ runId: 'w1', fromStep: 'none' })).rejects.toMatchObject({ code: 'not_found' });
    await api.retryRun({ runId: 'w1', fromStep: 'check' });
    const { attempts } = await api.listAttempts({ runId: 'w1' });
    expect(attempts.map(({ attempt, trigger }) => `${attempt} ${trigger}`)).toEqual(['1 tray', '2 retry']);
  });

  it('goes on with a decision that has what it needs, and takes no second one', async () => {
    world.wait('w1', '/flows/w.yaml');
    const decision = { runId: 'w1', step: 'check' };
    await expect(api.approveStep({ ...decision, inputs: {} })).rejects.toMatchObject({ code: 'bad_inputs' });
    await expect(api.approveStep({ ...decision, inputs: { OTHER: '1' } })).rejects.toMatchObject({
      code: 'bad_inputs',
    });
    await expect(api.approveStep({ ...decision, step: 'none', inputs: {} })).rejects.toMatchObject({
      code: 'not_found',
    });
    dispatcher.end();
    await api.pushBackStep({ ...decision, inputs: { AMOUNT: '1' }, reason: 'the fees' });
    expect(world.store.openAnswers('w1')).toEqual([
      { step: 'check', kind: 'push_back', inputs: { AMOUNT: '1' }, reason: 'the fees' },
    ]);
    await expect(api.rejectStep({ ...decision, inputs: {} })).rejects.toMatchObject({ code: 'not_waiting' });
  });

  it('is listed by page', async () => {
    for (const runId of ['r1', 'r2', 'r3']) world.queue(runId, `/flows/${runId}.yaml`);
    const ids = async (query: Partial<Parameters<typeof api.listRuns>[0]>) =>
      (await api.listRuns({ limit: 2, ...query })).runs.map(({ runId }) => runId);
    expect(await ids({})).toEqual(['r3', 'r2']);
    expect(await ids({ before: 'r2' })).toEqual(['r1']);
    expect(await ids({ workflow: '/flows/r1.yaml' })).toEqual(['r1']);
    expect(await ids({ statuses: ['running'] })).toEqual([]);
  });
});

describe('settings', () => {
  it('keeps what a page may not change', async () => {
    await policy({ folders: [folder] });
    await open();
    const next = { queue: { maxActiveRuns: 2 }, retention: { maxRuns: 10 }, schedules: { enabled: false } };
    expect(await api.changeSettings(next)).toEqual({ ...next, trust: { folders: [folder], hashes: [] } });
    await open();
    expect(await api.getSettings({})).toMatchObject(next);
    expect(changes).toEqual(['settings']);
  });
});

describe('readScreenshot', () => {
  const png = new Uint8Array([0x89, 0x50, 0x4e, 0x47]);
  let artifacts: string;

  beforeEach(async () => {
    artifacts = join(folder, 'artifacts');
    await mkdir(join(artifacts, 'computer'), { recursive: true });
    await writeFile(join(artifacts, 'computer/01-each.png'), png);
    await writeFile(join(artifacts, 'computer/notes.txt'), 'text');
    await writeFile(join(folder, 'secret.png'), png);
    await symlink(join(folder, 'secret.png'), join(artifacts, 'computer/link.png'));
    world.store.createRun(
      {
        runId: 'run-1',
        name: 'a',
        path: at('a.yaml'),
        trigger: 'tray',
        createdAt: new Date().toISOString(),
        params: {},
        logDir: folder,
        artifactsDir: artifacts,
        source: good,
        status: 'queued',
      },
      [],
    );
  });

  it('gives the bytes of a picture in the artifacts folder', async () => {
    const answer = await api.readScreenshot({ runId: 'run-1', file: 'computer/01-each.png' });
    expect(answer.png).toEqual(png);
    const { artifacts: listed } = await api.listArtifacts({ runId: 'run-1' });
    expect(listed.map(({ file, bytes }) => `${file} ${bytes}`)).toEqual([
      'computer/01-each.png 4',
      'computer/notes.txt 4',
    ]);
    const part = await api.readArtifact({ runId: 'run-1', file: 'computer/notes.txt', from: 1, limit: 2 });
    expect(new TextDecoder().decode(part.bytes)).toBe('ex');
  });

  it.each([
    '../secret.png',
    'computer/../../secret.png',
    'computer/link.png',
    'computer/notes.txt',
    'computer/none.png',
    '',
  ])('refuses %j', async (file) => {
    const asked = [file, join(folder, 'secret.png')];
    for (const one of asked) {
      await expect(api.readScreenshot({ runId: 'run-1', file: one })).rejects.toMatchObject({ code: 'not_found' });
    }
    if (file.endsWith('.txt')) return;
    const range = { from: 0, limit: 10 };
    await expect(api.readArtifact({ runId: 'run-1', file, ...range })).rejects.toMatchObject({ code: 'not_found' });
  });
});
