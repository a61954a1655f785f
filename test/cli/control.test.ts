import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { CommandLine, dagu } from './command.ts';

let line: CommandLine;
beforeEach(() => {
  line = new CommandLine();
});
afterEach(() => line.close());

const written = (name: string) => {
  const path = join(line.folder, name);
  return existsSync(path) ? readFileSync(path, 'utf8') : '';
};
const status = (workflow = 'flow') => line.json('status', workflow);
const until = (check: () => unknown) => vi.waitFor(check, { timeout: 15_000, interval: 100 });

describe('dagu stop', () => {
  const flow = `working_dir: .
steps:
  - {id: long, run: "echo here > began; sleep 600; true"}
handler_on:
  abort: {run: echo abort >> handlers}
  exit: {run: echo exit >> handlers}
`;

  it('ends a run that another command started, and its handlers run', async () => {
    const { ended } = line.start(['start', line.file('flow.yaml', flow)]);
    await until(() => expect(written('began')).toBe('here\n'));
    expect(await line.run('stop', 'flow.yaml')).toMatchObject({ code: 0, stdout: expect.stringMatching(/aborted\n$/) });
    expect((await ended).code).toBe(1);
    expect(written('handlers')).toBe('abort\nexit\n');
    expect(await status()).toMatchObject({ status: 'aborted', error: 'stopped with dagu stop' });
    expect(await line.run('stop', 'flow.yaml')).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^Error: no run of "flow.yaml" is at work; the newest one, \w+, is aborted\n$/),
    });
  });

  it('ends a run that waits for a person', async () => {
    const file = line.file(
      'flow.yaml',
      'working_dir: .\nsteps:\n  - {id: a, run: "true", approval: {prompt: Right?}}\nhandler_on: {abort: {run: echo abort >> handlers}}\n',
    );
    expect(await line.run('start', file)).toMatchObject({ code: 0 });
    expect(await status()).toMatchObject({ status: 'waiting' });
    expect(await line.run('stop', 'flow')).toMatchObject({ code: 0, stderr: '' });
    expect(written('handlers')).toBe('abort\n');
    expect(await status()).toMatchObject({ status: 'aborted' });
  });
});

describe('dagu retry', () => {
  it('runs what did not succeed, and nothing twice', async () => {
    const file = line.file(
      'flow.yaml',
      `working_dir: .
type: chain
steps:
  - {id: first, run: "echo first >> order; echo 41", output: N}
  - {id: second, run: "echo second >> order; test -e ready"}
  - {id: third, run: "echo third \${steps.first.outputs.N} $N >> order"}
`,
    );
    expect((await line.run('start', file)).code).toBe(1);
    line.file('ready', '');
    // The file on the disk is no longer what the run is made of.
    line.file('flow.yaml', 'steps: [{run: echo changed >> order}]\n');
    const retried = await line.run('retry', 'flow');
    expect(retried).toMatchObject({ code: 0, stderr: '' });
    expect(retried.stdout).toContain('attempt 2');
    expect(written('order')).toBe('first\nsecond\nsecond\nthird 41 41\n');
    expect(await status()).toMatchObject({ status: 'succeeded', attempt: 2 });
    expect((await line.run('retry', 'flow', '--step', 'second', '-q')).code).toBe(0);
    expect(written('order')).toBe('first\nsecond\nsecond\nthird 41 41\nsecond\nthird 41 41\n');
    expect(await line.run('retry', 'flow', '--step', 'none')).toMatchObject({
      code: 1,
      stderr: 'Error: --step "none": the run has the steps first, second, third\n',
    });
  });
});

