import { rmSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RunTest, statuses, stepOf } from './run-testing.ts';
import { maxDepth } from './sub-run.ts';

let test: RunTest;
beforeEach(() => {
  test = new RunTest();
});
afterEach(() => {
  delete process.env.RUN_TEST_SECRET;
  test.close();
});

const note = (text: string) => `echo ${text} >> ${test.path('ran')}`;
const ran = () => test.lines('ran');

/** A workflow that runs another one, with what that is. */
const calling = (child: string, params = '{}', more = '') => `
steps:
  - {id: call, action: dag.run, with: {dag: child, params: ${params}}, output: CALL}
  - {id: after, depends: call, run: "${note('after $CALL')}"}
${more}
---
name: child
${child}`;

describe('dag.run', () => {
  it('runs a workflow of the file under the step, whose outputs become the step’s', async () => {
    const detail = await test.start(`
steps:
  - {id: call, action: dag.run, with: {dag: child, params: {CITY: "a 'b' $(c)"}}}
  - {id: after, depends: call, run: 'echo "\${steps.call.outputs.GREETING}" >> ${test.path('ran')}'}
---
name: child
params: {CITY: x}
steps:
  - {id: hello, run: 'echo "Hello $CITY"', output: GREETING}
`);
    expect(detail.run.status).toBe('succeeded');
    expect(ran()).toEqual(["Hello a 'b' $(c)"]);
    const child = test.child('call');
    expect(child).toMatchObject({
      name: 'child',
      trigger: 'subdag',
      status: 'succeeded',
      params: { CITY: "a 'b' $(c)" },
    });
    expect(detail.children.map(({ runId }) => runId)).toEqual([child.runId]);
    expect(stepOf(detail, 'call').outputs).toEqual({ GREETING: "Hello a 'b' $(c)" });
    expect(test.printed('hello', test.look(child.runId))).toBe("Hello a 'b' $(c)\n");
    expect(child.logDir.startsWith(detail.run.logDir.replace(/logs$/, 'runs'))).toBe(true);
    expect(test.changed).toContain(child.runId);
    // The list of runs has those of their own alone.
    expect(test.store((store) => store.listRuns({ limit: 9 }))).toHaveLength(1);
  });

  it('takes parameters as a list and as a text, each value as data', async () => {
    const child = `params: {A: x, B: y}\nsteps: [{id: a, run: 'printf "%s|%s\\n" "$A" "$B" >> ${test.path('ran')}'}]\n`;
    await test.start(calling(child, '["A=1 2", "B=$(touch x)"]'));
    await test.start(calling(child, `"A='1 2' B=three"`), { runId: 'r2' });
    expect(ran().filter((line) => line.includes('|'))).toEqual(['1 2|$(touch x)', '1 2|three']);
  });

  it('prints one line of JSON about the run', async () => {
    await test.start(calling('steps: [{id: a, run: echo 5, output: N}]\n'));
    expect(JSON.parse(test.printed('call'))).toEqual({
      name: 'child',
      runId: test.child('call').runId,
      status: 'succeeded',
      outputs: { N: '5' },
    });
    expect(ran()[0]).toContain('"outputs":{"N":"5"}');
  });

  it('finds workflows beside the file, and in the folder of workflows', async () => {
    test.write('beside.yaml', `steps: [{id: a, run: "${note('beside')}"}]\n`);
    test.write('other.yml', `steps: [{id: a, run: "${note('other')}"}]\n`);
    process.env.DAGU_DESKTOP_WORKFLOWS = test.folder;
    const path = test.write('home/../beside2.yaml', '').replace('beside2.yaml', 'beside.yaml');
    expect(path).toContain('beside.yaml');
    const detail = await test.start(`
steps:
  - {id: a, action: dag.run, with: {dag: beside}}
  - {id: b, action: dag.run, with: {dag: other.yml}}
  - {id: c, action: dag.run, with: {dag: none}, continue_on: failed}
`);
    delete process.env.DAGU_DESKTOP_WORKFLOWS;
    expect(ran().sort()).toEqual(['beside', 'other']);
    expect(stepOf(detail, 'c').error).toContain('there is no workflow "none"');
  });

  it('fails with the run under it, and on retry runs there what had not succeeded', async () => {
    test.write('broken', '');
    const text = calling(
      `steps: [{id: a, run: "${note('a')}", output: OUT}, {id: b, depends: a, run: "${note('b')}; test ! -e ${test.path('broken')}"}]\n`,
    );
    const first = await test.start(text);
    const child = test.child('call');
    expect(stepOf(first, 'call').error).toBe(
      `workflow "child" failed: step "b" failed: the command ended with exit code 1 (run ${child.runId})`,
    );
    rmSync(test.path('broken'));
    const second = await test.retry();
    expect(second.run.status).toBe('succeeded');
    expect(ran().slice(0, 3)).toEqual(['a', 'b', 'b']);
    expect(test.child('call')).toMatchObject({ runId: child.runId, attempt: 2, status: 'succeeded' });
  });

  it('begins the run under it anew when the step is to begin anew', async () => {
    const text = calling(`steps: [{id: a, run: "${note('a')}"}]\n`);
    await test.start(text);
    await test.retry({ fromStep: 'call' });
    expect(ran().filter((line) => line === 'a')).toHaveLength(2);
    await test.retry({ fromStep: 'after' });
    expect(ran().filter((line) => line === 'a')).toHaveLength(2);
  });

  it('gives the run that begins anew its parameters of now', async () => {
    await test.start(`
steps:
  - {id: count, run: "${note('count')}; grep -c count ${test.path('ran')}", output: N}
  - {id: call, depends: count, action: dag.run, with: {dag: child, params: {N: "\${steps.count.outputs.N}"}}}
---
name: child
params: {N: none}
steps: [{id: a, run: "${note('a$N')}"}]
`);
    await test.retry({ fromStep: 'count' });
    expect(ran()).toEqual(['count', 'a1', 'count', 'a2']);
    expect(test.child('call')).toMatchObject({ params: { N: '2' }, attempt: 2, status: 'succeeded' });
  });

  it('tells when workflows run themselves without an end', async () => {
    const detail = await test.start(
      'steps: [{id: call, action: dag.run, with: {dag: child}}]\n---\nname: child\nsteps: [{id: again, action: dag.run, with: {dag: child}}]\n',
    );
    expect(detail.run.status).toBe('failed');
    expect(stepOf(detail, 'call').error).toContain(`there may be ${maxDepth}: does a workflow run itself?`);
    expect(test.store((store) => store.listRuns({ limit: 99, children: true }))).toHaveLength(maxDepth);
  });

  it('is aborted, with its handlers, when the run above is stopped', async () => {
    const stop = new AbortController();
    const going = test.start(
      calling(`steps: [{id: a, run: "${note('a')}; sleep 600"}]\nhandler_on: {abort: {run: "${note('abort')}"}}\n`),
      { signal: stop.signal },
    );
    await expect.poll(ran, { timeout: 10_000 }).toEqual(['a']);
    stop.abort(new Error('stopped by you'));
    const detail = await going;
    expect(detail.run).toMatchObject({ status: 'aborted', error: 'stopped by you' });
    expect(statuses(detail)).toEqual({ call: 'aborted', after: 'aborted' });
    expect(test.child('call')).toMatchObject({ status: 'aborted', error: 'stopped by you' });
    expect(ran()).toEqual(['a', 'abort']);
  });

  it('masks the secrets of the run under it in what is kept above, and has them again on retry', async () => {
    process.env.RUN_TEST_SECRET = 'open-sesame';
    test.write('broken', '');
    const text = `
steps:
  - {id: call, action: dag.run, with: {dag: child}}
  - {id: after, depends: call, run: 'test "\${steps.call.outputs.OUT}" = "<$RUN_TEST_SECRET>" && test ! -e ${test.path('broken')}'}
---
name: child
secrets: [{name: KEY, provider: env, key: RUN_TEST_SECRET}]
steps: [{id: a, run: 'echo "<$KEY>"', output: OUT}]
`;
    const first = await test.start(text);
    expect(stepOf(first, 'call').outputs).toEqual({ OUT: '<*******>' });
    expect(test.printed('call', first)).not.toContain('open-sesame');
    rmSync(test.path('broken'));
    expect((await test.retry()).run.status).toBe('succeeded');
  });

  it('masks the secrets of the run above in the run under it, and has them again there on retry', async () => {
    process.env.RUN_TEST_SECRET = 'open-sesame';
    test.write('broken', '');
    const detail = await test.start(`
secrets: [{name: KEY, provider: env, key: RUN_TEST_SECRET}]
steps: [{id: call, action: dag.run, with: {dag: child, params: {P: "<$KEY>"}}}]
---
name: child
params: {P: none}
steps:
  - {id: a, run: 'echo "$P"', output: OUT}
  - {id: b, depends: a, run: 'test "$OUT" = "<$RUN_TEST_SECRET>" && test ! -e ${test.path('broken')}'}
`);
    expect(detail.run.status).toBe('failed');
    const child = test.child('call');
    expect(child.params).toEqual({ P: '<*******>' });
    expect(test.printed('a', test.look(child.runId))).toBe('<*******>\n');
    expect(JSON.stringify(test.store((store) => store.stateOf(child.runId)))).not.toContain('open-sesame');
    rmSync(test.path('broken'));
    expect((await test.retry()).run.status).toBe('succeeded');
  });

  it('succeeds in part with the run under it', async () => {
    const detail = await test.start(calling('steps: [{id: a, run: exit 1, continue_on: failed}]\n'));
    expect(statuses(detail)).toEqual({ call: 'partially_succeeded', after: 'succeeded' });
    expect(detail.run.status).toBe('partially_succeeded');
  });

  it('runs again each time that it is a handler which is due', async () => {
    test.write('broken', '');
    const text = `
steps: [{id: a, run: "test ! -e ${test.path('broken')}"}]
handler_on: {exit: {action: dag.run, with: {dag: child}}}
---
name: child
steps: [{id: told, run: "${note('told')}"}]
`;
    expect((await test.start(text)).run.status).toBe('failed');
    rmSync(test.path('broken'));
    expect((await test.retry()).run.status).toBe('succeeded');
    expect(ran()).toEqual(['told', 'told']);
  });

  it('goes again by its own retry policy', async () => {
    const detail = await test.start(`
steps: [{id: call, action: dag.run, with: {dag: child}, retry_policy: {limit: 2, interval_sec: 0}}]
---
name: child
steps: [{id: a, run: "${note('a')}"}, {id: b, depends: a, run: "${note('b')}; test \\"$(grep -c b ${test.path('ran')})\\" -ge 3"}]
`);
    expect(detail.run.status).toBe('succeeded');
    expect(ran()).toEqual(['a', 'b', 'b', 'b']);
  });
});

