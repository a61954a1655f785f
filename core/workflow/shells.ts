import type { Scope } from './references.ts';
import { cmdNotes, cmdProgram } from './shell-cmd.ts';
import { posixNotes, posixProgram } from './shell-posix.ts';
import { powershellNotes, powershellProgram } from './shell-powershell.ts';
import { textNotes, textProgram } from './shell-text.ts';
import type { ShellNotes, ShellProgram } from './shell-values.ts';

/** A shell or interpreter as a workflow file names it. */
export interface Shell {
  /** Name or path of the program. */
  program: string;
  args: readonly string[];
  /** A `#!` line named it: it runs as that line says, and nothing is added. */
  isFromScript: boolean;
}

/** A language that commands are written in: how values reach its programs, and how those are started. */
export interface ShellLanguage {
  name: 'posix' | 'powershell' | 'cmd' | 'text';
  /** Its users write paths with backslashes. */
  hasBackslashPaths: boolean;
  /** The program of a command, its references replaced. Throws a `ShellDataError`. */
  program(command: string, scope: Scope): ShellProgram;
  /** What can be said of a command's references before a run. @param scope knows constants alone */
  notes(command: string, scope: Scope): ShellNotes;
  start(shell: Shell, program: ShellProgram, positional: readonly string[]): ShellStart;
}

/** How a shell is started with a program. */
export interface ShellStart {
  /** The program of the shell; a name is looked for in PATH. */
  program: string;
  /** The file to write before the start, in a folder that is the owner's alone, and to remove afterwards. */
  file?: {
    /** With its dot; empty where the shell does not care. */
    ending: string;
    content: string;
  };
  /** What follows the program's name. @param file path of the written file, where there is one */
  args(file: string): string[];
  /** Variables beside those of the program. */
  env(file: string): Record<string, string>;
  /** The arguments are the command line as it is (Windows): Node's `windowsVerbatimArguments`. */
  isVerbatim: boolean;
}

/** sh, bash, zsh, dash, ksh: `-e` ends a program at its first failure, unless the shell's own arguments undo it. */
export const posix: ShellLanguage = {
  name: 'posix',
  hasBackslashPaths: false,
  program: posixProgram,
  notes: posixNotes,
  start(shell, { script }, positional) {
    if (shell.isFromScript) return byFile(shell, script, '', positional);
    const options = shell.args.at(-1) === '-c' ? shell.args.slice(0, -1) : shell.args;
    return byArguments(shell.program, ['-e', ...options, '-c', script, baseName(shell.program), ...positional]);
  },
};

/**
 * PowerShell: a program ends at its first error, and with the exit code of a program that
 * failed. Output and scripts are UTF-8, for which Windows PowerShell needs a mark at the
 * beginning of the file. Positional parameters do not reach it.
 */
const powershell: ShellLanguage = {
  name: 'powershell',
  hasBackslashPaths: true,
  program: powershellProgram,
  notes: powershellNotes,
  start(shell, { script }) {
    const wanted = ['-NoLogo', '-NoProfile', '-NonInteractive'];
    const given = withoutLast(shell.args, /^[-/](?:c|command|f|file)$/i);
    const missing = wanted.filter((option) => !given.some((one) => one.toLowerCase() === option.toLowerCase()));
    return {
      program: shell.program,
      file: { ending: '.ps1', content: `\uFEFF${script}` },
      args: () => [...given, ...missing, '-ExecutionPolicy', 'Bypass', '-Command', powershellFrame],
      env: (file) => ({ [powershellFile]: file }),
      isVerbatim: false,
    };
  },
};

const powershellFile = 'DAGU_REF_SCRIPT';
const powershellFrame = [
  "$ErrorActionPreference = 'Stop'",
  '$PSNativeCommandUseErrorActionPreference = $true',
  '$OutputEncoding = New-Object System.Text.UTF8Encoding $false',
  // Without a console there is no encoding to set.
  'try { [Console]::OutputEncoding = $OutputEncoding } catch { }',
  `try { & $env:${powershellFile} } catch { [Console]::Error.WriteLine(($_ | Out-String)); if ($LASTEXITCODE) { exit $LASTEXITCODE }; exit 1 }`,
  'exit $LASTEXITCODE',
].join('; ');

/**
 * cmd: a command in one line is read as typed (`%i` in loops), a script of more lines as a
 * batch file (`%%i`). It goes on after a command that failed, as batch files do; its exit
 * code is that of the last one. Positional parameters do not reach it, since cmd takes
 * them for program text.
 */
const cmd: ShellLanguage = {
  name: 'cmd',
  hasBackslashPaths: true,
  program: cmdProgram,
  notes: cmdNotes,
  start(shell, { script, options }) {
    const given = withoutLast(shell.args, /^\/[ck]$/i);
    const switches = [...given, '/d', '/q', '/e:on', ...options, '/s', '/c'];
    const common = { program: shell.program, env: () => ({}), isVerbatim: true };
    if (!script.includes('\n')) return { ...common, args: () => [...switches, `"${cmdPreparation} & ${script}"`] };
    const content = `@${cmdPreparation}\n${script}`.replaceAll(/\r?\n/g, '\r\n');
    return { ...common, file: { ending: '.cmd', content }, args: (file) => [...switches, `""${file}""`] };
  },
};

