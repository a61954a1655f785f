import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { groupLives } from './process-group.ts';
import { RunTest, type RunTestOptions, statuses } from './run-testing.ts';

let test: RunTest;
let folder: string;
beforeEach(() => {
  test = new RunTest();
  folder = test.folder;
});
afterEach(() => test.close());

const run = (text: string, options?: RunTestOptions) => test.start(text, options);
const printed = (...[detail, step]: [Parameters<typeof statuses>[0], string]) => test.printed(step, detail);

describe('a run', () => {
  it('passes params, env and outputs to its steps, in the order of the graph', async () => {
    const detail = await run(
      `
params: {CITY: Paris, NIGHTS: 2}
env: [{GREETING: "Hello \${params.CITY}"}, "TWICE=$GREETING $GREETING"]
steps:
  - id: last
    depends: [json, text]
    run: echo "\${steps.text.outputs.OUT} \${steps.json.outputs.n} $OUT"
  - id: text
    run: echo "  $TWICE for $NIGHTS nights  "
    output: OUT
  - id: json
    run: echo '{"n":3,"list":[1],"hidden":true}'
    output_schema: {type: object, properties: {n: {type: number}, list: {type: array}}}
`,
      { params: ['NIGHTS=3'] },
    );
    expect(detail.run.status).toBe('succeeded');
    expect(printed(detail, 'last')).toBe(
      'Hello Paris Hello Paris for 3 nights 3 Hello Paris Hello Paris for 3 nights\n',
    );
    expect(detail.steps.find(({ step }) => step === 'json')?.outputs).toEqual({ n: 3, list: [1] });
    expect(detail.run.params).toEqual({ CITY: 'Paris', NIGHTS: '3' });
  });

  it('runs independent steps at the same time', async () => {
    // Each waits for a file that only the other makes.
    const meet = (mine: string, other: string) =>
      `touch ${mine}; n=0; until [ -e ${other} ] || [ $n -gt 200 ]; do n=$((n+1)); sleep 0.02; done; test -e ${other}`;
    const detail = await run(
      `working_dir: .\nsteps:\n  - {id: a, run: "${meet('one', 'two')}"}\n  - {id: b, run: "${meet('two', 'one')}"}\n`,
    );
    expect(statuses(detail)).toEqual({ a: 'succeeded', b: 'succeeded' });
  });

  it('stops at a failure, says which, and runs its handlers', async () => {
    const detail = await run(`
steps:
  - {id: a, run: "echo partly; exit 3"}
  - {id: b, depends: a, run: echo never}
  - {id: c, run: echo besides}
handler_on:
  success: {run: echo success}
  failure: {run: echo failure}
  exit: {run: echo exit}
`);
    expect(detail.run).toMatchObject({
      status: 'failed',
      error: 'step "a" failed: the command ended with exit code 3',
    });
    expect(statuses(detail)).toEqual({
      a: 'failed',
      b: 'aborted',
      c: 'succeeded',
      'handler success': 'not_started',
      'handler failure': 'succeeded',
      'handler exit': 'succeeded',
    });
    expect(detail.steps[0]).toMatchObject({ exitCode: 3, error: 'the command ended with exit code 3' });
    expect(printed(detail, 'a')).toBe('partly\n');
  });

  it('goes on after a failure that the step allows', async () => {
    const detail = await run(
      'steps:\n  - {id: a, run: exit 1, continue_on: failed}\n  - {id: b, depends: a, run: "true"}\n',
    );
    expect(detail.run.status).toBe('partially_succeeded');
    expect(statuses(detail)).toEqual({ a: 'failed', b: 'succeeded' });
  });

  it('masks secrets in logs, outputs and errors, and passes their value on', async () => {
    process.env.RUN_TEST_SECRET = 'open-sesame';
    const detail = await run(`
secrets: [{name: KEY, provider: env, key: RUN_TEST_SECRET}]
steps:
  - {id: a, run: "echo key=$KEY; echo $KEY >&2", output: OUT}
  - {id: b, depends: a, run: 'test "$OUT" = "key=$KEY" && test "\${steps.a.outputs.OUT}" = "$OUT"'}
`);
    delete process.env.RUN_TEST_SECRET;
    expect(statuses(detail)).toEqual({ a: 'succeeded', b: 'succeeded' });
    expect(detail.steps[0]?.outputs).toEqual({ OUT: 'key=*******' });
    const written = readdirSync(folder, { recursive: true, withFileTypes: true }).filter(
      (entry) => entry.isFile() && entry.name !== 'flow.yaml',
    );
    expect(written.length).toBeGreaterThan(3);
    for (const entry of written) {
      const bytes = readFileSync(join(entry.parentPath ?? entry.path, entry.name));
      expect(bytes.includes('open-sesame'), entry.name).toBe(false);
    }
  });

  it('masks a secret that came as a parameter, and one that is a number', async () => {
    process.env.RUN_TEST_SECRET = '471188';
    const detail = await run(
      `
secrets: [{name: PIN, provider: env, key: RUN_TEST_SECRET}]
params: {P: none}
steps:
  - id: a
    run: printf '{"n":%s,"m":1}' "$PIN"
    output_schema: {type: object, properties: {n: {type: number}, m: {type: number}}}
  - id: b
    depends: a
    run: test "\${steps.a.outputs.n} \${params.P}" = "471188 471188"
`,
      { params: ['P=471188'] },
    );
    delete process.env.RUN_TEST_SECRET;
    expect(statuses(detail)).toEqual({ a: 'succeeded', b: 'succeeded' });
    expect(detail.run.params).toEqual({ P: '*******' });
    expect(detail.steps[0]?.outputs).toEqual({ n: '*******', m: 1 });
  });

  it('fails the step whose output no variable can hold, and no other', async () => {
    const detail = await run(`
steps:
  - {id: long, run: "head -c 200000 /dev/zero | tr '\\\\0' x", output: LONG, continue_on: failed}
  - {id: nul, run: "printf 'a\\\\000b'", output: NUL, continue_on: failed}
  - {id: after, depends: [long, nul], run: "true"}
`);
    expect(statuses(detail)).toEqual({ long: 'failed', nul: 'failed', after: 'succeeded' });
    expect(detail.steps.map(({ error }) => error)).toEqual([
      expect.stringContaining('the output LONG is longer than 128 KB'),
      expect.stringContaining('the output NUL holds a NUL character'),
      undefined,
    ]);
  });

  it('runs many steps at once without a warning', async () => {
    const warnings: Error[] = [];
    const listen = (warning: Error) => warnings.push(warning);
    process.on('warning', listen);
    const detail = await run(
      `steps:\n${Array.from({ length: 30 }, (_, at) => `  - {id: s${at}, run: sleep 0.05}\n`).join('')}`,
    );
    await new Promise((resolve) => setImmediate(resolve));
    process.off('warning', listen);
    expect(detail.run.status).toBe('succeeded');
    expect(warnings).toEqual([]);
  });

  it('fails before its steps when a secret is not there', async () => {
    const detail = await run(
      'secrets: [{name: KEY, provider: env, key: NOT_SET_ANYWHERE}]\nsteps:\n  - {id: a, run: "true"}\n',
    );
    expect(detail.run).toMatchObject({
      status: 'failed',
      error: 'secret KEY: environment variable "NOT_SET_ANYWHERE" is not set',
    });
    expect(statuses(detail)).toEqual({ a: 'not_started' });
  });

  it('ends all that a step started when it is stopped, and runs the abort handler', async () => {
    const stop = new AbortController();
    const groupFile = join(folder, 'group');
    const going = run(
      `
steps:
  - {id: a, run: "sleep 600 & echo $$ > ${groupFile}; wait"}
  - {id: b, depends: a, run: "true"}
handler_on: {abort: {run: echo abort}, success: {run: "true"}}
`,
      { signal: stop.signal },
    );
    await vi.waitFor(() => expect(readFileSync(groupFile, 'utf8')).toMatch(/^\d+\n$/), { timeout: 5000 });
    stop.abort(new Error('stopped by you'));
    const detail = await going;
    expect(detail.run).toMatchObject({ status: 'aborted', error: 'stopped by you' });
    expect(statuses(detail)).toEqual({
      a: 'aborted',
      b: 'aborted',
      'handler abort': 'succeeded',
      'handler success': 'not_started',
    });
    expect(groupLives(Number(readFileSync(groupFile, 'utf8')))).toBe(false);
  });

  it('fails a step whose time is up', async () => {
    const detail = await run('steps:\n  - {id: a, run: sleep 600, timeout_sec: 0.1}\n');
    expect(detail.steps[0]).toMatchObject({
      status: 'failed',
      error: 'the step did not finish within its timeout_sec of 0.1 s',
    });
  });

  it('fails a step with a clear reason when its folder, its shell or its answer is wrong', async () => {
    const detail = await run(`
steps:
  - {id: folder, run: "true", working_dir: nowhere}
  - {id: shell, run: "true", shell: /nowhere/zsh}
  - {id: json, run: echo no, output_schema: {type: object, properties: {n: {type: number}}}}
  - {id: shape, run: 'echo "{\\"n\\":\\"x\\"}"', output_schema: {type: object, properties: {n: {type: number}}}}
  - {id: kept, run: "sleep 600 & echo parent is done"}
`);
    const errors = Object.fromEntries(detail.steps.map(({ step, error }) => [step, error]));
    expect(errors.folder).toContain(`the working directory ${join(folder, 'nowhere')} is not there`);
    expect(errors.shell).toContain('the command could not be started');
    expect(errors.json).toBe('output_schema requires stdout to contain a JSON value matching the schema');
    expect(errors.shape).toContain('stdout JSON does not match output_schema');
    expect(errors.kept).toBeUndefined();
  });

  it("keeps what a command's children write after its end out of the next steps", async () => {
    const until = (file: string) => `until [ -e ${join(folder, file)} ]; do sleep 0.01; done`;
    const detail = await run(`
type: chain
steps:
  - {id: a, run: "(trap '' PIPE; ${until('next')}; echo late || true; touch ${join(folder, 'late')}) & echo now"}
  - {id: b, run: "echo before; touch ${join(folder, 'next')}; ${until('late')}; echo after"}
`);
    expect([printed(detail, 'a'), printed(detail, 'b')]).toEqual(['now\n', 'before\nafter\n']);
  });

  it('tells what no environment can take: a NUL character, and too long a text', async () => {
    const detail = await run(`
steps:
  - {id: nul, run: "true", env: {A: "x\\0y"}}
  - {id: long, run: "true", env: {A: ${'x'.repeat(140_000)}}}
`);
    const errors = Object.fromEntries(detail.steps.map(({ step, error }) => [step, error]));
    expect(errors.nul).toBe('the environment variable "A" holds a NUL character, which no environment can carry');
    expect(errors.long).toContain('longer than the system passes to a program');
  });

  it('refuses a second run with the id of one that is running', async () => {
    const text = 'steps:\n  - {id: a, run: sleep 0.3}\n';
    // Either may come first to the lock.
    const ends = await Promise.allSettled([run(text), run(text)]);
    expect(ends.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    const refused = ends.find((end) => end.status === 'rejected');
    expect(refused?.reason.message).toBe('there is a run with the id r1 already');
  });
});
