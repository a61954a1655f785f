import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { checkShellReferences, shellProgram } from './shell-data.ts';

const folder = mkdtempSync(join(tmpdir(), 'shell-scanner-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs a command with one parameter in bash, and gives what it printed. */
function print(command: string, value: string): string {
  const { script, env } = shellProgram(command, ([namespace]) => (namespace === 'params' ? value : undefined));
  return execFileSync('bash', ['-e', '-c', script], {
    cwd: folder,
    env: { PATH: process.env.PATH ?? '', HOME: folder, ...env },
    encoding: 'utf8',
  });
}

describe('where bash would evaluate a value', () => {
  const evaluated = [
    'echo $((1 + ${params.x}))',
    'echo $(( "${params.x}" + 1 ))',
    'echo $(( (1+(2)) + ${params.x} ))',
    'echo $(( ${nothing:-${params.x}} + 1 ))',
    'cat <<END\n$(( ${params.x} + 1 ))\nEND',
    '(( ${params.x} > 3 )) || true',
    'for ((i = 0; i < ${params.x}; i++)); do :; done',
    '[[ ${params.x} -gt 3 ]] || true',
    'if [[ 3 -lt "${params.x}" ]]; then :; fi',
    's=abc; echo ${s:${params.x}}',
    'a=(1 2); echo ${a[${params.x}]}',
    'a[${params.x}]=1',
    'let "y = ${params.x}"',
    'declare -i y=${params.x}',
    'unset ${params.x}',
    'echo $[ ${params.x} + 1 ]',
    'echo a >&${params.x}',
    'echo a 2>& "${params.x}"',
    'declare ${params.x}=1',
    'export A=1 "${params.x}"',
    'typeset -n y=${params.x}',
    'compgen -W "${params.x}"',
  ];

  it.each(evaluated)('%s takes a number alone', (command) => {
    expect(() => print(command, 'q[$(touch x)]')).toThrow('only a number may stand');
    expect(existsSync(join(folder, 'x'))).toBe(false);
  });

  it.each([
    'export A="b c ${params.x}"; echo "$A"',
    'declare -x A=\'b c \'${params.x}; echo "$A"',
    'echo "b c ${params.x}" >&1',
    'A="b c"; readonly B=1 A="$A ${params.x}"; echo "$A"',
  ])('%s takes any value', (command) => {
    expect(print(command, 'q[$(touch x)] d')).toBe('b c q[$(touch x)] d\n');
    expect(existsSync(join(folder, 'x'))).toBe(false);
  });

  it('computes with a number', () => {
    expect(print('echo $(( (1+(2)) + ${params.x} )); [[ ${params.x} -gt 3 ]] && echo more', '4')).toBe('7\nmore\n');
    expect(print('s=abc; echo ${s:${params.x}}', '1')).toBe('bc\n');
  });
});

describe('a program that runs its argument', () => {
  it.each([
    'eval "echo ${params.x}"',
    "sh -c 'echo ${params.x}'",
    "if true; then bash -ec '${params.x}'; fi",
    "python3 -c 'print(${params.x})'",
    "trap 'echo ${params.x}' EXIT",
  ])('%s is warned of', (command) => {
    expect(checkShellReferences(command).warnings).toEqual([expect.stringContaining('set it under env')]);
  });

  it('is not taken for another', () => {
    for (const command of ['echo -c ${params.x}', 'grep -c ${params.x} f', 'evaluate ${params.x}']) {
      expect(checkShellReferences(command), command).toEqual({ problems: [], warnings: [] });
    }
  });
});
