import { existsSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Store } from './store.ts';
import { at, TestStore } from './testing.ts';

let test: TestStore;
let store: Store;

beforeEach(() => {
  test = new TestStore();
  store = test.store;
});
afterEach(() => test.close());

function running(runId: string, parent?: string): void {
  test.create(runId, parent === undefined ? {} : { parent: { runId: parent, step: 'post', item: runId } });
  store.startRun(runId, at);
  store.changeSteps(runId, [{ step: 'read', change: { status: 'succeeded', outputs: { total: 3 } } }]);
  store.changeSteps(runId, [{ step: 'post', change: { status: 'running', startedAt: at } }]);
}

const status = (runId: string) => store.getRun(runId)?.run.status;

describe('a run whose process is gone', () => {
  it('has failed, and keeps its finished steps', () => {
    running('dead');
    const detail = store.getRun('dead');
    expect(detail?.run).toMatchObject({ status: 'failed', error: expect.stringContaining("the run's process ended") });
    expect(detail?.steps.map(({ status }) => status)).toEqual(['succeeded', 'failed']);
    expect(detail?.steps[0]?.outputs).toEqual({ total: 3 });
    expect(existsSync(store.runLockPath('dead'))).toBe(false);
  });

  it('has failed with those under it, at any depth', () => {
    running('root');
    running('child', 'root');
    running('grandchild', 'child');
    test.ended('done', { parent: { runId: 'root', step: 'read', item: '' } });
    expect(['root', 'child', 'grandchild', 'done'].map(status)).toEqual(['failed', 'failed', 'failed', 'succeeded']);
    expect(store.getRun('grandchild')?.steps.map(({ status }) => status)).toEqual(['succeeded', 'failed']);
  });

  it('has failed in its newest attempt alone', () => {
    running('dead');
    store.finishRun('dead', 'aborted', at);
    store.newAttempt('dead', { trigger: 'retry', at, keep: ['read'] });
    store.startRun('dead', at);
    expect(store.getRun('dead')?.steps.map(({ status }) => status)).toEqual(['succeeded', 'aborted']);
    expect(store.getRun('dead', { attempt: 1 })?.steps[1]?.status).toBe('running');
    expect(store.attempts('dead').map(({ status }) => status)).toEqual(['aborted', 'failed']);
  });

  it('is not asked to stop any more', () => {
    running('dead');
    store.requestStop('dead', 'enough');
    expect(status('dead')).toBe('failed');
    expect(store.stopRequest('dead')).toBeUndefined();
  });

  it('is written so by whoever lists, too', () => {
    running('dead');
    expect(store.listRuns({ limit: 1 })[0]?.status).toBe('failed');
    expect(store.removeRuns({ workflow: 'invoices' })).toEqual(['dead']);
  });
});

describe('a run is left alone', () => {
  it('whose process holds its lock, with those under it', () => {
    test.hold('root');
    running('root');
    running('child', 'root');
    running('grandchild', 'child');
    expect(['root', 'child', 'grandchild'].map(status)).toEqual(['running', 'running', 'running']);
    test.create('late', { parent: { runId: 'root', step: 'read', item: '' } });
    expect(status('late')).toBe('not_started');
  });

  it('that waits or is queued, and has no process', () => {
    test.waiting('waits');
    test.create('queued', { status: 'queued' });
    expect(['waits', 'queued'].map(status)).toEqual(['waiting', 'queued']);
  });
});