describe('a run under another that waits', () => {
  const waiting = () =>
    calling(
      `steps: [{id: draft, run: "${note('draft')}; echo text", output: TEXT, approval: {input: [BY]}}, {id: send, depends: draft, run: "${note('send $BY')}"}]\n`,
      '{}',
      `  - {id: other, run: "${note('other')}", preconditions: ["test ! -e ${test.path('nothing')}"]}\nhandler_on: {wait: {run: "${note('wait $DAG_WAITING_STEPS')}"}}`,
    );

  it('makes the step and the run above wait, and all go on by one answer', async () => {
    const detail = await test.start(waiting());
    expect(detail.run.status).toBe('waiting');
    expect(statuses(detail)).toMatchObject({ call: 'waiting', after: 'not_started', other: 'succeeded' });
    const child = test.child('call');
    expect(child.status).toBe('waiting');
    rmSync(test.path('ran'));

    test.store((store) => store.addAnswer(child.runId, { step: 'draft', kind: 'approve', inputs: { BY: 'me' } }));
    // Whoever goes on with it may name either.
    expect((await test.execute({ mode: 'resume', runId: child.runId })).status).toBe('succeeded');
    expect(test.look().run.status).toBe('succeeded');
    expect(test.child('call').status).toBe('succeeded');
    expect(ran()[0]).toBe('send me');
    expect(ran()[1]).toContain('after {');
    expect(ran()).toHaveLength(2);
  });

  it('ends with the run above when that is stopped', async () => {
    await test.start(waiting());
    test.store((store) => store.requestStop('r1', 'enough'));
    expect((await test.execute({ mode: 'resume' })).status).toBe('aborted');
    expect(test.child('call')).toMatchObject({ status: 'aborted' });
    expect(statuses(test.look(test.child('call').runId))).toEqual({ draft: 'aborted', send: 'aborted' });
  });

  it('fails the step when it is rejected', async () => {
    await test.start(waiting());
    const child = test.child('call').runId;
    test.store((store) => store.addAnswer(child, { step: 'draft', kind: 'reject', inputs: {}, reason: 'no' }));
    expect((await test.execute({ mode: 'resume' })).status).toBe('failed');
    expect(stepOf(test.look(), 'call').error).toContain('workflow "child" was rejected');
  });
});
