import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RunTest, statuses } from './run-testing.ts';

let test: RunTest;
beforeEach(() => {
  test = new RunTest();
});
afterEach(() => test.close());

/** Handlers that write their name and what they are told into a file. */
const handlers = (names: string[]) =>
  `handler_on:\n${names.map((name) => `  ${name}: {run: "echo ${name} $DAG_RUN_STATUS >> ${test.path('told')}"}\n`).join('')}`;
const all = () => handlers(['init', 'success', 'failure', 'abort', 'exit', 'wait']);
const told = () => test.lines('told');

describe('the handlers of a run', () => {
  it('are init before the first step, the one of its end, and exit last', async () => {
    const detail = await test.start(`steps: [{id: a, run: "echo a >> ${test.path('told')}"}]\n${all()}`);
    expect(detail.run.status).toBe('succeeded');
    expect(told()).toEqual(['init running', 'a', 'success succeeded', 'exit succeeded']);
  });

  it('are failure and exit after a failure, also one of init', async () => {
    const detail = await test.start(`steps: [{id: a, run: exit 1}]\n${all()}`);
    expect(detail.run.status).toBe('failed');
    expect(told()).toEqual(['init running', 'failure failed', 'exit failed']);
    const broken = await test.start(
      `steps: [{id: a, run: "true"}]\n${handlers(['failure', 'exit'])}  init: {run: exit 2}\n`,
      { runId: 'r2' },
    );
    expect(broken.run).toMatchObject({
      status: 'failed',
      error: 'handler init failed: the command ended with exit code 2',
    });
    expect(statuses(broken)).toMatchObject({ a: 'not_started', 'handler init': 'failed', 'handler exit': 'succeeded' });
  });

  it('fail the run that had succeeded but for them', async () => {
    const detail = await test.start(
      `steps: [{id: a, run: "true"}]\nhandler_on: {success: {run: exit 4}, exit: {run: "echo exit >> ${test.path('told')}"}}\n`,
    );
    expect(detail.run).toMatchObject({
      status: 'failed',
      error: 'handler success failed: the command ended with exit code 4',
    });
    expect(told()).toEqual(['exit']);
  });

  it('see what the steps published', async () => {
    await test.start(
      `steps: [{id: a, run: echo 42, output: ANSWER}]\nhandler_on: {exit: {run: "echo $ANSWER >> ${test.path('told')}"}}\n`,
    );
    expect(told()).toEqual(['42']);
  });

  it('run when a secret is missing', async () => {
    const detail = await test.start(
      `secrets: [{name: KEY, provider: env, key: NOT_SET_ANYWHERE}]\nsteps: [{id: a, run: "true"}]\n${all()}`,
    );
    expect(detail.run).toMatchObject({ status: 'failed', error: expect.stringContaining('NOT_SET_ANYWHERE') });
    expect(told()).toEqual(['failure failed', 'exit failed']);
  });
});

describe('preconditions of a run', () => {
  it('abort it before its init handler when they are not met', async () => {
    const detail = await test.start(
      `preconditions: [{condition: test -e ${test.path('ready')}}]\nsteps: [{id: a, run: "true"}]\n${all()}`,
    );
    expect(detail.run).toMatchObject({
      status: 'aborted',
      error: `the precondition "test -e ${test.path('ready')}" ended with exit code 1`,
    });
    expect(told()).toEqual(['abort aborted', 'exit aborted']);
    expect(statuses(detail)).toMatchObject({ a: 'not_started', 'handler init': 'not_started' });
  });

  it('let it run when they are met, with its parameters as data', async () => {
    const detail = await test.start(
      `params: {MODE: "x"}\npreconditions:\n  - {condition: "\${params.MODE}", expected: "a b"}\n  - test "\${params.MODE}" = "a b"\nsteps: [{id: a, run: "true"}]\n`,
      { params: ['MODE=a b'] },
    );
    expect(detail.run.status).toBe('succeeded');
  });

  it('fail it when they cannot be looked at', async () => {
    const detail = await test.start(
      `working_dir: nowhere\npreconditions: ["true"]\nsteps: [{id: a, run: "true"}]\n${all()}`,
    );
    expect(detail.run).toMatchObject({ status: 'failed', error: expect.stringContaining('the working directory') });
    expect(detail.steps[0]?.status).toBe('not_started');
  });
});

describe('the time of a run', () => {
  it('begins with its delay', async () => {
    const before = Date.now();
    const detail = await test.start('delay_sec: 1\nsteps: [{id: a, run: "true"}]\n');
    expect(detail.run.status).toBe('succeeded');
    expect(Date.parse(detail.steps[0]?.startedAt as string) - before).toBeGreaterThanOrEqual(1000);
  });

  it('ends it as failed when it is up', async () => {
    const detail = await test.start(
      `timeout_sec: 1\nsteps: [{id: a, run: sleep 600}, {id: b, depends: a, run: "true"}]\n${all()}`,
    );
    expect(detail.run).toMatchObject({
      status: 'failed',
      error: 'the run did not finish within its timeout_sec of 1 s',
    });
    expect(statuses(detail)).toMatchObject({ a: 'aborted', b: 'aborted' });
    expect(told()).toEqual(['init running', 'failure failed', 'exit failed']);
  });
});

describe('the steps of a run', () => {
  it('are as many at once as may be', async () => {
    const step = (id: string) =>
      `  - {id: ${id}, run: "echo + >> ${test.path('n')}; sleep 0.2; echo - >> ${test.path('n')}"}\n`;
    await test.start(`max_active_steps: 2\nsteps:\n${['a', 'b', 'c', 'd', 'e'].map(step).join('')}`);
    let active = 0;
    let most = 0;
    for (const line of test.lines('n')) {
      active += line === '+' ? 1 : -1;
      most = Math.max(most, active);
    }
    expect([most, active]).toEqual([2, 0]);
  });

  it('succeed in part when a failure or a part is let pass', async () => {
    const detail = await test.start(`
steps:
  - {id: a, run: exit 1, continue_on: failed}
  - {id: b, run: exit 1, continue_on: {exit_code: [1], mark_success: true}}
  - {id: c, depends: [a, b], run: "true"}
`);
    expect(detail.run.status).toBe('partially_succeeded');
    expect(statuses(detail)).toEqual({ a: 'failed', b: 'succeeded', c: 'succeeded' });
  });

  it('are skipped behind a skipped one, which is no failure', async () => {
    const detail = await test.start(`
steps:
  - {id: a, run: "true", preconditions: ["false"]}
  - {id: b, depends: a, run: "true"}
  - {id: c, run: "true"}
`);
    expect(detail.run.status).toBe('succeeded');
    expect(statuses(detail)).toEqual({ a: 'skipped', b: 'skipped', c: 'succeeded' });
  });

  it('know their run', async () => {
    const detail = await test.start(
      `steps: [{id: a, run: 'echo "\${run.id} \${attempt.id} \${trigger.type} \${dag.name} \${context.paths.log_file}" "$DAG_RUN_LOG_FILE"'}]\n`,
      { trigger: 'tray' },
    );
    const log = `${detail.run.logDir}/run.log`;
    expect(test.printed('a', detail)).toBe(`r1 r1-1 manual flow ${log} ${log}\n`);
  });
});

it('tells once that there are no workers', async () => {
  await test.start('worker_selector: {gpu: "yes"}\nsteps: [{id: a, run: "true"}, {id: b, run: "true"}]\n');
  const log = test.log();
  expect(log.match(/worker_selector/g)).toHaveLength(1);
  expect(log).toContain('step "a" succeeded');
});