describe('approval', () => {
  const flow = `working_dir: .
steps:
  - id: draft
    run: echo "draft $NOTE" >> log
    approval: {prompt: Is the draft right?, input: [NOTE, AMOUNT], required: [AMOUNT]}
  - {id: send, depends: draft, run: echo "send $AMOUNT" >> log}
handler_on:
  wait: {run: echo waiting >> log}
  failure: {run: echo failure >> log}
`;
  const start = async () => {
    const started = await line.run('start', line.file('flow.yaml', flow));
    expect(started.code).toBe(0);
    expect(started.stdout).toContain('Step "draft" waits for approval: Is the draft right?');
    expect(started.stdout).toMatch(/dagu approve flow --run-id \w+ --step draft \[--input NOTE=…\] --input AMOUNT=…/);
  };

  it('lets the run go on with what was given', async () => {
    await start();
    expect(await line.run('approve', 'flow')).toMatchObject({
      code: 1,
      stderr: 'Error: step "draft" needs AMOUNT; give --input AMOUNT=…\n',
    });
    expect(await line.run('approve', 'flow', '-i', 'X=1')).toMatchObject({
      code: 1,
      stderr: 'Error: step "draft" does not ask for "X"; it asks for NOTE, AMOUNT\n',
    });
    const approved = await line.run('approve', 'flow', '--inputs-json', '{"AMOUNT": 120.5}');
    expect(approved).toMatchObject({ code: 0, stderr: '', stdout: expect.stringContaining('flow succeeded') });
    expect(written('log')).toBe('draft \nwaiting\nsend 120.5\n');
    expect((await line.run('approve', 'flow')).stderr).toMatch(/no run of "flow" is waiting for a person/);
  });

  it('sends a result back and asks again', async () => {
    await start();
    expect((await line.run('push-back', 'flow', '-i', 'NOTE=shorter', '-q')).code).toBe(0);
    expect(written('log')).toBe('draft \nwaiting\ndraft shorter\nwaiting\n');
    expect(await status()).toMatchObject({ status: 'waiting', attempt: 1 });
  });

  it('ends the run when it is rejected', async () => {
    await start();
    const rejected = await line.run('reject', 'flow', '--reason', 'the total is wrong');
    expect(rejected.code).toBe(1);
    expect(rejected.stdout).toContain('the total is wrong');
    expect(written('log')).toBe('draft \nwaiting\nfailure\n');
    expect(await status()).toMatchObject({ status: 'rejected', statusCode: 8 });
  });
});

describe('approval under a run', () => {
  const flow = `working_dir: .
secrets: [{name: KEY, provider: env, key: DAGU_TEST_KEY}]
steps:
  - id: each
    foreach:
      items: [one, "\${env.KEY}"]
      key: \${foreach.item}
      steps:
        - {id: check, run: "true", approval: {input: [NOTE]}}
  - {id: last, depends: each, run: echo last >> log}
`;

  it('is told by the run above, may be given at the same time, and leaves no secret in the store', async () => {
    const env = { DAGU_TEST_KEY: 'very-secret-key' };
    const started = await line.start(['start', line.file('flow.yaml', flow)], env).ended;
    const answers = [...started.stdout.matchAll(/dagu approve flow --run-id (\w+) --step check/g)].map(([, id]) => id);
    expect(answers).toHaveLength(2);
    expect(await line.run('approve', 'flow', '--step', 'check')).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^Error: several steps wait: "check" of run \w+, "check" of run \w+; name one/),
    });
    const approved = await Promise.all(
      answers.map(
        (id) => line.start(['approve', 'flow', '-r', id as string, '-i', 'NOTE=has very-secret-key'], env).ended,
      ),
    );
    for (const { code, stderr } of approved) expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    await until(async () => expect(await status()).toMatchObject({ status: 'succeeded' }));
    expect(written('log')).toBe('last\n');
    const shown = JSON.stringify([started, approved, await status()]);
    expect(shown).toContain('*******');
    expect(shown).not.toContain('very-secret-key');
    for (const suffix of ['', '-wal']) {
      const database = join(line.home, `dagu-desktop.db${suffix}`);
      if (existsSync(database)) expect(readFileSync(database).includes('very-secret-key'), suffix).toBe(false);
    }
  });
});

describe('dagu validate', () => {
  it('tells references without a value before the run only when asked', async () => {
    const file = line.file('flow.yaml', 'steps:\n  - {id: a, run: "echo ${env.NOT_KNOWN_HERE}"}\n');
    expect(await line.run('validate', file)).toEqual({ code: 0, stdout: '', stderr: '' });
    const { code, stderr } = await line.run('validate', '--show-unresolved', file);
    expect(code).toBe(0);
    expect(stderr).toContain('NOT_KNOWN_HERE');
  });
});

