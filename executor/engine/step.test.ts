import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { makeStep, TestRun, type TestRunOptions } from './testing.ts';

let folder: string;
let open: TestRun[];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'step-'));
  open = [];
});
afterEach(async () => {
  for (const run of open) await run.close();
  rmSync(folder, { recursive: true, force: true });
});

async function testRun(options: TestRunOptions = {}): Promise<TestRun> {
  const run = await TestRun.open(folder, options);
  open.push(run);
  return run;
}

/** Conditions under which dependents run, as the file has none. */
const stop = { failure: false, skipped: false, exitCodes: [], outputs: [], markSuccess: false };
const policy = { limit: 2, intervalSec: 0, backoff: 1 };

describe('retry_policy', () => {
  /** Counts its tries in a file, and fails until the given one. */
  const failsUntil = (last: number) =>
    `echo x >> ${folder}/tries; n=$(wc -l < ${folder}/tries); echo "try $n"; [ $n -ge ${last} ] || exit 7`;

  it('tries again until it succeeds, and keeps the output of each try', async () => {
    const run = await testRun();
    expect(await run.step({ run: [failsUntil(3)], retryPolicy: policy })).toEqual({ status: 'succeeded' });
    expect(run.changes.map(({ status, retries }) => [status, retries])).toEqual([
      ['running', undefined],
      ['retrying', 1],
      ['running', 1],
      ['retrying', 2],
      ['running', 2],
      ['succeeded', undefined],
    ]);
    expect(run.changes[1]).toMatchObject({ error: 'the command ended with exit code 7', exitCode: 7 });
    expect(run.stdout()).toBe('try 1\n--- try 2 of 3, after 0 s ---\ntry 2\n--- try 3 of 3, after 0 s ---\ntry 3\n');
    expect(run.stderr()).toContain('error: the command ended with exit code 7\n--- try 2 of 3');
  });

  it('fails when no try is left', async () => {
    const run = await testRun();
    expect(await run.step({ run: [failsUntil(9)], retryPolicy: policy })).toEqual({
      status: 'failed',
      error: 'the command ended with exit code 7',
    });
    expect(readFileSync(join(folder, 'tries'), 'utf8')).toBe('x\nx\nx\n');
  });

  it('tries only the exit codes again that it names', async () => {
    const run = await testRun();
    await run.step({ run: [failsUntil(9)], retryPolicy: { ...policy, exitCodes: [8] } });
    expect(readFileSync(join(folder, 'tries'), 'utf8')).toBe('x\n');
    await run.step({ run: [failsUntil(9)], retryPolicy: { ...policy, limit: 1, exitCodes: [7] } });
    expect(readFileSync(join(folder, 'tries'), 'utf8')).toBe('x\nx\nx\n');
  });

  it('stops waiting at once when the run is stopped', async () => {
    const run = await testRun();
    const controller = new AbortController();
    const end = run.step({ run: ['exit 1'], retryPolicy: { ...policy, intervalSec: 3600 } }, controller.signal);
    await vi.waitFor(() => expect(run.changes.at(-1)?.status).toBe('retrying'));
    controller.abort(new Error('stopped by you'));
    expect(await end).toEqual({ status: 'aborted', error: 'stopped by you' });
  });

  it('takes its numbers from references, and refuses what is none', async () => {
    const run = await testRun({ params: { N: '1', WRONG: 'many' } });
    const retryPolicy = { ...policy, limit: '${params.N}', intervalSec: '0' };
    await run.step({ run: [failsUntil(9)], retryPolicy });
    expect(readFileSync(join(folder, 'tries'), 'utf8')).toBe('x\nx\n');
    expect(await run.step({ retryPolicy: { ...policy, limit: '${params.WRONG}' } })).toEqual({
      status: 'failed',
      error: 'retry_policy.limit must be a whole number, 0 or more; ${params.WRONG} has the value "many"',
    });
  });

  it('ends what a failed try left running before the next one', async () => {
    const run = await testRun();
    const command = `echo $(cat ${folder}/pid 2>/dev/null) | xargs -r ps -o stat= -p > ${folder}/before || true
sleep 600 >/dev/null 2>&1 & echo $! > ${folder}/pid
test -e ${folder}/again || { touch ${folder}/again; exit 1; }`;
    await run.step({ run: [command], retryPolicy: policy });
    expect(run.last().status).toBe('succeeded');
    expect(readFileSync(join(folder, 'before'), 'utf8').replace(/^Z.*/, '').trim()).toBe('');
  });

  it('begins the captured output and an artifact anew with each try, and adds to a file', async () => {
    const run = await testRun();
    const step = { id: 'a', run: [failsUntil(2)], retryPolicy: policy };
    await run.step({ ...step, output: 'OUT', stdout: { artifact: 'a/report.txt' } });
    expect(run.last().outputs).toEqual({ OUT: 'try 2' });
    expect(readFileSync(join(run.run.folders.artifacts, 'a', 'report.txt'), 'utf8')).toBe('try 2\n');
    rmSync(join(folder, 'tries'));
    await run.step({ ...step, stdout: { path: join(folder, 'log.txt') } });
    expect(readFileSync(join(folder, 'log.txt'), 'utf8')).toBe('try 1\ntry 2\n');
  });
});

