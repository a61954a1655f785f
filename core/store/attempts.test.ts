import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { TimelineEvent } from '../contract/run.ts';
import type { Store } from './store.ts';
import { at, later, TestStore } from './testing.ts';

let test: TestStore;
let store: Store;

beforeEach(() => {
  test = new TestStore();
  store = test.store;
});
afterEach(() => test.close());

function event(step: string, content: string): TimelineEvent {
  return { sequence: 1, id: 'computer-1-1', step, type: 'tool', timestamp: at, status: 'completed', content };
}

/** A run whose first step succeeded and whose second one failed. */
function failed(): void {
  test.hold('one');
  test.create('one');
  store.startRun('one', at);
  store.changeSteps('one', [{ step: 'read', change: { status: 'succeeded', outputs: { total: 3 }, exitCode: 0 } }]);
  store.changeSteps('one', [{ step: 'post', change: { status: 'failed', error: 'no window', outputs: { half: 1 } } }]);
  store.addEvent('one', event('read', 'read, first'));
  store.addEvent('one', event('post', 'post, first'));
  store.finishRun('one', 'failed', later(10), 'step "post" failed');
}

describe('a new attempt at a run', () => {
  it('keeps the steps that succeeded, with their outputs, and begins the others anew', () => {
    failed();
    expect(store.newAttempt('one', { trigger: 'retry', at: later(20), keep: ['read'] })).toBe(2);
    const detail = test.seen((other) => other.getRun('one'));
    expect(detail?.run).toMatchObject({ attempt: 2, status: 'not_started', trigger: 'retry', createdAt: at });
    expect(detail?.run).not.toHaveProperty('startedAt');
    expect(detail?.run).not.toHaveProperty('error');
    expect(detail?.steps).toEqual([
      { step: 'read', action: 'run', status: 'succeeded', outputs: { total: 3 }, exitCode: 0 },
      { step: 'post', action: 'computer.run', status: 'not_started', outputs: {} },
    ]);
  });

  it('leaves the attempt before as it was', () => {
    failed();
    const before = store.getRun('one');
    store.newAttempt('one', { trigger: 'retry', at: later(20), keep: ['read'] });
    store.startRun('one', later(20));
    store.changeSteps('one', [{ step: 'post', change: { status: 'succeeded' } }]);
    store.addEvent('one', event('post', 'post, second'));
    store.finishRun('one', 'succeeded', later(30));
    expect(store.getRun('one', { attempt: 1 })).toEqual(before);
    expect(store.getRun('one', { attempt: 2 })).toEqual(store.getRun('one'));
    expect(store.getRun('one', { attempt: 3 })).toBeUndefined();
    expect(store.attempts('one')).toEqual([
      {
        attempt: 1,
        status: 'failed',
        trigger: 'manual',
        startedAt: at,
        finishedAt: later(10),
        error: 'step "post" failed',
      },
      { attempt: 2, status: 'succeeded', trigger: 'retry', startedAt: later(20), finishedAt: later(30) },
    ]);
  });

  it('shows the events of the steps as they stand in it, and counts its own', () => {
    failed();
    store.newAttempt('one', { trigger: 'retry', at: later(20), keep: ['read'] });
    store.addEvent('one', event('post', 'post, second'));
    const contents = (attempt: number) => store.getRun('one', { attempt })?.events.map(({ content }) => content);
    expect(contents(2)).toEqual(['read, first', 'post, second']);
    expect(contents(1)).toEqual(['read, first', 'post, first']);
    expect(store.stateOf('one')?.sequences).toEqual(new Map([['post', 1]]));
    // What was kept twice still shows where it came from.
    store.finishRun('one', 'failed', later(30));
    store.newAttempt('one', { trigger: 'retry', at: later(40), keep: ['read', 'post'] });
    expect(contents(3)).toEqual(['read, first', 'post, second']);
  });

  it('is refused while the run is not at its end', () => {
    test.create('one');
    const retry = () => store.newAttempt('one', { trigger: 'retry', at, keep: [] });
    expect(retry).toThrow(expect.objectContaining({ code: 'not_ended' }));
    store.startRun('one', at);
    expect(retry).toThrow('run one is not at its end (it is running)');
    expect(() => store.newAttempt('nope', { trigger: 'retry', at, keep: [] })).toThrow('no run with the id nope');
  });

  it('is not begun at all where a step to keep is not there', () => {
    failed();
    expect(() => store.newAttempt('one', { trigger: 'retry', at, keep: ['read', 'nope'] })).toThrow('no step "nope"');
    expect(store.attempts('one')).toHaveLength(1);
  });

  it('forgets what the one before was asked, but for a step that waits on', () => {
    test.waiting('one');
    store.addAnswer('one', { step: 'read', kind: 'approve', inputs: {} });
    store.saveAsk('one', { step: 'post', id: 'q1', state: 'pending', ask: {} });
    store.requestStop('one', 'enough');
    store.finishRun('one', 'failed', at);
    store.newAttempt('one', { trigger: 'retry', at, keep: ['read'] });
    expect(store.openAnswers('one')).toHaveLength(1);
    expect(store.openAsks('one')).toEqual([]);
    expect(store.stopRequest('one')).toBeUndefined();
    store.finishRun('one', 'failed', at);
    store.newAttempt('one', { trigger: 'retry', at, keep: [] });
    expect(store.openAnswers('one')).toEqual([]);
  });
});

describe('runs under a run', () => {
  it('are found by their step and item, and listed in their order', () => {
    test.hold('one');
    test.create('one');
    for (const item of ['b', 'a', 'c']) test.create(`child-${item}`, { parent: { runId: 'one', step: 'read', item } });
    test.create('grandchild', { parent: { runId: 'child-a', step: 'read', item: '' } });
    test.seen((other) => {
      expect(other.findChild('one', 'read', 'a')).toMatchObject({
        runId: 'child-a',
        parent: { runId: 'one', step: 'read', item: 'a' },
      });
      expect(other.findChild('one', 'post', 'a')).toBeUndefined();
      expect(other.listChildren('one').map(({ runId }) => runId)).toEqual(['child-b', 'child-a', 'child-c']);
      expect(other.getRun('one')?.children.map(({ runId }) => runId)).toEqual(['child-b', 'child-a', 'child-c']);
      expect(other.getRun('child-a')?.children.map(({ runId }) => runId)).toEqual(['grandchild']);
    });
  });

  it('need their parent, and are one for an item', () => {
    const parent = { runId: 'one', step: 'read', item: 'a' };
    expect(() => test.create('child', { parent })).toThrow('no run with the id one');
    test.create('one');
    test.create('child', { parent });
    expect(() => test.create('other', { parent })).toThrow();
  });
});

describe('a push-back', () => {
  it('begins steps anew, counts that, and leaves what was decided', () => {
    test.hold('one');
    test.waiting('one');
    const approval = { state: 'pushed_back', input: ['NOTE'], required: [], rewindTo: 'read', inputs: { NOTE: 'x' } };
    const decided = { ...approval, state: 'pushed_back' as const };
    store.changeSteps('one', [{ step: 'read', change: { status: 'waiting', approval: decided } }]);
    store.resetSteps('one', ['read', 'post']);
    store.resetSteps('one', ['read']);
    expect(test.seen((other) => other.getRun('one')?.steps)).toEqual([
      { step: 'read', action: 'run', status: 'not_started', outputs: {}, pushBacks: 2, approval },
      { step: 'post', action: 'computer.run', status: 'not_started', outputs: {}, pushBacks: 1 },
    ]);
    expect(store.attempts('one')).toHaveLength(1);
  });
});
