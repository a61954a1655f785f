import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RunTest, statuses, stepOf } from './run-testing.ts';

let test: RunTest;
beforeEach(() => {
  test = new RunTest();
});
afterEach(() => test.close());

const note = (text: string) => `echo ${text} >> ${test.path('ran')}`;
const ran = () => test.lines('ran');
const poll = { timeout: 10_000 };

describe('a request to stop in the store', () => {
  it('ends the run in order', async () => {
    const going = test.start(
      `steps: [{id: a, run: "${note('a')}; sleep 600"}]\nhandler_on: {abort: {run: "${note('abort')}"}, exit: {run: "${note('exit')}"}}\n`,
    );
    await expect.poll(ran, poll).toEqual(['a']);
    test.store((store) => store.requestStop('r1', 'stopped with dagu stop'));
    const detail = await going;
    expect(detail.run).toMatchObject({ status: 'aborted', error: 'stopped with dagu stop' });
    expect(ran()).toEqual(['a', 'abort', 'exit']);
    // It is done with: a retry is not stopped by it.
    expect(test.store((store) => store.stopRequest('r1'))).toBeUndefined();
  });

  it('ends a run under another alone', async () => {
    const going = test.start(`
steps:
  - {id: call, action: dag.run, with: {dag: child}, continue_on: failed}
  - {id: after, depends: call, run: "${note('after')}"}
---
name: child
steps: [{id: a, run: "${note('a')}; sleep 600"}]
`);
    await expect.poll(ran, poll).toEqual(['a']);
    test.store((store) => store.requestStop(test.child('call').runId, 'this one is not needed'));
    const detail = await going;
    expect(detail.run.status).toBe('partially_succeeded');
    expect(stepOf(detail, 'call').error).toContain('workflow "child" was aborted: this one is not needed');
    expect(ran()).toEqual(['a', 'after']);
  });

  it('ends the wait before the first step', async () => {
    const going = test.start(
      `delay_sec: 600\nsteps: [{id: a, run: "${note('a')}"}]\nhandler_on: {init: {run: "${note('init')}"}}\n`,
    );
    await expect.poll(ran, poll).toEqual(['init']);
    test.store((store) => store.requestStop('r1', 'no'));
    const detail = await going;
    expect(detail.run.status).toBe('aborted');
    expect(statuses(detail)).toMatchObject({ a: 'aborted' });
    expect(ran()).toEqual(['init']);
  });
});
