import type { Scope } from '../../core/workflow/references.ts';
import { ShellDataError, shellProgram } from '../../core/workflow/shell-data.ts';
import { isPosixShell, languageOf, readShell, type Shell, shellOf } from '../../core/workflow/shells.ts';
import type { Step, Workflow } from '../../core/workflow/types.ts';
import { StepError } from '../action.ts';

/** How a command is started. */
export interface Invocation {
  program: string;
  /** What follows the program's name. @param file path of the written file, where there is one */
  args(file: string): readonly string[];
  /** Variables besides the step's, those that carry the values of the command's references among them. */
  env(file: string): Readonly<Record<string, string>>;
  /** A file to write before, and to remove afterwards. */
  file?: { ending: string; content: string };
  /** The arguments are the command line as it is (Windows). */
  isVerbatim: boolean;
}

/** What the parts of a command are taken from. */
export interface InvocationParts {
  /** The step's shell goes before the workflow's. */
  step: Pick<Step, 'shell' | 'shellArgs'>;
  workflow: Pick<Workflow, 'shell' | 'shellArgs'>;
  scope: Scope;
  /** Resolves the references in the step's shell. */
  expand(text: string): string;
  /** The positional parameters. */
  params: readonly string[];
}

/** What reads commands where the file says nothing. */
const systemShell = readShell(process.platform === 'win32' ? 'powershell' : 'sh');

/** Longest text of a command among a program's arguments, in bytes; Linux takes 128 KB for one. */
const longestArgument = 100_000;

/** How a command of a step is started, its references resolved. Throws a {@link StepError} where a value cannot be passed. */
export function invocationOf(command: string, parts: InvocationParts): Invocation {
  const shell = chooseShell(command, parts);
  const language = languageOf(shell);
  try {
    const program = shellProgram(command, parts.scope, language);
    const isLong = isPosixShell(shell.program) && Buffer.byteLength(program.script) > longestArgument;
    const started = isLong && !shell.isFromScript ? byFile(shell) : shell;
    const { program: name, file, args, env, isVerbatim } = language.start(started, program, parts.params);
    return {
      program: name,
      args,
      env: (path) => ({ ...program.env, ...env(path) }),
      ...(file !== undefined && { file }),
      isVerbatim,
    };
  } catch (error) {
    if (error instanceof ShellDataError) throw new StepError(error.message);
    throw error;
  }
}

/** A POSIX shell that gets its program as a file: as one that the program names itself. */
function byFile({ program, args }: Shell): Shell {
  const options = args.at(-1) === '-c' ? args.slice(0, -1) : args;
  return { program, args: ['-e', ...options], isFromScript: true };
}

function chooseShell(command: string, { step, workflow, expand }: InvocationParts): Shell {
  const args = step.shellArgs?.map(expand);
  return shellOf(command, {
    ...(step.shell !== undefined && { step: ownShell(expand(step.shell), args) }),
    ...(workflow.shell !== undefined && { workflow: readShell(workflow.shell, args ?? workflow.shellArgs) }),
    system: { ...systemShell, args: args ?? [] },
  });
}

/** As in Dagu, a shell that the step names itself goes on after a failure, unless its arguments say otherwise. */
function ownShell(written: string, args: readonly string[] | undefined): Shell {
  const shell = readShell(written, args);
  return isPosixShell(shell.program) ? { ...shell, args: ['+e', ...shell.args] } : shell;
}
