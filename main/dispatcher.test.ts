import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { tryFileLock } from '../core/store/lock.ts';
import { Dispatcher } from './dispatcher.ts';
import { settled, TestStore } from './testing.ts';

let world: TestStore;
let dispatcher: Dispatcher;
let errors: unknown[];
let maxActiveRuns: number;

beforeEach(() => {
  world = new TestStore();
  errors = [];
  maxActiveRuns = 5;
  dispatcher = new Dispatcher({
    supervisor: world.supervisor,
    queries: world.queries,
    maxActiveRuns: () => maxActiveRuns,
    onError: (error) => errors.push(error),
  });
});
afterEach(() => {
  dispatcher.end();
  world.close();
});

const started = () => world.supervisor.requests.splice(0).map(({ mode, runId }) => `${mode} ${runId}`);

it('takes up what waited for its turn when the app begins, one run of a workflow at a time', async () => {
  world.queue('a1', '/flows/a.yaml');
  world.queue('a2', '/flows/a.yaml');
  world.queue('b1', '/flows/b.yaml');
  await dispatcher.look();
  expect(started()).toEqual(['queued a1', 'queued b1']);
  await dispatcher.look();
  expect(started()).toEqual([]);

  world.supervisor.finish('a1', 'succeeded');
  await settled();
  expect(started()).toEqual(['queued a2']);
});

it('takes as many runs of a workflow as the text says that each was queued with', async () => {
  const source = 'max_active_runs: 2\nsteps:\n  - id: a\n    run: echo\n';
  for (const runId of ['a1', 'a2', 'a3']) world.queue(runId, '/flows/a.yaml', { source });
  await dispatcher.look();
  expect(started()).toEqual(['queued a1', 'queued a2']);
});

it('counts the runs of other programs', async () => {
  world.wait('theirs', '/flows/a.yaml');
  world.store.addAnswer('theirs', { step: 'check', kind: 'approve', inputs: {} });
  world.store.resumeRun('theirs', new Date().toISOString());
  // Held as the run's own process would hold it: else the run is a dead one.
  const lock = tryFileLock(world.store.runLockPath('theirs'));
  world.queue('a1', '/flows/a.yaml');
  await dispatcher.look();
  expect(started()).toEqual([]);
  lock?.release({ remove: true });
});

it('has no more runs at work than the settings say', async () => {
  maxActiveRuns = 1;
  world.queue('a1', '/flows/a.yaml');
  world.queue('b1', '/flows/b.yaml');
  await dispatcher.look();
  expect(started()).toEqual(['queued a1']);
  await expect(dispatcher.retry({ runId: 'c1', path: '/flows/c.yaml' })).rejects.toMatchObject({ code: 'busy' });
});

it('goes on with a run that somebody answered, once', async () => {
  world.wait('w1', '/flows/w.yaml');
  await dispatcher.look();
  expect(started()).toEqual([]);
  world.store.addAnswer('w1', { step: 'check', kind: 'approve', inputs: { AMOUNT: '1' } });
  await Promise.all([dispatcher.look(), dispatcher.look(), dispatcher.lookIfChanged()]);
  await dispatcher.look();
  expect(started()).toEqual(['resume w1']);
});

it('goes on with the whole of a run where one under it was answered', async () => {
  world.wait('w1', '/flows/w.yaml');
  world.wait('w1c', '/flows/w.yaml', { runId: 'w1', step: 'check', item: 'a' });
  world.store.addAnswer('w1c', { step: 'check', kind: 'approve', inputs: {} });
  world.supervisor.refusal = { code: 'nothing_to_do', error: 'not now' };
  await dispatcher.look();
  expect(started()).toEqual(['resume w1']);
});

it('stops runs without a process by going on with them', async () => {
  world.wait('w1', '/flows/w.yaml');
  world.queue('a1', '/flows/a.yaml');
  world.store.requestStop('a1', 'stopped by the command');
  expect(await dispatcher.stop('w1', 'stopped')).toBe(true);
  expect(started().sort()).toEqual(['resume a1', 'resume w1']);
  expect(world.store.stopRequest('w1')).toBe('stopped');
});

it('asks the process of a run that it started, and says when a run has ended already', async () => {
  world.queue('a1', '/flows/a.yaml');
  await dispatcher.look();
  await dispatcher.stop('a1', 'stopped');
  expect(world.supervisor.stopped).toEqual([['a1', 'stopped']]);
  world.supervisor.finish('a1', 'aborted');
  expect(await dispatcher.stop('a1', 'stopped')).toBe(false);
});

it('ends a run that could not begin, with the reason', async () => {
  world.queue('a1', '/flows/a.yaml');
  world.supervisor.refusal = { code: 'changed', error: 'the file has changed since it was allowed' };
  await dispatcher.look();
  await settled();
  expect(world.store.getRun('a1')?.run).toMatchObject({
    status: 'failed',
    error: 'the file has changed since it was allowed',
  });
  await dispatcher.look();
  expect(started()).toEqual(['queued a1']);
});

it('leaves a run that another process took up, and one that cannot be gone on with', async () => {
  world.wait('w1', '/flows/w.yaml');
  world.store.addAnswer('w1', { step: 'check', kind: 'approve', inputs: {} });
  world.supervisor.refusal = { code: 'nothing_to_do', error: 'there is nothing to do' };
  await dispatcher.look();
  await settled();
  expect(errors).toEqual([]);
  started();

  world.wait('w2', '/flows/w.yaml');
  world.store.addAnswer('w2', { step: 'check', kind: 'approve', inputs: {} });
  world.supervisor.refusal = { code: 'failed', error: 'its secret is gone' };
  dispatcher.end();
  const other = new Dispatcher({
    supervisor: world.supervisor,
    queries: world.queries,
    maxActiveRuns: () => 5,
    onError: (error) => errors.push(error),
  });
  world.supervisor.finish('w1', 'succeeded');
  await other.look();
  await settled();
  await other.look();
  expect(errors).toEqual([new Error('run w2 could not go on: its secret is gone')]);
  other.end();
});

it('tries a run again whose process died, after pauses, and gives up in the end', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  world.queue('a1', '/flows/a.yaml');
  const died = { died: true, error: "the run's process ended" };
  for (let tries = 1; tries <= 6; tries += 1) {
    world.supervisor.refusal = died;
    if (tries === 1) await dispatcher.look();
    else await vi.advanceTimersByTimeAsync(1000 * 2 ** (tries - 2));
    await settled();
    expect(started()).toEqual(['queued a1']);
    await dispatcher.look();
    expect(started()).toEqual([]);
  }
  expect(world.store.getRun('a1')?.run).toMatchObject({ status: 'failed', error: died.error });
  vi.useRealTimers();
});

it('looks only where the store changed', async () => {
  await dispatcher.lookIfChanged();
  await dispatcher.lookIfChanged();
  dispatcher.end();
  world.queue('a1', '/flows/a.yaml');
  await dispatcher.look();
  expect(started()).toEqual([]);
});