describe('timeout_sec', () => {
  it('is the time of each try', async () => {
    const run = await testRun();
    const command = `echo try; test -e ${folder}/again || { touch ${folder}/again; sleep 600; }; sleep 0.3`;
    const end = await run.step({ run: [command], timeoutSec: 0.5, retryPolicy: policy });
    expect(end).toEqual({ status: 'succeeded' });
    expect(run.changes[1]).toMatchObject({
      status: 'retrying',
      error: 'the step did not finish within its timeout_sec of 0.5 s',
      exitCode: 124,
    });
  });

  it('may be longer than a timer of the system', async () => {
    const run = await testRun();
    expect(await run.step({ run: ['sleep 0.05'], timeoutSec: 3_000_000 })).toEqual({ status: 'succeeded' });
  });
});

describe('preconditions', () => {
  const condition = (text: string, more = {}) => ({ condition: text, negate: false, ...more });

  it('skips the step whose command does not end with 0, and says so', async () => {
    const run = await testRun();
    const end = await run.step({ run: [`touch ${folder}/ran`], preconditions: [condition('test -e /nowhere')] });
    expect(end).toEqual({ status: 'skipped', error: 'the precondition "test -e /nowhere" ended with exit code 1' });
    expect(run.last()).toMatchObject({ status: 'skipped', error: end.error });
    expect(existsSync(join(folder, 'ran'))).toBe(false);
  });

  it('takes values as data, in commands and in texts', async () => {
    const evil = '$(touch evil) `touch evil` "; touch evil; #';
    const run = await testRun({ params: { P: evil }, workflow: { workingDir: folder } });
    const end = await run.step({
      preconditions: [
        condition('test -n "${params.P}"'),
        condition('${params.P}', { expected: evil }),
        condition('$(touch evil)', { expected: '$(touch evil)' }),
        condition('x $(printf "%s" "${params.P}")', { substitutes: true, expected: `x ${evil}` }),
      ],
    });
    expect(end).toEqual({ status: 'succeeded' });
    expect(existsSync(join(folder, 'evil'))).toBe(false);
  });

  it.each([
    ['a text', condition('$STAGE', { expected: 'prod' }), true],
    ['another text', condition('$STAGE', { expected: 'pro' }), false],
    ['a pattern', condition('$STAGE', { expected: 're:^P' }), false],
    ['a pattern with a flag', condition('$STAGE', { expected: 're:(?i)^P' }), true],
    ['one line of several', condition('one\n two ', { expected: 'two' }), true],
    ['what a command prints', condition('`echo a; echo "b)"`', { substitutes: true, expected: 'b)' }), true],
    ['a text that must not be', condition('$STAGE', { expected: 'prod', negate: true }), false],
    ['a command that must fail', condition('false', { negate: true }), true],
  ])('compares %s', async (_, precondition, isMet) => {
    const run = await testRun({ workflow: { env: [['STAGE', 'prod']] } });
    expect((await run.step({ preconditions: [precondition] })).status).toBe(isMet ? 'succeeded' : 'skipped');
  });

  it('fails the step where a condition cannot be evaluated', async () => {
    const run = await testRun();
    const end = await run.step({ preconditions: [condition('$(exit 3)', { substitutes: true, expected: 'x' })] });
    expect(end).toEqual({ status: 'failed', error: 'the command "exit 3" of a precondition ended with exit code 3' });
    const started = await run.step({ shell: '/nowhere/sh', preconditions: [condition('true')] });
    expect(started).toMatchObject({ status: 'failed', error: expect.stringContaining('could not be started') });
  });

  it('are looked at once, before the first try', async () => {
    const run = await testRun();
    const preconditions = [condition(`echo x >> ${folder}/looks`)];
    await run.step({ run: ['exit 1'], preconditions, retryPolicy: policy });
    expect(readFileSync(join(folder, 'looks'), 'utf8')).toBe('x\n');
  });
});

