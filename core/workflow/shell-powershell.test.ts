import { describe, expect, it } from 'vitest';
import { checkShellReferences, shellProgram } from './shell-data.ts';
import { languageOf, readShell } from './shells.ts';

const powershell = languageOf(readShell('pwsh'));
/** How the first reference of a program is written. */
const one = '${env:DAGU_REF_1}';

function translate(command: string, value = '$(calc); "\'`n'): string {
  const { script, env } = shellProgram(
    command,
    ([namespace]) => (namespace === 'params' ? value : namespace === 'consts' ? 'C:\\Data' : undefined),
    powershell,
  );
  for (const held of Object.values(env)) expect([value, '${steps.a.outputs.b}']).toContain(held);
  return script;
}

describe('references in PowerShell become variables in double quotes', () => {
  it.each([
    ['a word', 'Write-Output ${params.x}', `Write-Output "${one}"`],
    ['the beginning of a word', 'Get-Item ${params.x}.txt', `Get-Item "${one}.txt"`],
    ['the middle of a word', 'Get-Item a-${params.x}/b.txt', `Get-Item "a-${one}/b.txt"`],
    ['a word with a variable', 'Get-Item $env:TEMP/${params.x}.txt', `Get-Item "$env:TEMP/${one}.txt"`],
    ['two in a word', 'f ${params.x}-${params.x}', `f "${one}-${one}"`],
    ['a list', 'f a,${params.x},b', `f a,"${one}",b`],
    ['an argument with its name', 'f -Path:${params.x} -Force', `f -Path:"${one}" -Force`],
    ['an option of a program', 'git log --author=${params.x} -n5', `git log "--author=${one}" -n5`],
    ['a program called by a path', '& ${params.x} a ${params.x}.b', `& "${one}" a "${one}.b"`],
    ['after a redirection', 'f > ${params.x}.txt 2>&1', `f > "${one}.txt" 2>&1`],
    ['an assignment', '$y = ${params.x}; $y', `$y = "${one}"; $y`],
    ['a method', '$y = ${params.x}.Trim()', `$y = "${one}".Trim()`],
    ['a comparison', "if (${params.x} -eq 'a') { f ${params.x} }", `if ("${one}" -eq 'a') { f "${one}" }`],
    ['a cast', '[int]${params.x} + 1', `[int]"${one}" + 1`],
    ['a hash table', '@{ a = ${params.x}; b = 1 }', `@{ a = "${one}"; b = 1 }`],
    ['a loop', 'foreach ($i in ${params.x}) { $i }', `foreach ($i in "${one}") { $i }`],
    ['a script block', 'ls | ? { $_.Name -eq ${params.x} }', `ls | ? { $_.Name -eq "${one}" }`],
    ['double quotes', 'f "a ${params.x} b"', `f "a ${one} b"`],
    ['after a dollar sign', 'f "costs $${params.x}" $${params.x}', `f "costs \`$${one}" "\`$${one}"`],
    ['a doubled quote', 'f "a ""${params.x}"" b"', `f "a ""${one}"" b"`],
    ['typographic quotes', 'f “a ${params.x}”', `f “a ${one}”`],
    ['single quotes', "f 'a $b `c \"d\" ''e'' ${params.x}'", `f "a \`$b \`\`c \`"d\`" 'e' ${one}"`],
    ['typographic single quotes', 'f ‘a ’’ “b” ${params.x}’', `f "a ’ \`“b\`” ${one}"`],
    ['a subexpression', 'f "$(g ${params.x}) ${params.x}"', `f "$(g "${one}") ${one}"`],
    ['single quotes in it', 'f "$(g \'a ${params.x}\')"', `f "$(g "a ${one}")"`],
    ['a here-string', 'f @"\n"a" ${params.x} $b\n"@', `f @"\n"a" ${one} $b\n"@`],
    ['a verbatim here-string', "f @'\n'a' \"b\" $c ${params.x}\n'@", `f @"\n'a' "b" \`$c ${one}\n"@`],
    ['after a here-string', "f @'\nit's\n'@ ${params.x}", `f @'\nit's\n'@ "${one}"`],
    ['comments', "f 1 # don't ${params.x}\ng <# don't ${params.x} #> 2", "f 1 # don't \ng <# don't  #> 2"],
    ['no comment', 'f a#b ${params.x}', `f a#b "${one}"`],
    ['after a comment', "# don't\nf ${params.x}", `# don't\nf "${one}"`],
    ['after an escaped quote', 'f `" ${params.x}', `f \`" "${one}"`],
    ['the end of a line that goes on', 'f a `\n  ${params.x}.b', `f a \`\n  "${one}.b"`],
    ['a name like 7z', '7z a ${params.x}.7z', `7z a "${one}.7z"`],
  ])('%s', (_, command, script) => {
    expect(translate(command)).toBe(script);
    expect(checkShellReferences(command, powershell)).toEqual({ problems: [], warnings: [] });
  });

  it('inserts constants as text, and keeps what has no value as text', () => {
    expect(translate('ls ${consts.dir} ${steps.a.outputs.b}')).toBe(`ls C:\\Data "${one}"`);
  });

  it('takes numbers for numbers where a text would be compared, joined or repeated', () => {
    expect(translate('if (${params.n} -gt 5) { 1 }', '10')).toBe(`if (([decimal]${one}) -gt 5) { 1 }`);
    expect(translate('$y = ${params.n} * 2', '3')).toBe(`$y = ([decimal]${one}) * 2`);
    expect(translate('${params.n}..9', '3')).toBe(`([decimal]${one})..9`);
    expect(translate('$y = "a" + ${params.x} + 1')).toBe(`$y = "a" + "${one}" + 1`);
    expect(() => translate('if (${params.n} -gt 5) { 1 }', 'many')).toThrow('only a number may stand there');
  });
});

