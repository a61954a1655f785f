import { describe, expect, it } from 'vitest';
import { checkShellReferences, shellProgram } from './shell-data.ts';
import { languageOf, readShell } from './shells.ts';

/** That cmd itself takes the programs so, is proven by test/wine/cmd.test.ts. */

const cmd = languageOf(readShell('cmd'));

function program(command: string, value: string, other = value) {
  return shellProgram(
    command,
    ([namespace, name]) =>
      namespace === 'params' ? (name === 'y' ? other : value) : namespace === 'consts' ? 'a & b' : undefined,
    cmd,
  );
}

const special = 'a & calc "%PATH%" ^!\n';

describe('a plain value', () => {
  it.each([
    ['echo ${params.x}', 'echo %DAGU_REF_1%'],
    ['echo "${params.x}" ${params.x}\n', 'echo "%DAGU_REF_1%" %DAGU_REF_1%\n'],
    ['for %%i in (${params.x}) do echo %%i wow!\n', 'for %%i in (%DAGU_REF_1%) do echo %%i wow!\n'],
    ['call x.bat ${params.x} | sort\n', 'call x.bat %DAGU_REF_1% | sort\n'],
    ['echo 100%% of ${params.x} in %TEMP%\\%~n1\n', 'echo 100%% of %DAGU_REF_1% in %TEMP%\\%~n1\n'],
    ['echo 5% ${params.x}', 'echo 5% %DAGU_REF_1%'],
  ])('%s', (command, script) => {
    expect(program(command, 'text')).toEqual({ script, env: { DAGU_REF_1: 'text' }, options: ['/v:off'] });
  });

  it('an empty one leaves no name behind', () => {
    expect(program('echo [${params.x}]', '')).toEqual({ script: 'echo []', env: {}, options: ['/v:off'] });
  });

  it('constants are text of the author', () => {
    expect(program('echo ${consts.c} ${params.x}', 'v').script).toBe('echo a & b %DAGU_REF_1%');
  });
});

describe('any other value', () => {
  const variables = { DAGU_REF_EXCLAMATION: '!', DAGU_REF_CARET: '^' };

  it.each([
    ['echo ${params.x}', 'echo !DAGU_REF_1!'],
    ['echo "${params.x}" & dir/b & echo.${params.x}', 'echo "!DAGU_REF_1!" & dir/b & echo.!DAGU_REF_1!'],
    ['@if not "${params.x}"=="a b" (\n  set V=${params.x}\n) else tool.exe -a ${params.x} > out.txt', undefined],
    ['if exist "${params.x}" del "${params.x}"', 'if exist "!DAGU_REF_1!" del "!DAGU_REF_1!"'],
    [
      'echo wow! "1^2!" a^^b a^&b ${params.x}',
      'echo wow!DAGU_REF_EXCLAMATION! "1!DAGU_REF_CARET!2!DAGU_REF_EXCLAMATION!" a!DAGU_REF_CARET!b a^&b !DAGU_REF_1!',
    ],
  ])('%s', (command, script) => {
    const written = script ?? command.replaceAll('${params.x}', '!DAGU_REF_1!');
    expect(program(command, special)).toEqual({
      script: written,
      env: { DAGU_REF_1: special, ...variables },
      options: ['/v:on'],
    });
    expect(checkShellReferences(command, cmd)).toEqual({ problems: [], warnings: [] });
  });

  it('takes the plain ones beside it along, and empty ones', () => {
    const { script, env } = program('echo ${params.x} ${params.y}', '&', '');
    expect([script, env.DAGU_REF_1, env.DAGU_REF_2]).toEqual(['echo !DAGU_REF_1! !DAGU_REF_2!', '&', '']);
  });

  it.each([
    ['echo ${params.x} %TEMP%', 'write ${env.NAME} for %NAME%'],
    ['for %i in (1) do echo ${params.x}', 'the program has a %'],
    ['echo ${params.x} | sort', 'the program has a pipe'],
    ['call echo ${params.x}', '"call"'],
    ['build.bat ${params.x}', '"build.bat"'],
    ['npm run ${params.x}', '"npm"'],
    ['cmd.exe /c echo ${params.x}', '"cmd.exe"'],
    ['"C:\\Tools\\pwsh.exe" -c ${params.x}', '"c:\\\\tools\\\\pwsh.exe"'],
    ['echo a & start ${params.x}', '"start"'],
    ['if a==a (\nx ${params.x}\n)', '"x"'],
    ['${params.x}', '"…"'],
    ['setlocal EnableDelayedExpansion\necho ${params.x}', 'sets delayed expansion itself'],
    ['if ${params.x} echo', 'an if whose parts are not clear'],
  ])('%s is refused', (command, reason) => {
    expect(() => program(command, special)).toThrow(reason);
    expect(program(command, 'plain').options).toEqual(['/v:off']);
    expect(checkShellReferences(command, cmd).warnings.join()).toContain(reason);
  });

  it('what is plain depends on the place', () => {
    const isPlain = (command: string, value: string) => program(command, value).options[0] === '/v:off';
    expect(isPlain('echo "${params.x}"', 'scan (1)')).toBe(true);
    expect(isPlain('echo ${params.x}', 'scan (1)')).toBe(false);
    expect(isPlain('if "${params.x}"=="a" echo b', '1==1 del')).toBe(true);
    expect(isPlain('if ${params.x}==a echo b', '1==1 del')).toBe(false);
    expect(isPlain('if ${params.x}==a echo b', 'a')).toBe(true);
    expect(isPlain('if a==b echo ${params.x}', '1==1 del')).toBe(true);
    expect(isPlain('echo ${params.x}> f', 'v2')).toBe(false);
    expect(() => program("for /f %i in ('echo ${params.x}') do echo %i", "a' 'b")).toThrow('the program has a %');
  });
});

describe('what cmd cannot take', () => {
  it('a text where it calculates', () => {
    expect(() => program('set /a N=${params.x}+1', 'PATH')).toThrow('only a number may stand there');
    expect(program('set /a N=${params.x}+1', '41').script).toBe('set /a N=%DAGU_REF_1%+1');
  });

  it('a variable after a lone % of a batch file', () => {
    expect(checkShellReferences('echo 5% of ${params.x}\n', cmd).problems).toEqual([
      expect.stringContaining('write %%'),
    ]);
    expect(() => program('echo 5% of ${params.x}\n', 'text')).toThrow('write %%');
  });

  it('what is no interpreter is not warned of', () => {
    expect(checkShellReferences('show.exe -c ${params.x}', cmd)).toEqual({ problems: [], warnings: [] });
  });

  it('more than a line holds', () => {
    expect(() => program('echo ${params.x}', 'x'.repeat(8001))).toThrow('longer than 8000 characters');
  });

  it.each(['powershell -Command "ls ${params.x}"', 'python.exe -c "print(${params.x})"'])(
    '%s is warned of',
    (command) => {
      expect(checkShellReferences(command, cmd).warnings[0]).toContain('set it under env');
    },
  );
});
