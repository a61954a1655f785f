import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Answer } from './decisions.ts';
import type { Store } from './store.ts';
import { at, later, TestStore } from './testing.ts';

let test: TestStore;
let store: Store;

beforeEach(() => {
  test = new TestStore();
  store = test.store;
  test.waiting('one');
});
afterEach(() => test.close());

const approve: Answer = { step: 'read', kind: 'approve', inputs: { AMOUNT: '12' }, reason: 'fine' };
const code = (code: string) => expect.objectContaining({ code });

describe('an answer', () => {
  it('is kept for the process that goes on, and given once', () => {
    store.addAnswer('one', approve);
    test.seen((other) => {
      expect(other.openAnswers('one')).toEqual([approve]);
      expect(other.resumeRun('one', later(5))).toEqual([approve]);
    });
    expect(store.openAnswers('one')).toEqual([]);
    expect(() => store.resumeRun('one', at)).toThrow(code('nothing_to_do'));
    test.hold('one');
    expect(store.getRun('one')?.run).toMatchObject({ status: 'running', startedAt: at });
  });

  it('is refused where the step does not wait, or has one', () => {
    expect(() => store.addAnswer('one', { ...approve, step: 'post' })).toThrow(code('not_waiting'));
    expect(() => store.addAnswer('one', { ...approve, step: 'nope' })).toThrow(code('not_waiting'));
    expect(() => store.addAnswer('nope', approve)).toThrow(code('not_found'));
    store.addAnswer('one', approve);
    expect(() => test.seen((other) => other.addAnswer('one', { ...approve, kind: 'reject' }))).toThrow(
      'it has its answer, which the run has yet to take up',
    );
    store.finishRun('one', 'failed', at);
    expect(() => store.addAnswer('one', approve)).toThrow('the run is at its end (failed)');
  });

  it('of a run that has none leaves it waiting', () => {
    expect(() => store.resumeRun('one', at)).toThrow(code('nothing_to_do'));
    expect(() => store.resumeRun('nope', at)).toThrow(code('not_found'));
    expect(store.getRun('one')?.run.status).toBe('waiting');
  });

  it('is there again where the process died that took it and did nothing yet', () => {
    store.addAnswer('one', approve);
    store.resumeRun('one', at);
    expect(test.seen((other) => other.getRun('one'))?.run.status).toBe('waiting');
    expect(store.resumeRun('one', at)).toEqual([approve]);
  });

  it('to a run under another one makes that one go on', () => {
    test.create('child', { parent: { runId: 'one', step: 'post', item: 'a' } });
    store.startRun('child', at);
    store.changeSteps('child', [{ step: 'read', change: { status: 'waiting' } }]);
    store.waitRun('child');
    expect(store.isAsked('one')).toBe(false);
    store.addAnswer('child', approve);
    expect(store.isAsked('one')).toBe(true);
    test.hold('one');
    expect(store.resumeRun('one', at)).toEqual([]);
    expect(store.resumeRun('child', at)).toEqual([approve]);
  });

  it('that was dealt with is not there again', () => {
    store.addAnswer('one', { ...approve, kind: 'push_back' });
    store.resumeRun('one', at);
    store.resetSteps('one', ['read']);
    store.changeSteps('one', [{ step: 'read', change: { status: 'running' } }]);
    store.changeSteps('one', [{ step: 'read', change: { status: 'waiting' } }]);
    // The process died before it could say that the run waits.
    expect(store.getRun('one')?.run.status).toBe('failed');
    expect(store.openAnswers('one')).toEqual([]);
  });
});

describe('a request to stop a run', () => {
  it('is seen by its process, and its first reason stays', () => {
    expect(test.seen((other) => other.requestStop('one', 'enough'))).toBe(true);
    expect(store.requestStop('one', 'really')).toBe(true);
    expect(store.stopRequest('one')).toBe('enough');
    expect(store.resumeRun('one', at)).toEqual([]);
    expect(store.stopRequest('one')).toBe('enough');
  });

  it('is over with the run, and comes to none that ended', () => {
    store.requestStop('one', 'enough');
    store.finishRun('one', 'aborted', at, 'enough');
    expect(store.stopRequest('one')).toBeUndefined();
    expect(store.requestStop('one', 'again')).toBe(false);
    expect(store.requestStop('nope', 'x')).toBe(false);
    expect(store.stopRequest('one')).toBeUndefined();
  });

  it('takes up a queued run', () => {
    test.create('two', { status: 'queued' }, []);
    expect(() => store.resumeRun('two', at)).toThrow(code('nothing_to_do'));
    store.requestStop('two', 'no need');
    expect(store.resumeRun('two', at)).toEqual([]);
  });
});

describe('a question', () => {
  it('is open until it has an answer', () => {
    store.saveAsk('one', { step: 'post', id: 'q1', state: 'pending', ask: { prompt: 'Which?' } });
    store.saveAsk('one', { step: 'post', id: 'q2', state: 'pending', ask: null });
    test.seen((other) =>
      expect(other.openAsks('one')).toEqual([
        { step: 'post', id: 'q1', state: 'pending', ask: { prompt: 'Which?' } },
        { step: 'post', id: 'q2', state: 'pending', ask: null },
      ]),
    );
    store.saveAsk('one', { step: 'post', id: 'q1', state: 'answered', ask: { prompt: 'Which?' } });
    expect(store.openAsks('one').map(({ id }) => id)).toEqual(['q2']);
  });
});