describe('--format json', () => {
  it('is there for programs that stop and delete runs', async () => {
    const file = line.file('flow.yaml', 'steps:\n  - {id: a, run: "true", approval: {}}\n');
    await line.run('start', '-q', '-r', 'r1', file);
    expect(await line.json('stop', 'flow')).toMatchObject({ runId: 'r1', status: 'aborted' });
    expect(await line.json('rm', 'flow', '-H', '--dry-run')).toEqual({ dryRun: true, runs: ['r1'], files: [] });
    expect(await line.json('rm', 'flow', '-H', '-f')).toEqual({ dryRun: false, runs: ['r1'], files: [] });
    expect(await line.json('version')).toEqual({ name: 'Dagu Desktop', version: expect.any(String) });
  });
});

describe('--dagu-home', () => {
  it('names the folder of the data', async () => {
    const file = line.file('flow.yaml', 'steps:\n  - {id: a, run: echo x}\n');
    expect((await line.run('start', '-q', '--dagu-home', 'elsewhere', file)).code).toBe(0);
    expect(existsSync(join(line.folder, 'elsewhere', 'desktop', 'dagu-desktop.db'))).toBe(true);
  });
});

describe('dagu rm', () => {
  it('needs to know what to delete', async () => {
    for (const [args, message] of [
      [['rm', 'flow'], 'at least one of --history (-H) or --definition (-d) is required'],
      [['rm', 'flow', '-d', '-t', '1d'], '--older-than (-t) requires --history (-H)'],
      [['rm', 'flow', '-H', '-t', '1y'], '--older-than "1y": use an age such as 24h, 10d or 1w'],
      [['rm', 'flow', '-H'], 'nobody can be asked here; use --force to delete without asking'],
      [['rm', 'nowhere.yaml', '-d'], '--definition: there is no workflow file "nowhere.yaml"; give the file\'s path'],
    ] as const) {
      expect(await line.run(...args)).toEqual({ code: 1, stdout: '', stderr: `Error: ${message}\n` });
    }
  });

  it('deletes runs with their files, and keeps those at work', async () => {
    const file = line.file('flow.yaml', 'steps:\n  - {id: a, run: echo x}\n');
    for (const id of ['one', 'two']) await line.run('start', '-q', '-r', id, file);
    const waiting = line.file('waiting.yaml', 'steps:\n  - {id: a, run: "true", approval: {}}\n');
    await line.run('start', '-q', '-r', 'three', '-N', 'flow', waiting);
    const { logDir } = (await line.json('status', 'flow', '--run-id', 'one')) as { logDir: string };
    expect((await line.run('rm', 'flow', '-H', '-t', '1h', '-f')).stdout).toBe('No runs to delete for DAG "flow"\n');
    const dry = await line.run('rm', 'flow', '-H', '--dry-run');
    expect(dry.stdout).toMatch(
      /^Dry run: Would delete 2 run\(s\) for DAG "flow":\n {2}- (two|one)\n {2}- (two|one)\n$/,
    );
    expect(existsSync(logDir)).toBe(true);
    expect((await line.run('rm', 'flow', '-H', '-f')).stdout).toBe('Successfully removed 2 run(s) for DAG "flow"\n');
    expect(existsSync(logDir)).toBe(false);
    expect((await line.run('history', 'flow', '--format', 'json')).stdout).toContain('"three"');
  });

  it('deletes the workflow file', async () => {
    const file = line.file('flow.yaml', 'steps:\n  - {id: a, run: echo x}\n');
    expect((await line.run('rm', file, '-d', '-f')).code).toBe(0);
    expect(existsSync(file)).toBe(false);
  });
});

describe('dagu history', () => {
  it('goes page by page, and by status', async () => {
    const file = line.file('flow.yaml', 'params: {CODE: 0}\nsteps:\n  - {id: a, run: "exit ${params.CODE}"}\n');
    for (const [id, code] of [
      ['r1', 0],
      ['r2', 3],
      ['r3', 0],
    ] as const) {
      await line.run('start', '-q', '-r', id, file, '--', `CODE=${code}`);
    }
    const ids = async (...args: string[]) =>
      (JSON.parse((await line.run('history', '--format', 'json', ...args)).stdout) as { runId: string }[]).map(
        ({ runId }) => runId,
      );
    expect(await ids('--limit', '2')).toEqual(['r3', 'r2']);
    expect(await ids('--limit', '2', '--before', 'r2')).toEqual(['r1']);
    expect(await ids('flow', '--status', 'failed')).toEqual(['r2']);
    expect((await line.run('history', '--status', 'waiting')).stdout).toBe('No such runs\n');
    expect((await line.run('history', '--status', 'broken')).stderr).toContain('--status "broken": use one of');
  });
});

