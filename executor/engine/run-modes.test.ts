import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { workflowContent } from '../../core/process/workflow-content.ts';
import { RunTest, statuses, stepOf } from './run-testing.ts';

let test: RunTest;
beforeEach(() => {
  test = new RunTest();
});
afterEach(() => {
  delete process.env.RUN_TEST_SECRET;
  test.close();
});

/** A command that notes its run, and fails while a file is there. */
const note = (id: string, more = '') => `echo ${id} >> ${test.path('ran')}${more}`;
const unlessBroken = () => ` && test ! -e ${test.path('broken')}`;
const ran = () => test.lines('ran');

/** A chain of which the middle fails while the file `broken` is there. */
const chain = () => `
steps:
  - {id: a, run: "${note('a')}; echo from a", output: OUT}
  - {id: b, depends: a, run: "${note('b')}; echo $OUT \${steps.a.outputs.OUT}${unlessBroken()}"}
  - {id: c, depends: b, run: "${note('c')}"}
  - {id: d, run: "${note('d')}"}
handler_on: {exit: {run: "${note('exit')}"}}
`;

describe('a retry', () => {
  it('runs what did not succeed, with the outputs of what did', async () => {
    test.write('broken', '');
    const first = await test.start(chain());
    expect(first.run.status).toBe('failed');
    expect(statuses(first)).toMatchObject({ a: 'succeeded', b: 'failed', c: 'aborted', d: 'succeeded' });
    rmSync(test.path('broken'));
    rmSync(test.path('ran'));

    const second = await test.retry();
    expect(second.run).toMatchObject({ status: 'succeeded', attempt: 2, trigger: 'retry' });
    expect(statuses(second)).toMatchObject({ a: 'succeeded', b: 'succeeded', c: 'succeeded', d: 'succeeded' });
    expect(ran()).toEqual(['b', 'c', 'exit']);
    expect(test.printed('b', second)).toMatch(/from a from a\n$/);
    expect(stepOf(second, 'a').startedAt).toBe(stepOf(first, 'a').startedAt);
    expect(test.store((store) => store.attempts('r1')).map(({ status }) => status)).toEqual(['failed', 'succeeded']);
  });

  it('begins at a step, with all behind it, whatever became of them', async () => {
    await test.start(chain());
    rmSync(test.path('ran'));
    const detail = await test.retry({ fromStep: 'b' });
    expect(detail.run.status).toBe('succeeded');
    expect(ran()).toEqual(['b', 'c', 'exit']);
    await expect(test.retry({ fromStep: 'nope' })).rejects.toMatchObject({ code: 'not_found' });
  });

  it('has nothing to do where all succeeded, and is for runs at their end', async () => {
    await test.start(chain());
    await expect(test.retry()).rejects.toMatchObject({ code: 'nothing_to_do' });
    await expect(test.retry({ runId: 'r2' })).rejects.toMatchObject({ code: 'not_found' });
    expect(test.look().run.attempt).toBe(1);
  });

  it('runs the workflow as it was, with the parameters that were given', async () => {
    test.write('broken', '');
    await test.start(
      `params: {CITY: x}\nsteps: [{id: a, run: "echo $CITY >> ${test.path('ran')}${unlessBroken()}"}]\n`,
      { params: ['CITY=Lyon'] },
    );
    rmSync(test.path('broken'));
    test.write('flow.yaml', 'steps: [{id: z, run: exit 9}]\n');
    expect((await test.retry()).run.status).toBe('succeeded');
    expect(ran()).toEqual(['Lyon', 'Lyon']);
  });

  it('has secrets in kept outputs and in parameters again, which are nowhere in its files', async () => {
    process.env.RUN_TEST_SECRET = 'open-sesame';
    test.write('broken', '');
    const text = `
secrets: [{name: KEY, provider: env, key: RUN_TEST_SECRET}]
params: {P: x}
steps:
  - {id: a, run: "echo \\"<$KEY>\\"", output: OUT}
  - {id: b, depends: a, run: "test \\"$OUT/\${params.P}\\" = \\"<$KEY>/p-$KEY\\"${unlessBroken()}"}
`;
    await test.start(text, { params: ['P=p-open-sesame'] });
    rmSync(test.path('broken'));
    const detail = await test.retry();
    expect(detail.run).toMatchObject({ status: 'succeeded', params: { P: 'p-*******' } });
    expect(stepOf(detail, 'a').outputs).toEqual({ OUT: '<*******>' });
    expect(JSON.stringify(test.store((store) => store.stateOf('r1')))).not.toContain('open-sesame');
  });

  it('goes on after a process that died', async () => {
    // As the store stands after kill -9: rows at work, and nobody who holds the lock.
    await test.start(chain());
    test.store((store) => {
      store.newAttempt('r1', { trigger: 'retry', at: new Date().toISOString(), keep: ['a'] });
      store.startRun('r1', new Date().toISOString());
      store.changeSteps('r1', [{ step: 'd', change: { status: 'running' } }]);
    });
    expect(test.look().run.status).toBe('failed');
    rmSync(test.path('ran'));
    const detail = await test.retry();
    expect(detail.run).toMatchObject({ status: 'succeeded', attempt: 3 });
    expect(ran().sort()).toEqual(['b', 'c', 'd', 'exit']);
  });
});

