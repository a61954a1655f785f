import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { checkShellReferences, shellProgram } from './shell-data.ts';
import { interpreterOf, isPosixShell, languageOf, readShell, type Shell, shellOf, whyNoShell } from './shells.ts';

const folder = mkdtempSync(join(tmpdir(), 'shells-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs a command as a step does, and gives what it printed and how it ended. */
function run(command: string, shell: Shell, positional: string[] = []): { printed: string; code: number | null } {
  const language = languageOf(shell);
  const program = shellProgram(
    command,
    ([namespace]) => (namespace === 'params' ? 'v $(touch x)' : undefined),
    language,
  );
  const started = language.start(shell, program, positional);
  const file = join(folder, `script${started.file?.ending ?? ''}`);
  if (started.file !== undefined) writeFileSync(file, started.file.content);
  const { stdout, status } = spawnSync(started.program, started.args(file), {
    cwd: folder,
    env: { PATH: process.env.PATH, ...program.env, ...started.env(file) },
    encoding: 'utf8',
  });
  return { printed: stdout, code: status };
}

const system = readShell('sh');

describe('shells', () => {
  it.each([
    ['sh', 'posix'],
    ['/usr/bin/bash -e', 'posix'],
    ['C:\\Windows\\System32\\CMD.EXE', 'cmd'],
    ['pwsh -NoProfile', 'powershell'],
    ['powershell.exe', 'powershell'],
    ['python3', 'text'],
    ['fish', 'text'],
  ])('%s is of the language %s', (shell, name) => {
    expect(languageOf(readShell(shell)).name).toBe(name);
  });

  it('reads a text or a list, with arguments', () => {
    expect(readShell('bash -e -o pipefail')).toMatchObject({ program: 'bash', args: ['-e', '-o', 'pipefail'] });
    expect(readShell('"C:\\Program Files\\PowerShell\\pwsh.exe" -NoLogo')).toMatchObject({
      program: 'C:\\Program Files\\PowerShell\\pwsh.exe',
      args: ['-NoLogo'],
    });
    expect(readShell(['pwsh', '-NoProfile'], ['-x y'])).toMatchObject({
      program: 'pwsh',
      args: ['-NoProfile', '-x y'],
    });
  });

  it('knows those that cannot be used', () => {
    expect(whyNoShell(readShell('direct'))).toContain('name a shell');
    expect(whyNoShell(readShell('nix-shell -p x'))).toContain('not supported');
    expect(whyNoShell(readShell(' '))).toContain('names no program');
    expect(whyNoShell(readShell('bash'))).toBeUndefined();
    expect([isPosixShell('/bin/dash'), isPosixShell('pwsh')]).toEqual([true, false]);
  });

  it.each([
    ['#!/bin/bash -eu\necho', { program: '/bin/bash', args: ['-eu'] }],
    ['#!/usr/bin/env python3\nprint()', { program: 'python3', args: [] }],
    ['#! /usr/bin/env -S node --no-warnings\n', { program: 'node', args: ['--no-warnings'] }],
    ['#!/usr/bin/perl\r\n', { program: '/usr/bin/perl', args: [] }],
  ])('%j names its interpreter', (script, shell) => {
    expect(interpreterOf(script)).toEqual({ ...shell, isFromScript: true });
  });

  it("a step's shell goes before a script's own, and that before the workflow's", () => {
    const script = '#!/bin/bash\necho';
    const shells = { workflow: readShell('zsh'), system };
    expect(shellOf(script, { ...shells, step: readShell('dash') }).program).toBe('dash');
    expect(shellOf(script, shells).program).toBe('/bin/bash');
    expect(shellOf('echo', shells).program).toBe('zsh');
    expect(shellOf(' #!/bin/bash', { system }).program).toBe('sh');
  });
});

describe('starts', () => {
  it('a POSIX shell ends at the first failure, and has positional parameters', () => {
    expect(run('echo "$1|$2"; false; echo no', system, ['a b', '$c'])).toEqual({ printed: 'a b|$c\n', code: 1 });
    expect(run('false; echo on', readShell('bash +e')).printed).toBe('on\n');
    expect(run('echo ${params.x}', readShell('bash -c')).printed).toBe('v $(touch x)\n');
  });

  it('a script with its own shell runs as its first line says, its values as data', () => {
    const script = '#!/usr/bin/env bash\nfalse\necho "${params.x}" $1 ${BASH_VERSION:+bash}\n';
    expect(run(script, shellOf(script, { system }), ['p'])).toEqual({ printed: 'v $(touch x) p bash\n', code: 0 });
  });

  it('an interpreter gets a file with its ending; values are program text there, which is warned of', () => {
    const script = '#!/usr/bin/env node\nconsole.log("${params.x}", process.argv.slice(2), __filename.slice(-3))\n';
    const shell = shellOf(script, { system });
    expect(run(script, shell, ['p']).printed).toBe("v $(touch x) [ 'p' ] .js\n");
    expect(checkShellReferences(script, languageOf(shell)).warnings).toEqual([
      '${params.x} becomes program text of the interpreter; set it under env, and let the program read the variable',
    ]);
    expect(checkShellReferences('print("${consts.x}")', languageOf(readShell('python3'))).warnings).toEqual([]);
  });

  it('PowerShell runs a file, whose path is no program text', () => {
    const shell = readShell('pwsh -noprofile -Command');
    const started = languageOf(shell).start(shell, { script: 'ls', env: {}, options: [] }, []);
    const args = started.args("/t/it's.ps1");
    expect(args.slice(0, 6)).toEqual([
      '-noprofile',
      '-NoLogo',
      '-NonInteractive',
      '-ExecutionPolicy',
      'Bypass',
      '-Command',
    ]);
    expect(args[6]).toContain('& $env:DAGU_REF_SCRIPT');
    expect(args[6]).not.toContain('"');
    expect(started.env("/t/it's.ps1")).toEqual({ DAGU_REF_SCRIPT: "/t/it's.ps1" });
    expect(started.file).toEqual({ ending: '.ps1', content: '\uFEFFls' });
  });

  it('cmd gets a line as it is typed, and more lines as a batch file', () => {
    const shell = readShell(['cmd', '/c']);
    const start = (command: string) =>
      languageOf(shell).start(
        shell,
        shellProgram(command, () => undefined, languageOf(shell)),
        [],
      );
    expect(start('echo "a"').args('')).toEqual([
      ...['/d', '/q', '/e:on', '/v:off', '/s', '/c'],
      '"(chcp 65001 & ver)>nul 2>&1 & echo "a""',
    ]);
    const script = start('echo a\r\necho b\n');
    expect(script.file).toEqual({
      ending: '.cmd',
      content: '@(chcp 65001 & ver)>nul 2>&1\r\necho a\r\necho b\r\n',
    });
    expect(script.args('C:\\t\\s.cmd').at(-1)).toBe('""C:\\t\\s.cmd""');
    expect(script.isVerbatim).toBe(true);
  });
});