describe('dagu logs --follow', () => {
  it('prints what comes until the run ends', async () => {
    const file = line.file(
      'flow.yaml',
      'working_dir: .\ntype: chain\nsteps:\n  - {id: a, run: "printf 日本; sleep 1; echo 語"}\n  - {id: b, run: echo last >&2}\n',
    );
    const { ended } = line.start(['start', '-q', file]);
    await until(async () => expect((await line.run('logs', 'flow')).stdout).toContain('日本'));
    const followed = await line.run('logs', 'flow', '--follow');
    expect(followed).toEqual({ code: 0, stderr: '', stdout: '== a\n日本語\n== b\nlast\n' });
    await ended;
    expect(JSON.parse((await line.run('logs', 'flow', '-f', 'json')).stdout)).toEqual([
      { step: 'a', status: 'succeeded', stdout: '日本語\n', stderr: '' },
      { step: 'b', status: 'succeeded', stdout: '', stderr: 'last\n' },
    ]);
  });
});

describe('start', () => {
  it('takes the parameters of an earlier run, and prints JSON for programs', async () => {
    const file = line.file('flow.yaml', 'params: {A: 1, B: 2}\nsteps:\n  - {id: a, run: "echo $A $B", output: OUT}\n');
    await line.run('start', '-q', '-r', 'r1', file, '--', 'A=x', 'B=two words');
    const again = await line.run('start', '--from-run-id', 'r1', '--format', 'json', file, '--', 'A=y');
    expect(JSON.parse(again.stdout)).toMatchObject({
      status: 'succeeded',
      steps: [{ outputs: { OUT: 'y two words' } }],
    });
    expect((await line.run('start', '--from-run-id', 'none', file)).stderr).toContain('there is no such run');
    expect((await line.run('start', '--trigger-type', 'x', file)).stderr).toContain('--trigger-type "x": use one of');
  });
});

describe('dagu completion', () => {
  const complete = async (...words: string[]) =>
    (await line.run('complete', '--', ...words)).stdout.split('\n').map((row) => row.split('\t')[0]);

  it('completes commands, flags, files, workflows and runs', async () => {
    const file = line.file('flow.yaml', 'steps:\n  - {id: a, run: echo x}\n');
    await line.run('start', '-q', '-r', 'r1', '-N', 'invoices', file);
    expect(await complete('st')).toEqual(expect.arrayContaining(['start', 'status', 'stop']));
    expect(await complete('logs', '--fo')).toContain('--follow');
    expect(await complete('start', '')).toContain('flow.yaml');
    expect(await complete('start', './f')).toContain('./flow.yaml');
    expect(await complete('status', 'in')).toContain('invoices');
    expect(await complete('status', 'invoices', '--run-id', '')).toContain('r1');
    expect(await complete('history', '--status', 'f')).toContain('failed');
  });

  it('works in bash', async () => {
    line.file('flow.yaml', 'steps:\n  - {id: a, run: echo x}\n');
    line.file('dagu', `#!/bin/sh\nexec "${process.execPath}" "${dagu}" "$@"\n`);
    chmodSync(join(line.folder, 'dagu'), 0o755);
    const typed = 'COMP_WORDS=(dagu start fl); COMP_CWORD=2';
    const script = `eval "$(dagu completion bash)"; ${typed}; __dagu_complete; echo "\${COMPREPLY[*]}"`;
    const { stdout } = spawnSync('bash', ['--norc', '-c', script], {
      cwd: line.folder,
      encoding: 'utf8',
      env: { ...process.env, DAGU_DESKTOP_HOME: line.home, PATH: `${line.folder}:${process.env.PATH}` },
    });
    expect(stdout.trim()).toBe('flow.yaml');
  });
});