describe('a start', () => {
  it('is refused for content that is not the allowed one', async () => {
    const path = test.write('flow.yaml', 'dotenv: .env\nsteps: [{id: a, run: "true"}]\n');
    const { hash } = await workflowContent(path);
    expect(await test.execute({ contentHash: hash })).toEqual({ status: 'succeeded' });
    test.write('.env', 'A=1\n');
    await expect(test.execute({ runId: 'r2', contentHash: hash })).rejects.toMatchObject({ code: 'changed' });
    expect(test.store((store) => store.getRun('r2'))).toBeUndefined();
  });

  it('is refused with a code for a file that is missing or broken, and for wrong parameters', async () => {
    await expect(test.execute({ path: test.path('none.yaml') })).rejects.toMatchObject({ code: 'not_found' });
    await expect(test.execute({ path: test.write('bad.yaml', 'steps: 3\n') })).rejects.toMatchObject({
      code: 'broken',
    });
    const path = test.write('flow.yaml', 'steps: [{id: a, run: "true"}]\n');
    await expect(test.execute({ path, params: ['NOPE=1'] })).rejects.toMatchObject({ code: 'bad_params' });
  });
});

describe('a queued run', () => {
  function queue(text: string): void {
    const path = test.write('flow.yaml', text);
    const folder = join(test.home, 'runs', 'flow', 'r1');
    test.store((store) =>
      store.createRun(
        {
          runId: 'r1',
          name: 'flow',
          path,
          trigger: 'scheduler',
          scheduledAt: '2026-01-02T03:04:00.000Z',
          createdAt: new Date().toISOString(),
          params: { 1: 'Lyon' },
          logDir: join(folder, 'logs'),
          artifactsDir: join(folder, 'artifacts'),
          source: text,
          status: 'queued',
          request: {
            mode: 'queued',
            runId: 'r1',
            path,
            params: [{ value: 'Lyon' }],
            trigger: 'scheduler',
            scheduledAt: '2026-01-02T03:04:00.000Z',
            home: test.home,
          },
        },
        [],
      ),
    );
    // The run is of the text that was queued.
    test.write('flow.yaml', 'steps: [{id: z, run: exit 9}]\n');
  }
  const flow = () =>
    `params: {CITY: x}\nsteps: [{id: a, run: "echo $CITY \${run.scheduled_at} \${trigger.type} >> ${test.path('ran')}"}]\nhandler_on: {abort: {run: "${note('abort')}"}}\n`;

  it('begins with what it was queued with', async () => {
    queue(flow());
    expect(await test.execute({ mode: 'queued' })).toEqual({ status: 'succeeded' });
    expect(ran()).toEqual(['Lyon 2026-01-02T03:04:00.000Z scheduler']);
    expect(test.look().run).toMatchObject({ params: { CITY: 'Lyon' }, trigger: 'scheduler' });
    await expect(test.execute({ mode: 'queued' })).rejects.toMatchObject({ code: 'nothing_to_do' });
  });

  it('that is stopped runs its abort handler alone', async () => {
    queue(flow());
    test.store((store) => store.requestStop('r1', 'not needed'));
    expect(await test.execute({ mode: 'resume' })).toEqual({ status: 'aborted', error: 'not needed' });
    expect(ran()).toEqual(['abort']);
    expect(statuses(test.look())).toMatchObject({ a: 'aborted', 'handler abort': 'succeeded' });
  });
});
