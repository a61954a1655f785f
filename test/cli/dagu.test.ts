import { closeSync, existsSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { groupLives } from '../../executor/engine/process-group.ts';
import { CommandLine } from './command.ts';

let line: CommandLine;
beforeEach(() => {
  line = new CommandLine();
});
afterEach(() => line.close());

const flow = `
params: {WHO: world}
secrets: [{name: KEY, provider: env, key: DAGU_TEST_KEY}]
steps:
  - id: greet
    run: echo "hello \${params.WHO} $KEY"
    output: GREETING
  - id: shout
    depends: greet
    run: echo "\${steps.greet.outputs.GREETING}!" >&2
`;

describe('dagu start, status, history, logs', () => {
  it('runs a workflow and shows it afterwards, secrets masked everywhere', async () => {
    const file = line.file('flow.yaml', flow);
    const started = await line.start(['start', file, '--', 'WHO=you'], { DAGU_TEST_KEY: 'very-secret' }).ended;
    expect(started).toMatchObject({ code: 0, stderr: '' });
    expect(started.stdout).toContain('flow succeeded after');
    const status = await line.json('status', file);
    expect(status).toMatchObject({ name: 'flow', status: 'succeeded', statusCode: 4, params: { WHO: 'you' } });
    expect(status.steps).toMatchObject([
      { step: 'greet', status: 'succeeded', outputs: { GREETING: 'hello you *******' } },
      { step: 'shout', status: 'succeeded' },
    ]);
    const history = await line.run('history', 'flow');
    expect(history.stdout).toContain('succeeded');
    const logs = await line.run('logs', 'flow', '--step', 'shout');
    expect(logs.stdout).toBe('hello you *******!\n');
    expect(JSON.stringify([started, status, history, logs])).not.toContain('very-secret');
  });

  it('reaches a shell with a hostile parameter as data', async () => {
    const file = line.file(
      'flow.yaml',
      'params: X\nworking_dir: .\nsteps:\n  - {id: a, run: "printf %s ${params.X}"}\n',
    );
    const hostile = '$(touch x) `touch x` "; touch x; \' \n; rm -rf .';
    expect(await line.run('start', '-q', file, '--', hostile)).toMatchObject({ code: 0 });
    expect((await line.run('logs', 'flow')).stdout).toBe(hostile);
    expect(existsSync(join(line.folder, 'x'))).toBe(false);
  });

  it('finds the runs of a workflow file that is gone, by its path', async () => {
    const file = line.file('gone.yaml', 'steps:\n  - {id: a, run: echo here}\n');
    await line.run('start', '-q', '--name', 'other', file);
    rmSync(file);
    for (const path of [file, 'gone.yaml', './gone.yaml']) {
      expect((await line.run('logs', path)).stdout, path).toBe('here\n');
      expect((await line.run('status', path)).stdout, path).toContain('other succeeded');
      expect((await line.run('history', path)).stdout, path).toContain('other');
    }
  });

  it('shows the steps of a chain in the order of what happened', async () => {
    const steps = ['a', 'b', 'c'].map((id) => `  - {id: ${id}, run: sleep 0.1}\n`).join('');
    const { stdout } = await line.run('start', line.file('flow.yaml', `type: chain\nsteps:\n${steps}`));
    const [progress = ''] = stdout.split('\nflow succeeded');
    expect(
      [...progress.matchAll(/^ {2}(\w) {2}(started|succeeded)/gm)].map(([, step, what]) => `${step} ${what}`),
    ).toEqual(['a started', 'a succeeded', 'b started', 'b succeeded', 'c started', 'c succeeded']);
  });

  it('gives an id to one run alone, also when two start at the same time', async () => {
    const file = line.file('flow.yaml', 'steps:\n  - {id: a, run: sleep 0.5}\n');
    await line.run('history');
    const ends = await Promise.all([1, 2].map(() => line.run('start', '--run-id', 'same', file)));
    const [won, lost] = ends.sort((a, b) => (a.code ?? 2) - (b.code ?? 2));
    expect(won).toMatchObject({ code: 0, stderr: '', stdout: expect.stringContaining('flow succeeded') });
    const stderr = 'Error: --run-id "same": there is a run with this id already\n';
    expect(lost).toEqual({ code: 1, stdout: '', stderr });
  });

  it('ends with 1 and the reason when a step fails', async () => {
    const file = line.file('flow.yaml', 'steps:\n  - {id: a, run: exit 7}\n');
    const ended = await line.run('start', file);
    expect(ended.code).toBe(1);
    expect(ended.stdout).toContain('flow failed');
    expect(await line.run('start', '--quiet', file)).toMatchObject({
      code: 1,
      stdout: '',
      stderr: 'Error: step "a" failed: the command ended with exit code 7\n',
    });
  });

  it('loads nothing heavy for a shell workflow', async () => {
    const file = line.file(
      'flow.yaml',
      'steps:\n  - {id: a, run: "ls -l /proc/$PPID/fd /proc/$PPID/map_files 2>/dev/null; cat /proc/$PPID/maps"}\n',
    );
    await line.run('start', '-q', file);
    const { stdout } = await line.run('logs', 'flow');
    expect(stdout).toContain('sqlite');
    expect(stdout).not.toMatch(/sharp|canvas/);
  });
});

describe('deprecated syntax', () => {
  it('is told at every place by validate, and in one line by start', async () => {
    const file = line.file('old.yaml', 'steps:\n  - command: "true"\n  - command: "true"\n  - command: "true"\n');
    const started = await line.run('start', '-q', file);
    expect(started).toMatchObject({ code: 0, stderr: expect.stringMatching(/^warning: .*\n$/) });
    expect(started.stderr).toContain('steps[0].command is deprecated; use run (and 2 more: dagu validate');
    expect((await line.run('validate', file)).stderr.match(/^warning: /gm)).toHaveLength(3);
  });
});

describe('what dagu refuses, in one line, with nothing started', () => {
  const cases: [name: string, args: string[], message: string][] = [
    ['no file', ['start', 'nowhere.yaml'], 'Error: there is no workflow file "nowhere.yaml"'],
    ['an empty file name', ['start', ''], 'Error: there is no workflow file ""'],
    [
      'a parameter without --',
      ['start', 'flow.yaml', 'other.yaml'],
      'Error: parameters come after --: dagu start flow.yaml -- other.yaml',
    ],
    [
      'a quote that is not closed',
      ['start', 'flow.yaml', '--params', "WHO=it's"],
      "Error: --params: the quote that begins at 's is not closed",
    ],
    ['help for no command', ['help', 'bogus'], 'Error: there is no command "bogus"; the commands are start, validate'],
    ['a missing argument', ['start'], "Error: missing required argument 'file'"],
    ['an unknown flag', ['start', 'flow.yaml', '--speed'], "Error: unknown option '--speed'"],
    ['an unknown command', ['strat', 'flow.yaml'], "Error: unknown command 'strat'"],
    [
      'an unknown parameter',
      ['start', 'flow.yaml', '--', 'X=1'],
      'Error: unknown parameter "X" (parameters of this workflow: WHO)',
    ],
    [
      'too many parameters',
      ['start', 'flow.yaml', '--', 'a', 'b'],
      'Error: too many positional params: expected at most 1, got 2',
    ],
    ['a bad run id', ['start', 'flow.yaml', '--run-id', 'a b'], 'Error: --run-id "a b": use 1 to 64 letters, digits'],
    ['a bad name', ['start', 'flow.yaml', '--name', 'ä b'], 'Error: --name "ä b": use 1 to 40 letters'],
    ['a bad limit', ['history', '--limit', '0'], 'Error: --limit "0": use a positive number'],
    ['a bad format', ['status', 'flow', '--format', 'yaml'], 'Error: --format "yaml": use text or json'],
    ['no such run', ['status', 'flow'], 'Error: there is no run of "flow"'],
  ];
  it.each(cases)('%s', async (_, args, message) => {
    line.file('flow.yaml', flow);
    const ended = await line.run(...args);
    expect(ended.code).toBe(1);
    expect(ended.stdout).toBe('');
    expect(ended.stderr.trimEnd().split('\n')).toHaveLength(1);
    expect(ended.stderr).toContain(message);
    expect((await line.run('history')).stdout).toBe('No runs yet\n');
  });

  it('a workflow with mistakes, each with its line and column', async () => {
    const file = line.file('flow.yaml', 'steps:\n  - id: a-b\n    run: echo\n  - run: echo ${params.Y}\n');
    for (const command of ['validate', 'start']) {
      const ended = await line.run(command, file);
      expect(ended).toMatchObject({ code: 1, stdout: '' });
      const [first, ...problems] = ended.stderr.trimEnd().split('\n');
      expect(first).toBe(`Validation failed for ${file}`);
      expect(problems[0]).toMatch(/^- line 2, column 5: .*invalid step ID format/);
      expect(problems[1]).toMatch(/^- line 4, column 5: field 'steps\[1\]\.run': \$\{params\.Y\} names no parameter/);
    }
    expect((await line.run('history')).stdout).toBe('No runs yet\n');
  });

  it('files that are no workflow', async () => {
    for (const [text, message] of [
      ['', 'yaml stream must contain at least one DAG document'],
      ['\xff\xfe', 'entrypoint document must be a mapping'],
      ['steps: [', 'Flow sequence'],
    ] as const) {
      expect((await line.run('validate', line.file('odd.yaml', text))).stderr).toContain(message);
    }
    expect((await line.run('validate', line.folder)).stderr).toContain('this is a folder');
  });

  it('says nothing about a workflow that is right', async () => {
    expect(await line.run('validate', line.file('flow.yaml', flow))).toEqual({ code: 0, stdout: '', stderr: '' });
  });
});

describe('a reader that goes away', () => {
  const file = () =>
    line.file(
      'flow.yaml',
      'working_dir: .\ntype: chain\nsteps:\n  - run: seq 1 50000\n  - run: sleep 0.3\n  - run: touch done\n',
    );
  const headOf = (args: string[]) => {
    const { child, ended } = line.start(args);
    child.stdout?.once('data', () => child.stdout?.destroy());
    return ended;
  };

  it('leaves the run to go on to its end, and ends the other commands quietly', async () => {
    expect(await headOf(['start', file()])).toMatchObject({ code: 0, stderr: '' });
    expect(existsSync(join(line.folder, 'done'))).toBe(true);
    expect(await line.json('status', 'flow')).toMatchObject({ status: 'succeeded' });
    expect(await headOf(['logs', 'flow'])).toMatchObject({ code: 0, stderr: '' });
  });

  it('is told from a full disk, in one line', async () => {
    const full = openSync('/dev/full', 'w');
    const told = { code: 1, stderr: expect.stringMatching(/^Error: the output could not be written: ENOSPC.*\n$/) };
    expect(await line.start(['start', file()], {}, full).ended).toMatchObject(told);
    expect(existsSync(join(line.folder, 'done'))).toBe(true);
    for (const args of [['status', 'flow'], ['--help']]) {
      expect(await line.start(args, {}, full).ended, args[0]).toMatchObject(told);
    }
    closeSync(full);
  });
});

describe('a data directory that is of no use, in one line', () => {
  it.each(['/proc/nope', '/dev/null', '/dev/null/home'])('%s', async (home) => {
    const file = line.file('flow.yaml', flow);
    for (const args of [
      ['start', file],
      ['status', file],
    ]) {
      const ended = await line.start(args, { DAGU_DESKTOP_HOME: home }).ended;
      expect(ended).toMatchObject({ code: 1, stdout: '' });
      expect(ended.stderr).toMatch(/^Error: the data directory \S+ cannot be used: .*\n$/);
    }
  });

  it('a damaged database, which is named', async () => {
    const file = line.file('flow.yaml', flow);
    await line.run('start', '-q', file);
    const database = join(line.home, 'dagu-desktop.db');
    const descriptor = openSync(database, 'r+');
    writeSync(descriptor, Buffer.alloc(80_000, 0xa5), 0, 80_000, 4096);
    closeSync(descriptor);
    for (const args of [['start', file], ['status', file], ['logs', file], ['history']]) {
      const ended = await line.run(...args);
      expect(ended, args[0]).toMatchObject({ code: 1, stdout: '' });
      expect(ended.stderr).toContain(`Error: the database ${database} is damaged; put a backup in its place`);
      expect(ended.stderr.trimEnd().split('\n')).toHaveLength(1);
    }
  });

  it("a step's log that cannot be written", async () => {
    const file = line.file('flow.yaml', 'steps:\n  - {id: a, run: rm -r $(dirname $DAG_RUN_WORK_DIR)/logs; echo x}\n');
    const ended = await line.run('start', '-q', file);
    expect(ended).toMatchObject({ code: 1, stdout: '' });
    expect(ended.stderr).toMatch(/^Error: \S+01-a\.out cannot be written: ENOENT.*\n$/);
  });
});

describe('a run that is cut short', () => {
  const file = () =>
    line.file(
      'flow.yaml',
      `working_dir: .
steps:
  - {id: first, run: echo done, output: OUT}
  - {id: long, depends: first, run: "echo $$ $PPID > pids; sleep 600; true"}
handler_on: {abort: {run: touch aborted}}
`,
    );
  const pids = async () => {
    await vi.waitFor(() => expect(readFileSync(join(line.folder, 'pids'), 'utf8')).toMatch(/^\d+ \d+\n$/), 10_000);
    const [group, executor] = readFileSync(join(line.folder, 'pids'), 'utf8').trim().split(' ').map(Number);
    return { group: group as number, executor: executor as number };
  };

  it('by kill -9 of its process: no finished step is lost, nothing stays behind, and it is shown at once', async () => {
    const { ended } = line.start(['start', file()]);
    const { group, executor } = await pids();
    process.kill(executor, 'SIGKILL');
    expect((await ended).code).toBe(1);
    const status = await line.json('status', 'flow');
    expect(status).toMatchObject({ status: 'failed', error: expect.stringContaining("the run's process ended") });
    expect(status.steps).toMatchObject([{ status: 'succeeded', outputs: { OUT: 'done' } }, { status: 'failed' }, {}]);
    await vi.waitFor(() => expect(groupLives(group)).toBe(false), 2000);
  });

  it('by kill -9 of command and process together', async () => {
    const { child, ended } = line.start(['start', file()]);
    const { group, executor } = await pids();
    child.kill('SIGKILL');
    process.kill(executor, 'SIGKILL');
    await ended;
    expect(await line.json('status', 'flow')).toMatchObject({ status: 'failed' });
    await vi.waitFor(() => expect(groupLives(group)).toBe(false), 2000);
  });

  it('by kill -9 of the command: the run stops and its handler runs', async () => {
    const { child, ended } = line.start(['start', file()]);
    const { group } = await pids();
    child.kill('SIGKILL');
    await ended;
    await vi.waitFor(() => expect(existsSync(join(line.folder, 'aborted'))).toBe(true), 5000);
    await vi.waitFor(async () => expect((await line.json('status', 'flow')).status).toBe('aborted'), 5000);
    expect(groupLives(group)).toBe(false);
  });

  it('by Ctrl+C', async () => {
    const { child, ended } = line.start(['start', file()]);
    const { group } = await pids();
    child.kill('SIGINT');
    expect(await ended).toMatchObject({ code: 1, stdout: expect.stringContaining('flow aborted') });
    expect(existsSync(join(line.folder, 'aborted'))).toBe(true);
    expect(groupLives(group)).toBe(false);
  });
});
