import { rmSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RunTest, statuses, stepOf } from './run-testing.ts';

let test: RunTest;
beforeEach(() => {
  test = new RunTest();
});
afterEach(() => test.close());

const note = (text: string) => `echo ${text} >> ${test.path('ran')}`;
const ran = () => test.lines('ran');

/** A step that is to be approved, one before it and one after it. */
const flow = (approval = '{prompt: "Total of ${steps.read.outputs.TOTAL}?", input: [NOTE, BY], required: [BY]}') => `
steps:
  - {id: read, run: "${note('read')}; echo 12", output: TOTAL}
  - id: check
    depends: read
    run: "${note('check $NOTE $DAG_PUSHBACK_ITERATION')}; echo checked"
    output: CHECKED
    approval: ${approval}
  - {id: post, depends: check, run: "${note('post $CHECKED $BY ${steps.check.outputs.BY}')}"}
  - {id: other, run: "${note('other')}"}
handler_on:
  wait: {run: "${note('wait $DAG_RUN_STATUS $DAG_WAITING_STEPS')}"}
  success: {run: "${note('success')}"}
  failure: {run: "${note('failure $DAG_RUN_STATUS')}"}
  abort: {run: "${note('abort')}"}
  exit: {run: "${note('exit')}"}
`;

describe('a step that is to be approved', () => {
  it('waits with its run, whose lock is free', async () => {
    const detail = await test.start(flow());
    expect(detail.run.status).toBe('waiting');
    expect(statuses(detail)).toMatchObject({ read: 'succeeded', check: 'waiting', post: 'not_started' });
    expect(stepOf(detail, 'check')).toMatchObject({
      outputs: { CHECKED: 'checked' },
      approval: { state: 'waiting', prompt: 'Total of 12?', input: ['NOTE', 'BY'], required: ['BY'] },
    });
    expect(ran().slice(-1)).toEqual(['wait waiting check']);
    expect(ran().sort()).toEqual(['check', 'other', 'read', 'wait waiting check']);
    // A dead run would be written to its end by this look.
    expect(test.look().run.status).toBe('waiting');
    await expect(test.execute({ mode: 'resume' })).rejects.toMatchObject({ code: 'nothing_to_do' });
  });

  it('goes on when it is approved, with what was given', async () => {
    await test.start(flow());
    rmSync(test.path('ran'));
    const detail = await test.answer({ step: 'check', kind: 'approve', inputs: { BY: 'the clerk' } });
    expect(detail.run).toMatchObject({ status: 'succeeded', attempt: 1 });
    expect(ran()).toEqual(['post checked the clerk the clerk', 'success', 'exit']);
    expect(stepOf(detail, 'check')).toMatchObject({
      status: 'succeeded',
      outputs: { CHECKED: 'checked', BY: 'the clerk' },
      approval: { state: 'approved', inputs: { BY: 'the clerk' } },
    });
    await expect(test.execute({ mode: 'resume' })).rejects.toMatchObject({ code: 'nothing_to_do' });
  });

  it('keeps what was given for a retry', async () => {
    test.write('broken', '');
    await test.start(
      flow().replace('post $CHECKED', `$(test ! -e ${test.path('broken')} && echo post || echo exit) $CHECKED`),
    );
    await test.answer({ step: 'check', kind: 'approve', inputs: { BY: 'x' } });
    rmSync(test.path('ran'));
    expect((await test.retry({ fromStep: 'post' })).run.status).toBe('succeeded');
    expect(ran()[0]).toBe('exit checked x x');
  });

  it('waits on when the answer does not fit', async () => {
    await test.start(flow());
    rmSync(test.path('ran'));
    const without = await test.answer({ step: 'check', kind: 'approve', inputs: { NOTE: 'x' } });
    expect(without.run.status).toBe('waiting');
    expect(test.log()).toContain('was not taken: it does not give "BY", which is required');
    await test.answer({ step: 'check', kind: 'approve', inputs: { BY: 'x', NOPE: 'y' } });
    expect(test.log()).toContain('was not taken: it gives "NOPE", and asked for was: NOTE, BY');
    // It began to wait once.
    expect(ran()).toEqual([]);
    expect((await test.answer({ step: 'check', kind: 'approve', inputs: { BY: 'x' } })).run.status).toBe('succeeded');
  });

  it('ends the run when it is rejected', async () => {
    await test.start(flow());
    rmSync(test.path('ran'));
    const detail = await test.answer({ step: 'check', kind: 'reject', reason: 'the total is wrong' });
    expect(detail.run).toMatchObject({
      status: 'rejected',
      error: 'step "check" was rejected by a person: the total is wrong',
    });
    expect(statuses(detail)).toMatchObject({ check: 'rejected', post: 'aborted' });
    expect(ran()).toEqual(['failure rejected', 'exit']);
    // What was rejected is done again.
    expect((await test.retry()).run.status).toBe('waiting');
    expect(ran().slice(2)).toEqual(['check', 'wait waiting check']);
  });

  it('is stopped while it waits', async () => {
    await test.start(flow());
    rmSync(test.path('ran'));
    test.store((store) => store.requestStop('r1', 'not needed any more'));
    expect(await test.execute({ mode: 'resume' })).toEqual({ status: 'aborted', error: 'not needed any more' });
    expect(ran()).toEqual(['abort', 'exit']);
    expect(statuses(test.look())).toMatchObject({ read: 'succeeded', check: 'aborted', post: 'aborted' });
  });

  it('fails when a secret is gone by the time it goes on', async () => {
    process.env.RUN_TEST_SECRET = 'open-sesame';
    await test.start(`secrets: [{name: KEY, provider: env, key: RUN_TEST_SECRET}]\n${flow('{}')}`);
    delete process.env.RUN_TEST_SECRET;
    const detail = await test.answer({ step: 'check', kind: 'approve' });
    expect(detail.run).toMatchObject({ status: 'failed', error: expect.stringContaining('RUN_TEST_SECRET') });
    expect(ran()).not.toContain('post');
  });

  it('does not wait when it failed', async () => {
    const detail = await test.start('steps: [{id: a, run: exit 3, approval: {}}]\n');
    expect(detail.run.status).toBe('failed');
  });

  it('takes up at once what was answered while the rest still ran', async () => {
    const going = test.start(`
steps:
  - {id: check, run: "true", approval: {}}
  - {id: slow, run: "until [ -e ${test.path('go')} ]; do sleep 0.02; done"}
  - {id: post, depends: check, run: "${note('post')}"}
`);
    await expect
      .poll(() => test.store((store) => store.getRun('r1')?.steps[0]?.status), { timeout: 10_000 })
      .toBe('waiting');
    test.store((store) => store.addAnswer('r1', { step: 'check', kind: 'approve', inputs: {} }));
    test.write('go', '');
    expect((await going).run.status).toBe('succeeded');
    expect(ran()).toEqual(['post']);
  });
});

