import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { shellProgram } from '../../core/workflow/shell-data.ts';
import { languageOf, readShell } from '../../core/workflow/shells.ts';

/**
 * References in programs of cmd, run by the cmd of Wine. Needs `wine` in PATH, Wine 9 or
 * newer: the cmd of older ones expands again what a value holds. No display is needed.
 */

const run = promisify(execFile);
const shell = readShell('cmd');
const language = languageOf(shell);

const home = mkdtempSync(join(tmpdir(), 'wine-cmd-'));
const work = join(home, 'work');
const pwned = join(home, 'work', 'pwned.txt');
const wineEnv = {
  PATH: process.env.PATH ?? '',
  HOME: home,
  LANG: 'C.UTF-8',
  WINEPREFIX: join(home, 'prefix'),
  WINEARCH: 'win64',
  WINEDEBUG: '-all',
  // Neither .NET nor HTML is needed, and asking for them opens windows.
  WINEDLLOVERRIDES: 'mscoree=;mshtml=',
};

/** Keeps Wine's own processes alive between the tests. */
let keeper: ChildProcess | undefined;

beforeAll(async () => {
  const { stdout } = await run('wine', ['--version'], { cwd: home }).catch(() => ({ stdout: 'no wine' }));
  expect(Number(/^wine-(\d+)/.exec(stdout)?.[1] ?? 0), `Wine 9 or newer is needed, not ${stdout}`).toBeGreaterThan(8);
  mkdirSync(work);
  await run('wine', ['wineboot', '-i'], { cwd: home, env: wineEnv });
  keeper = spawn('wine', ['cmd'], { cwd: home, env: wineEnv, stdio: ['pipe', 'ignore', 'ignore'] });
}, 120_000);

afterAll(async () => {
  if (keeper !== undefined) {
    const ended = once(keeper, 'exit');
    keeper.stdin?.end();
    await ended;
    // Ends what Wine keeps running for the prefix.
    await run('wine', ['wineboot', '-e', '-f'], { cwd: home, env: wineEnv });
  }
  rmSync(home, { recursive: true, force: true });
}, 60_000);

/** Runs a command with one parameter as a step does, and gives what it printed and how it ended. */
async function start(command: string, value: string): Promise<{ code: number; printed: string }> {
  const program = shellProgram(command, ([namespace]) => (namespace === 'params' ? value : undefined), language);
  const { args, file, env } = language.start(shell, program, []);
  const path = join(home, `script${file?.ending}`);
  if (file !== undefined) writeFileSync(path, file.content);
  const given = args(`Z:${path.replaceAll('/', '\\')}`);
  // The arguments are one command line, in quotes; Wine makes the same of them where there are none inside.
  const last = (given.at(-1) as string).replace(/^"("?)(.*)\1"$/s, '$2');
  if (last.includes('"')) throw new Error(`cannot be given to wine: ${last}`);
  const output = join(home, 'output.txt');
  const child = spawn('sh', ['-c', `exec wine "$@" >'${output}' 2>&1`, 'sh', 'cmd', ...given.slice(0, -1), last], {
    cwd: work,
    env: { ...wineEnv, ...program.env, ...env(path) },
    stdio: 'ignore',
  });
  const code = await new Promise<number>((resolve) => child.once('exit', (status) => resolve(status ?? -1)));
  return { code, printed: readFileSync(output, 'utf8').replaceAll('\r\n', '\n') };
}

const attack = 'echo pwned> pwned.txt';
const special = [
  `& ${attack} &`,
  `" & ${attack} & "`,
  `' & ${attack} & '`,
  `^& ${attack} ^&`,
  `| ${attack}`,
  `a\n${attack}\n`,
  `a\r\n${attack}\r\n`,
  `) & ${attack} & (`,
  '%PATH%',
  '!PATH!',
  '^!PATH^!',
  '%PATH:~0,3% %0 %* %%i',
  '^',
  '^^',
  '!',
  'Hello! ^ "quoted" (text) <b> | %',
  '> pwned.txt',
  `%=% & ${attack}`,
  '"',
  '""" odd """',
];
const plain = [
  'text',
  'two  spaces',
  '$(touch x)',
  '`touch x`',
  "it's",
  'C:\\Data\\',
  '/x-y=1,2;3',
  '-n',
  'it [1] {2} #~@',
];

describe('references in cmd are data', () => {
  const places: [name: string, command: string, printed: (value: string) => string][] = [
    ['a line as typed', 'echo.${params.x}', (value) => `${value}\n`],
    ['a batch file, in quotes', 'echo "a ${params.x} b"\necho end', (value) => `"a ${value} b"\nend\n`],
    ['an assignment', 'set V=${params.x}\nset V', (value) => `V=${value}\n`],
    ['a block after a condition', 'if 1==1 (\n  echo.${params.x}\n) else echo no\n', (value) => `${value}\n`],
    ['a comparison', 'if "${params.x}"=="other" (echo same) else echo differs\n', () => 'differs\n'],
    ["the author's own signs", 'echo wow! "1^2!" ^^ ${params.x}\n', (value) => `wow! "1^2!" ^ ${value}\n`],
  ];
  for (const [place, command, printed] of places) {
    it(place, { timeout: 120_000 }, async () => {
      for (const value of [...special, ...plain]) {
        const { code, printed: output } = await start(command, value);
        expect(output, JSON.stringify(value)).toBe(printed(value).replaceAll('\r\n', '\n'));
        expect(code).toBe(0);
        expect(existsSync(pwned), `${JSON.stringify(value)} ran as program text`).toBe(false);
      }
    });
  }

  it('an empty value', { timeout: 60_000 }, async () => {
    expect(await start('echo [${params.x}]', '')).toEqual({ code: 0, printed: '[]\n' });
    expect(await start('if "${params.x}"=="" echo none\n', '')).toEqual({ code: 0, printed: 'none\n' });
  });

  it('letters of any script, by a file that is made', { timeout: 60_000 }, async () => {
    await start('echo x> "${params.x}.txt"\n', '請求書 & 見積書');
    expect(existsSync(join(work, '請求書 & 見積書.txt'))).toBe(true);
    await start('echo x> ${params.x}.txt', '領収書');
    expect(existsSync(join(work, '領収書.txt'))).toBe(true);
  });

  it('a plain value in a loop, a pipe and a call', { timeout: 60_000 }, async () => {
    expect((await start('for %%i in (a b) do echo %%i! ${params.x}\n', 'v 1')).printed).toBe('a! v 1\nb! v 1\n');
    expect((await start('for %i in (a b) do echo %i ${params.x}', 'v 1')).printed).toBe('a v 1\nb v 1\n');
    expect((await start('echo ${params.x}| find "v"\n', 'v 1')).printed).toBe('v 1\n');
    expect((await start('call :f ${params.x}\nexit /b\n:f\necho %1\n', 'v1')).printed).toBe('v1\n');
  });

  it('no digit becomes the number of a redirection', { timeout: 60_000 }, async () => {
    await start('echo ${params.x}> digit.txt\n', '2');
    expect(readFileSync(join(work, 'digit.txt'), 'utf8').trim()).toBe('2');
  });
});

it('a program ends with the exit code of its last command', { timeout: 60_000 }, async () => {
  expect((await start('exit /b ${params.x}\n', '3')).code).toBe(3);
  expect((await start('exit ${params.x}', '4')).code).toBe(4);
});