describe('what PowerShell cannot take as data', () => {
  it.each([
    ['f ${params.x}"b"', 'put the whole text in double quotes'],
    ["f 'b'${params.x}", 'put the whole text in double quotes'],
    ['f ${params.x}$(g)', 'put the whole text in double quotes'],
    ['f $(g)${params.x}', 'put the whole text in double quotes'],
    ['f $a.b/${params.x}', 'put the whole text in double quotes'],
    ['$y = ${params.x}.txt', 'put the whole text in double quotes'],
    ['f "`${params.x}"', 'leave the backtick away'],
    ['f `${params.x}', 'leave the backtick away'],
    ['f ${a ${params.x}}', 'inside the name of a variable'],
    ['cmd --% /c ${params.x}', 'after --%'],
    ['Invoke-Command -ComputerName srv { ls ${params.x} }', 'use $using:x in the block'],
    ['icm { ls ${params.x} } -Session $s', 'use $using:x in the block'],
  ])('%s', (command, reason) => {
    expect(checkShellReferences(command, powershell).problems).toEqual([expect.stringContaining(reason)]);
    expect(() => translate(command)).toThrow(reason);
  });

  it.each([
    'iex "ls ${params.x}"',
    '"ls ${params.x}" | Invoke-Expression',
    'powershell -Command "ls ${params.x}"',
    '& cmd.exe /c "dir ${params.x}"',
    '[scriptblock]::Create("ls ${params.x}")',
  ])('%s is warned of', (command) => {
    expect(checkShellReferences(command, powershell).warnings).toEqual([expect.stringContaining('set it under env')]);
  });

  it('what is no such command is not warned of', () => {
    for (const command of ['Invoke-Command { ls ${params.x} }', 'ls cmd /c ${params.x}', 'pwsh-tool -c ${params.x}']) {
      expect(checkShellReferences(command, powershell), command).toEqual({ problems: [], warnings: [] });
    }
  });

  it('a backslash of a path takes the meaning of a reference, which is told', () => {
    expect(checkShellReferences('ls C:\\Data\\${params.x}', powershell).warnings).toEqual([
      expect.stringContaining('is no reference'),
    ]);
  });
});

describe('a value is never in the text of a program', () => {
  const parts = [
    ...['f ', '"', "'", '`', '$', '$(', ')', '{', '}', '@"\n', '\n"@', "@'\n", "\n'@", '#', '<#', '#>', '\n', ';'],
    ...['|', '=', ' ', '.txt', '-a:', '“', '’', '$x', '@{', '--%', '[int]', ' -gt 5', '& ', '> ', 'it’s'],
  ];

  /** Numbers that look random and are the same each time. */
  function* numbers(seed: number): Generator<number> {
    for (let state = seed; ; ) {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      yield state;
    }
  }

  it('whatever stands around it', () => {
    const random = numbers(7);
    const next = (below: number) => Math.floor(((random.next().value as number) / 2 ** 32) * below);
    let translated = 0;
    for (let round = 0; round < 3000; round += 1) {
      const command = Array.from({ length: 2 + next(9) }, () =>
        next(3) === 0 ? '${params.x}' : (parts[next(parts.length)] as string),
      ).join('');
      const { problems } = checkShellReferences(command, powershell);
      if (problems.length > 0) continue;
      try {
        expect(translate(command, 'ATTACK'), command).not.toContain('ATTACK');
        translated += 1;
      } catch (error) {
        expect(String(error), command).toContain('only a number may stand there');
      }
    }
    expect(translated).toBeGreaterThan(1000);
  });
});