describe('continue_on', () => {
  it.each([
    ['any failure', { failure: true }, 'exit 3', true],
    ['its exit code', { exitCodes: [2, 3] }, 'exit 3', true],
    ['another exit code', { exitCodes: [2] }, 'exit 3', false],
    ['a text in its output', { outputs: ['low ink'] }, 'echo "warning: low ink!"; exit 1', true],
    ['a text on stderr', { outputs: ['low ink'] }, 'echo "low ink" >&2; exit 1', true],
    ['a pattern for a line', { outputs: ['re:^code [0-9]+$'] }, 'echo first; printf "code 17"; exit 1', true],
    ['a pattern that no line matches', { outputs: ['re:^code$'] }, 'echo code 17; exit 1', false],
  ])('lets the run go on after %s', async (_, continueOn, command, continues) => {
    const run = await testRun();
    const end = await run.step({ run: [command], continueOn: { ...stop, ...continueOn } });
    expect(end.status).toBe('failed');
    expect(end.continues ?? false).toBe(continues);
  });

  it('is asked after the last try, and can count the step as succeeded', async () => {
    const run = await testRun();
    const continueOn = { ...stop, exitCodes: [3], markSuccess: true };
    const end = await run.step({ run: [`echo x >> ${folder}/tries; exit 3`], continueOn, retryPolicy: policy });
    expect(end).toEqual({ status: 'succeeded' });
    expect(run.last()).toMatchObject({ status: 'succeeded', exitCode: 3 });
    expect(readFileSync(join(folder, 'tries'), 'utf8')).toBe('x\nx\nx\n');
  });
});