describe('a push-back', () => {
  it('begins the step itself anew, with what was said', async () => {
    await test.start(flow());
    rmSync(test.path('ran'));
    const detail = await test.answer({ step: 'check', kind: 'push_back', inputs: { NOTE: 'leave out fees' } });
    expect(detail.run).toMatchObject({ status: 'waiting', attempt: 1 });
    expect(ran()).toEqual(['check leave out fees 1', 'wait waiting check']);
    expect(stepOf(detail, 'check')).toMatchObject({ status: 'waiting', pushBacks: 1, approval: { state: 'waiting' } });
    const again = await test.answer({ step: 'check', kind: 'push_back', inputs: { NOTE: 'more' } });
    expect(stepOf(again, 'check').pushBacks).toBe(2);
    expect(ran().slice(2)).toEqual(['check more 2', 'wait waiting check']);
    expect((await test.answer({ step: 'check', kind: 'approve', inputs: { BY: 'x' } })).run.status).toBe('succeeded');
  });

  it('begins at the step that the approval names, and takes all behind that one along', async () => {
    await test.start(`
steps:
  - {id: first, run: "${note('first')}"}
  - {id: draft, depends: first, env: {TIMES: "\${pushback.iteration}"}, run: "${note('draft $NOTE')}; echo draft-$TIMES", output: DRAFT}
  - {id: print, depends: draft, run: "${note('print $DRAFT')}"}
  - {id: check, depends: draft, run: "${note('check $DRAFT')}", approval: {input: [NOTE], rewind_to: draft}}
  - {id: post, depends: check, run: "${note('post')}"}
`);
    rmSync(test.path('ran'));
    const detail = await test.answer({ step: 'check', kind: 'push_back', inputs: { NOTE: 'shorter' } });
    expect(detail.run.status).toBe('waiting');
    expect(ran()[0]).toBe('draft shorter');
    expect(ran().slice(1).sort()).toEqual(['check draft-1', 'print draft-1']);
    expect(detail.steps.map(({ step, pushBacks }) => [step, pushBacks])).toEqual([
      ['first', undefined],
      ['draft', 1],
      ['print', 1],
      ['check', 1],
      ['post', undefined],
    ]);
  });
});
