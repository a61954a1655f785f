import { ShellDataError, shellProgram } from '../../core/workflow/shell-data.ts';
import { type StepContext, StepError } from '../action.ts';
import { type CommandProcess, type CommandStart, commandStarter, type ProcessEnd } from './command-process.ts';
import { findProgram } from './find-program.ts';
import type { Guardian } from './guardian.ts';
import { endGroup, groupLives } from './process-group.ts';
import type { StepOutput } from './step-output.ts';
import type { RunValues } from './values.ts';

/** How long output may follow the end of a command whose children still hold it, in ms. */
const drainMs = 200;

export interface ShellStep {
  context: StepContext;
  values: RunValues;
  shell: string;
  stdout: StepOutput;
  stderr: StepOutput;
  guardian: Guardian;
}

/** Runs the commands of a shell step one after another. Gives 0, or throws with the exit code. */
export async function runShellStep(shellStep: ShellStep): Promise<void> {
  for (const command of shellStep.context.step.run) await runCommand(command, shellStep);
}

/** A command ended with an exit code other than 0, or by a signal. */
export class CommandFailed extends StepError {
  readonly exitCode: number;

  constructor(exitCode: number, reason: string) {
    super(reason);
    this.name = 'CommandFailed';
    this.exitCode = exitCode;
  }
}

async function runCommand(
  command: string,
  { context, values, shell, stdout, stderr, guardian }: ShellStep,
): Promise<void> {
  const { script, env } = compile(command, context, values);
  const args = ['-e', '-c', script];
  const child = await start({ args, cwd: context.workingDir, env: { ...context.env, ...env } }, shell, context.signal);
  const group = child.pid;
  guardian.watch(group);
  child.stdout.on('data', (chunk: Buffer) => stdout.write(chunk));
  child.stderr.on('data', (chunk: Buffer) => stderr.write(chunk));
  let stopped: Promise<void> | undefined;
  const stop = () => {
    stopped = endGroup(group);
  };
  context.signal.addEventListener('abort', stop, { once: true });
  if (context.signal.aborted) stop();
  try {
    const { code, signal } = await endOfOutput(child);
    // What the command started may outlive it for a moment; a stopped step has ended with all of it.
    await stopped;
    context.signal.throwIfAborted();
    if (signal !== null) throw new CommandFailed(128, `the command was ended by ${signal}`);
    if (code !== 0) throw new CommandFailed(code ?? 1, `the command ended with exit code ${code}`);
  } finally {
    context.signal.removeEventListener('abort', stop);
    if (!groupLives(group)) guardian.letGo(group);
  }
}

function compile(
  command: string,
  context: StepContext,
  values: RunValues,
): { script: string; env: Record<string, string> } {
  try {
    return shellProgram(command, values.scope(context.env));
  } catch (error) {
    if (error instanceof ShellDataError) throw new StepError(error.message);
    throw error;
  }
}

async function start(what: Omit<CommandStart, 'file'>, shell: string, signal: AbortSignal): Promise<CommandProcess> {
  refuseNul(what.env);
  const startCommand = await commandStarter();
  signal.throwIfAborted();
  try {
    return await startCommand({ file: findProgram(shell, what.env.PATH), ...what });
  } catch (error) {
    throw new StepError(`the command could not be started: ${whyNot(error as NodeJS.ErrnoException, shell, what.cwd)}`);
  }
}

function whyNot(error: NodeJS.ErrnoException, shell: string, folder: string): string {
  if (error.code === 'ENOENT') return `neither may be missing: shell "${shell}", folder "${folder}"`;
  if (error.code === 'E2BIG') {
    return 'it and its environment are longer than the system passes to a program; pass long values in files';
  }
  return error.message;
}

/** A NUL ends a text where the system reads it: what follows would be lost. */
function refuseNul(env: Readonly<Record<string, string>>): void {
  const [name] = Object.entries(env).find((entry) => entry.some((text) => text.includes('\0'))) ?? [];
  if (name === undefined) return;
  throw new StepError(
    `the environment variable ${JSON.stringify(name)} holds a NUL character, which no environment can carry`,
  );
}

async function endOfOutput({ ended, stdout, stderr }: CommandProcess): Promise<ProcessEnd> {
  const outputs = [stdout, stderr];
  const closed = Promise.all(outputs.map((output) => new Promise((resolve) => output.once('close', resolve))));
  const end = await ended;
  // A child of the command that stays behind may hold the pipes open for ever.
  const timer = setTimeout(() => {
    for (const output of outputs) output.destroy();
  }, drainMs);
  await closed;
  clearTimeout(timer);
  return end;
}