describe('outputs', () => {
  const outputs = (...names: string[]) => names.map((name) => ({ name, type: 'string' as const }));

  it('come from the file that the step writes, which nobody else can read and which goes', async () => {
    const run = await testRun();
    const command = `ls -l "$DAGU_OUTPUT_FILE" | cut -c1-10 >> ${folder}/mode
echo name=value=x >> "$DAGU_OUTPUT_FILE"
printf 'text<<END\\none\\n two\\nEND\\n\\ndata<<E\\n{"n": [1]}\\nE\\n' >> "$DAGU_OUTPUT_FILE"`;
    const declaredOutputs = [...outputs('name', 'text'), { name: 'data', type: 'json' as const }];
    await run.step({ id: 'a', run: [command], declaredOutputs });
    expect(run.last().outputs).toEqual({ name: 'value=x', text: 'one\n two', data: { n: [1] } });
    expect(readFileSync(join(folder, 'mode'), 'utf8')).toBe('-rw-------\n');
    expect(readdirSync(run.stepFiles)).toEqual([]);
  });

  it.each([
    ['x', 'DAGU_OUTPUT_FILE line 1 must be NAME=value or NAME<<WORD, and is "x"'],
    ['\na=1\na=2', 'DAGU_OUTPUT_FILE line 3 sets "a" a second time'],
    ['b=1', `DAGU_OUTPUT_FILE line 1 sets "b", which the step's outputs do not declare (a)`],
    ['a<<E\nrest', 'DAGU_OUTPUT_FILE line 1 begins "a", and no line after it is its end, "E"'],
    ['', 'the step did not write its output "a"'],
  ])('fail the step when the file holds %j', async (text, error) => {
    const run = await testRun();
    const end = await run.step({
      env: [['TEXT', text]],
      run: ['printf "%s" "$TEXT" > "$DAGU_OUTPUT_FILE"'],
      declaredOutputs: outputs('a'),
    });
    expect(end).toEqual({ status: 'failed', error: expect.stringContaining(error) });
    expect(run.last().outputs).toBeUndefined();
  });

  it('come from streams, files and values by an output map', async () => {
    const run = await testRun({ params: { CITY: 'Paris' } });
    await run.step({
      workingDir: folder,
      run: [
        'echo \'{"total": {"net": 12}, "items": [{"name": "a"}, {"name": "b"}]}\'; echo note >&2; echo "k: [1, 2]" > f.yaml',
      ],
      outputMap: {
        net: { from: 'stdout', decode: 'json', select: '.total.net' },
        last: { from: 'stdout', decode: 'json', select: '.items[-1].name' },
        note: { from: 'stderr' },
        list: { from: 'file', path: 'f.yaml', decode: 'yaml', select: '.k' },
        city: { value: { in: 'from ${params.CITY}' } },
      },
      stderr: { outputs: { same: { decode: 'text' } } },
    });
    expect(run.last().outputs).toEqual({
      net: 12,
      last: 'b',
      note: 'note',
      list: [1, 2],
      city: { in: 'from Paris' },
      same: 'note',
    });
  });

  it.each([
    [{ from: 'stdout', decode: 'json' }, 'the output x: stdout is not JSON'],
    [{ from: 'file', path: 'none.txt' }, 'none.txt is not there'],
    [{ from: 'stderr', decode: 'json', select: '.a.b' }, 'the output x: select ".a.b": .a has no .b'],
  ] as const)('fail the step when %j cannot be had', async (source, error) => {
    const run = await testRun();
    const end = await run.step({ run: ['echo text; echo \'{"a": {}}\' >&2'], outputMap: { x: source } });
    expect(end).toEqual({ status: 'failed', error: expect.stringContaining(error) });
  });

  it('become variables of the steps that depend on theirs alone', async () => {
    const first = makeStep({ key: 'first', id: 'first', run: ['echo one'], output: 'OUT' });
    const second = makeStep({ key: 'second', id: 'second', depends: ['first'] });
    const third = makeStep({ key: 'third', depends: ['second'], run: ['echo "$OUT ${steps.first.outputs.OUT}"'] });
    const other = makeStep({ key: 'other', run: ['echo "${OUT-none}" \'${steps.first.outputs.OUT}\''] });
    const handler = makeStep({ key: 'handler exit', path: ['handler_on', 'exit'], run: ['echo "$OUT"'] });
    const run = await testRun({ workflow: { steps: [first, second, third, other] } });
    for (const step of [first, second, third, other, handler]) await run.step(step);
    expect(run.stdout('third')).toBe('one one\n');
    expect(run.stdout('other')).toBe('none ${steps.first.outputs.OUT}\n');
    expect(run.stdout('handler exit')).toBe('one\n');
  });

  it('that are waited for by a person are kept with the question', async () => {
    const run = await testRun({ params: { WHAT: 'invoice' } });
    const approval = { prompt: 'Send the ${params.WHAT}?', input: ['BY'], required: [] };
    expect(await run.step({ run: ['echo 12'], output: 'N', approval })).toEqual({ status: 'waiting' });
    expect(run.last()).toMatchObject({
      status: 'waiting',
      outputs: { N: '12' },
      approval: { state: 'waiting', prompt: 'Send the invoice?', input: ['BY'], rewindTo: 'a' },
    });
  });
});

describe('copies of streams', () => {
  it('are masked, and stay inside the artifacts', async () => {
    process.env.STEP_TEST_SECRET = 'open-sesame';
    const run = await testRun({
      workflow: { secrets: [{ name: 'KEY', provider: 'env', key: 'STEP_TEST_SECRET', options: {} }] },
    });
    delete process.env.STEP_TEST_SECRET;
    const command = ['printf "%s" "$KEY" | cut -c1-5 | tr -d "\\n"; sleep 0.02; printf "%s" "$KEY" | cut -c6-'];
    await run.step({
      run: command,
      stdout: { artifact: 'out.txt' },
      stderr: { path: join(folder, 'deep', 'err.txt') },
    });
    const artifact = join(run.run.folders.artifacts, 'out.txt');
    expect(readFileSync(artifact, 'utf8')).toBe('*******\n');
    expect(statSync(artifact).mode & 0o777).toBe(0o600);
    expect(readFileSync(join(folder, 'deep', 'err.txt'), 'utf8')).toBe('');
    for (const path of ['../x', '/x', 'a/../../x', 'C:\\x']) {
      const end = await run.step({ stdout: { artifact: path } });
      expect(end).toMatchObject({ status: 'failed', error: expect.stringContaining('inside the run') });
    }
  });

  it('fail the step that cannot make them', async () => {
    const run = await testRun();
    writeFileSync(join(folder, 'file'), '');
    const end = await run.step({ run: [`touch ${folder}/ran`], stdout: { path: join(folder, 'file', 'x') } });
    expect(end).toMatchObject({ status: 'failed', error: expect.stringContaining('cannot be written') });
    expect(existsSync(join(folder, 'ran'))).toBe(false);
  });
});

