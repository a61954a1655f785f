import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { checkShellReferences, shellProgram } from './shell-data.ts';

const folder = mkdtempSync(join(tmpdir(), 'shell-data-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs a command as a step does, with one parameter, and gives what it printed. */
function print(command: string, value: string, shell: string): string {
  const { script, env } = shellProgram(command, ([namespace]) => (namespace === 'params' ? value : undefined));
  return execFileSync(shell, ['-e', '-c', script], {
    cwd: folder,
    env: { PATH: process.env.PATH ?? '', HOME: folder, ...env },
    encoding: 'utf8',
  });
}

/** What a command prints for each of many values, run one after another by one shell. */
function printAll(command: string, values: readonly string[], shell: string): string[] {
  const separator = '\x1e';
  const runs = values.map((value, at) => {
    const { script, env } = shellProgram(command, ([namespace]) => (namespace === 'params' ? value : undefined));
    const variables = Object.entries(env).map(([name, text]) => ({ name, text, alias: `VALUE_${at}_${name}` }));
    const given = variables.map(({ name, alias }) => `${name}="$${alias}"; export ${name}\n`).join('');
    return { variables, script: `(\n${given}${script}\n)\nprintf '${separator}'\n` };
  });
  const env = Object.fromEntries(runs.flatMap((run) => run.variables.map(({ alias, text }) => [alias, text])));
  const printed = execFileSync(shell, ['-e', '-c', runs.map((run) => run.script).join('')], {
    cwd: folder,
    env: { PATH: process.env.PATH ?? '', HOME: folder, ...env },
    encoding: 'utf8',
  });
  return printed.split(separator).slice(0, -1);
}

const hostile = [
  '$(touch x)',
  '`touch x`',
  '"; touch x; "',
  "'; touch x; '",
  '; touch x',
  '&& touch x',
  '| tee x',
  '> x',
  'a\ntouch x\n',
  '\\"; touch x #',
  '${IFS}x',
  '*',
  'it\'s "both" \\ and $HOME',
  ' two  spaces ',
  '-n',
  '日本語 🙂',
  '',
];

const places: [name: string, command: string, printed: (value: string) => string][] = [
  ['unquoted', 'printf "%s|" start ${params.x} end', (value) => `start|${value}|end|`],
  ['double quotes', 'printf "%s|" "a ${params.x} b"', (value) => `a ${value} b|`],
  ['single quotes', "printf '%s|' 'a ${params.x} b'", (value) => `a ${value} b|`],
  ['joined to a word', 'printf "%s|" a${params.x}b', (value) => `a${value}b|`],
  ['an assignment', 'v=${params.x}; printf "%s|" "$v"', (value) => `${value}|`],
  ['a command substitution', 'v="$(printf "%s|" "${params.x}")"; printf "%s" "$v"', (value) => `${value}|`],
  ['backticks', 'v=`printf "%s|" ${params.x}`; printf "%s" "$v"', (value) => `${value}|`],
  ['a subshell', '(printf "%s|" ${params.x}); printf "%s|" "${params.x}"', (value) => `${value}|${value}|`],
  ['a default', 'printf "%s|" "${nothing:-${params.x}}"', (value) => `${value}|`],
  ['a here-document', 'cat <<END\n<${params.x}>\nEND\nprintf "%s|" ${params.x}', (value) => `<${value}>\n${value}|`],
  ['after an apostrophe in a comment', "# don't\nprintf '%s|' ${params.x}", (value) => `${value}|`],
  [
    'after a quoted here-document',
    "cat <<'END' >/dev/null\nit's\nEND\nprintf '%s|' ${params.x}",
    (value) => `${value}|`,
  ],
  [
    'a subshell in arithmetic parentheses',
    'echo $(( (1+(2)) + 1 )) ${params.x} >/dev/null; printf "%s|" ${params.x}',
    (value) => `${value}|`,
  ],
  [
    'a case in a command substitution',
    'v="$(case a in a) printf "%s|" ${params.x};; esac)"; printf "%s" "$v"',
    (value) => `${value}|`,
  ],
  [
    'a command in a here-document',
    "cat <<END\n$(printf '<%s>' '${params.x}')$(printf '<%s>' ${params.x})\nEND",
    (value) => `<${value}><${value}>\n`,
  ],
  ['an unquoted default', 'printf "%s|" ${nothing:-${params.x}}', (value) => `${value}|`],
  ['after a line that goes on', "printf '' \\\n# don't\nprintf '%s|' ${params.x}", (value) => `${value}|`],
  ['a function', 'f() { printf "%s|" "$1"; }\nf ${params.x}', (value) => `${value}|`],
  ['an if', 'if [ ${params.x} = ${params.x} ]; then printf "%s|" ${params.x}; fi', (value) => `${value}|`],
  ['a loop', 'for i in ${params.x}; do printf "%s|" "$i"; done', (value) => `${value}|`],
  ['an export', 'export V=${params.x}; sh -c \'printf "%s|" "$V"\'', (value) => `${value}|`],
  [
    'after a dollar sign',
    'printf "%s|" "a$${params.x}" $${params.x} \'$${params.x}\'',
    (value) => `a$${value}|$${value}|$${value}|`,
  ],
  ['after the number of the shell', 'printf "%s|" "$$${params.x}" | sed "1s/^[0-9]*//"', (value) => `${value}|`],
  ['in a comment', 'printf a # ${params.x}\nprintf b', () => 'ab'],
];

const shells = ['sh', 'bash'].filter((shell) => existsSync(`/bin/${shell}`));

describe.each(shells)('references in %s are data', (shell) => {
  for (const [place, command, printed] of places) {
    it(place, () => {
      expect(printAll(command, hostile, shell)).toEqual(hostile.map(printed));
      expect(existsSync(join(folder, 'x')), 'a value ran as program text').toBe(false);
    });
  }
});

describe('references that cannot be data', () => {
  it('lets only numbers into arithmetic', () => {
    expect(print('echo $((1 + ${params.x}))', '41', 'sh')).toBe('42\n');
    expect(() => print('echo $((1 + ${params.x}))', 'a[$(touch x)]', 'bash')).toThrow('only a number may stand');
  });

  it("refuses $'…', which shells read differently, and a NUL", () => {
    expect(checkShellReferences("echo $'it\\'s ${params.x}'").problems).toHaveLength(1);
    expect(checkShellReferences('echo \0').problems).toHaveLength(1);
  });

  it('refuses a dollar sign right before it in backticks', () => {
    expect(checkShellReferences('echo `echo $${params.x}`').problems).toEqual([expect.stringContaining('use $(…)')]);
  });

  it('refuses a here-document with a quoted end word', () => {
    expect(checkShellReferences("cat <<'END'\n${params.x}\nEND").problems).toHaveLength(1);
    expect(checkShellReferences('cat <<END\n${params.x}\nEND').problems).toEqual([]);
  });

  it('says when a value is too long for an environment variable', () => {
    expect(() => shellProgram('echo ${params.x}', () => 'x'.repeat(200_000))).toThrow('longer than 128 KB');
  });

  it('inserts constants as text, and keeps what has no value', () => {
    const { script, env } = shellProgram('${consts.tool} ${steps.a.outputs.b} \\${params.x}', ([namespace]) =>
      namespace === 'consts' ? 'ls -l' : undefined,
    );
    expect(script).toBe('ls -l ${steps.a.outputs.b} ${params.x}');
    expect(env).toEqual({});
  });
});