/**
 * The console's code page decides how cmd reads files and writes text. Where there is no
 * console it cannot be set, and the exit code that this leaves is not the program's.
 */
const cmdPreparation = '(chcp 65001 & ver)>nul 2>&1';

/** Any other interpreter: a script file, named by the ending that it may ask for. */
const text: ShellLanguage = {
  name: 'text',
  hasBackslashPaths: false,
  program: textProgram,
  notes: textNotes,
  start: (shell, { script }, positional) => byFile(shell, script, endingOf(shell.program), positional),
};

function byArguments(program: string, args: string[]): ShellStart {
  return { program, args: () => args, env: () => ({}), isVerbatim: false };
}

function byFile(shell: Shell, content: string, ending: string, positional: readonly string[]): ShellStart {
  return {
    program: shell.program,
    file: { ending, content },
    args: (file) => [...shell.args, file, ...positional],
    env: () => ({}),
    isVerbatim: false,
  };
}

/** Options without the one that says what follows, since that one is added. */
function withoutLast(args: readonly string[], option: RegExp): readonly string[] {
  return option.test(args.at(-1) ?? '') ? args.slice(0, -1) : args;
}

const languages = new Map<string, ShellLanguage>([
  ...['sh', 'bash', 'zsh', 'dash', 'ksh', 'ksh93', 'mksh', 'ash'].map((name) => [name, posix] as const),
  ...['pwsh', 'powershell', 'pwsh-preview'].map((name) => [name, powershell] as const),
  ['cmd', cmd],
]);

/** The language of a shell, by the name of its program. */
export function languageOf(shell: Shell): ShellLanguage {
  return languages.get(baseName(shell.program)) ?? text;
}

/** Whether a shell, given as a name or a path, takes POSIX syntax and `-c`. */
export function isPosixShell(program: string): boolean {
  return languages.get(baseName(program)) === posix;
}

const endings: readonly [name: RegExp, ending: string][] = [
  [/^(?:python|pypy|py$)/, '.py'],
  [/^(?:node|bun|deno)/, '.js'],
  [/^(?:tsx|ts-node)/, '.ts'],
  [/^perl/, '.pl'],
  [/^j?ruby/, '.rb'],
  [/^php/, '.php'],
  [/^lua/, '.lua'],
  [/^rscript/, '.R'],
  [/^fish/, '.fish'],
];

function endingOf(program: string): string {
  const name = baseName(program);
  return endings.find(([pattern]) => pattern.test(name))?.[1] ?? '';
}

/** `pwsh` of `C:\Tools\PWSH.exe`. */
function baseName(program: string): string {
  const name = program.split(/[\\/]/).at(-1) ?? program;
  return name.replace(/\.exe$/i, '').toLowerCase();
}

/** Shells of Dagu that do not run here, and why. */
const refused = new Map([
  ['direct', 'runs a program without a shell, which run does not do; name a shell'],
  ['nix-shell', 'is not supported; call nix-shell in the command'],
]);

/** Why a shell cannot be used, to follow its name; undefined when it can. */
export function whyNoShell({ program }: Shell): string | undefined {
  return program === '' ? 'names no program' : refused.get(baseName(program));
}

/**
 * A shell as `shell:` and `shell_args:` give it: a name or path, with arguments in the
 * same text (`bash -e`) or in a list (`["pwsh", "-NoProfile"]`). A path with spaces stands
 * in quotes, or in a list.
 */
export function readShell(shell: string | readonly string[], args: readonly string[] = []): Shell {
  const [program = '', ...own] = typeof shell === 'string' ? words(shell) : shell;
  return { program, args: [...own, ...args], isFromScript: false };
}

/** The interpreter of a script's `#!` line; undefined where there is none. */
export function interpreterOf(script: string): Shell | undefined {
  const line = /^#![ \t]*(\S[^\r\n]*)/.exec(script)?.[1];
  if (line === undefined) return undefined;
  const [path = '', ...args] = words(line);
  if (baseName(path) !== 'env') return { program: path, args, isFromScript: true };
  const [program = '', ...own] = args[0] === '-S' ? args.slice(1) : args;
  return { program, args: own, isFromScript: true };
}

/**
 * The shell of one command: a step's own, else what the command's `#!` line names, else
 * the workflow's, else the system's.
 */
export function shellOf(command: string, shells: { step?: Shell; workflow?: Shell; system: Shell }): Shell {
  return shells.step ?? interpreterOf(command) ?? shells.workflow ?? shells.system;
}

/** Words of a text, parted by spaces that are not in quotes; a backslash is itself. */
function words(text: string): string[] {
  return Array.from(text.matchAll(/(?:"[^"]*"|'[^']*'|[^\s"'])+|["']/g), ([found]) =>
    found.replaceAll(/"([^"]*)"|'([^']*)'/g, '$1$2'),
  );
}