describe('shells and scripts', () => {
  it('get positional parameters, their arguments, and stop at a failure unless the step names the shell', async () => {
    const run = await testRun({ params: { 1: 'one two', 2: '$(x)' }, workflow: { shell: 'bash -u' } });
    await run.step({ run: ['echo "$1|$2|$#|$-"; false; echo on'] });
    expect(run.stdout()).toMatch(/^one two\|\$\(x\)\|2\|[a-zB]*e[a-zB]*\n$/);
    expect(run.last().status).toBe('failed');
    const own = await testRun();
    await own.step({ run: ['false; echo on'], shell: 'bash', shellArgs: ['-u'] });
    expect(own.last()).toMatchObject({ status: 'succeeded' });
  });

  it('run by any interpreter, from a file that goes', async () => {
    const run = await testRun({ params: { 1: 'x' } });
    const script =
      '#!/usr/bin/env python3\nimport os, sys, stat\nprint(sys.argv[1:], oct(os.stat(sys.argv[0]).st_mode)[-3:])\n';
    await run.step({ key: 'line', run: [script] });
    expect(run.stdout('line')).toBe("['x'] 700\n");
    await run.step({
      key: 'shell',
      shell: 'python3 -u',
      run: ['print("${params.1}" + "!", flush=True)\nraise SystemExit(4)'],
    });
    expect(run.stdout('shell')).toBe('${params.1}!\n');
    expect(run.last('shell').exitCode).toBe(4);
    expect(readdirSync(run.stepFiles)).toEqual([]);
    await run.step({ key: 'env', run: ['#!/usr/bin/env -S perl -w\nprint "a$^W\\n";'] });
    expect(run.stdout('env')).toBe('a1\n');
  });

  it('may be longer than an argument', async () => {
    const run = await testRun({ params: { 1: 'p' } });
    await run.step({ run: [`${'# a comment\n'.repeat(20_000)}echo "$1 done"`] });
    expect(run.stdout()).toBe('p done\n');
  });

  it('are several commands, of which the first failure is the last', async () => {
    const run = await testRun({ workflow: { workingDir: '.' } });
    await run.step({ run: ['echo "$PWD"', 'exit 5', 'echo never'] });
    expect(run.stdout()).toBe(`${folder}\n`);
    expect(run.last()).toMatchObject({ status: 'failed', exitCode: 5 });
  });

  it('work in the folder of the request where the file names none', async () => {
    const run = await testRun();
    mkdirSync(join(folder, 'here'));
    run.run.request.defaultWorkingDir = join(folder, 'here');
    await run.step({ run: ['pwd'] });
    expect(run.stdout()).toBe(`${join(folder, 'here')}\n`);
  });

  it('know the signal that ended a command', async () => {
    const run = await testRun();
    await run.step({ run: ['kill -TERM $$'] });
    expect(run.last()).toMatchObject({ status: 'failed', exitCode: 143, error: 'the command was ended by SIGTERM' });
  });
});

describe('references and variables', () => {
  it('tell a step about its run and itself', async () => {
    const run = await testRun({
      context: { 'run.id': 'r1' },
      foreach: { index: 2, item: { name: 'Tea', tags: ['a'] } },
      ownNames: { DAG_NAME: 'flow' },
    });
    await run.step({
      id: 'a',
      env: [['LABEL', '${context.run.id}/${context.step.id}/${foreach.index}']],
      run: [
        'echo "$LABEL $DAG_NAME $DAG_RUN_STEP_NAME"; test "$DAG_RUN_STEP_STDOUT_FILE" = "${context.paths.step_stdout_file}"',
      ],
    });
    expect(run.last().status).toBe('succeeded');
    expect(run.stdout()).toBe('r1/a/2 flow a\n');
  });

  it('leave DAG_PARAMS_JSON away where there are no parameters', async () => {
    const run = await testRun();
    await run.step({ run: ['echo "${DAG_PARAMS_JSON-none}"'] });
    expect(run.stdout()).toBe('none\n');
    const other = await testRun({ params: { N: '3' } });
    await other.step({ key: 'b', run: ['echo "$DAG_PARAMS_JSON" "${params}"'] });
    expect(other.stdout('b')).toBe('{"N":"3"} {"N":"3"}\n');
  });
});
