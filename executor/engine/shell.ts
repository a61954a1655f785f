import { type ChildProcess, spawn } from 'node:child_process';
import { ShellDataError, shellProgram } from '../../core/workflow/shell-data.ts';
import { type StepContext, StepError } from '../action.ts';
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
  context.signal.throwIfAborted();
  const child = spawn(findProgram(shell, context.env.PATH), ['-e', '-c', script], {
    cwd: context.workingDir,
    env: { ...context.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    // A group of its own, so that a stop reaches all that the command started.
    detached: process.platform !== 'win32',
  });
  const group = child.pid;
  if (group !== undefined) guardian.watch(group);
  child.stdout?.on('data', (chunk: Buffer) => stdout.write(chunk));
  child.stderr?.on('data', (chunk: Buffer) => stderr.write(chunk));
  let stopped: Promise<void> | undefined;
  const stop = () => {
    stopped = group === undefined ? undefined : endGroup(group);
  };
  context.signal.addEventListener('abort', stop, { once: true });
  try {
    const { code, signal } = await ended(child, shell, context.workingDir);
    // What the command started may outlive it for a moment; a stopped step has ended with all of it.
    await stopped;
    context.signal.throwIfAborted();
    if (signal !== null) throw new CommandFailed(128, `the command was ended by ${signal}`);
    if (code !== 0) throw new CommandFailed(code ?? 1, `the command ended with exit code ${code}`);
  } finally {
    context.signal.removeEventListener('abort', stop);
    if (group !== undefined && !groupLives(group)) guardian.letGo(group);
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

function ended(
  child: ChildProcess,
  shell: string,
  cwd: string,
): Promise<{ code: number | null; signal: string | null }> {
  return new Promise((resolve, reject) => {
    child.once('error', (error: NodeJS.ErrnoException) => {
      const missing =
        error.code === 'ENOENT' ? `neither may be missing: shell "${shell}", folder "${cwd}"` : error.message;
      reject(new StepError(`the command could not be started: ${missing}`));
    });
    child.once('exit', (code, signal) => {
      const finish = () => {
        clearTimeout(timer);
        child.stdout?.destroy();
        child.stderr?.destroy();
        resolve({ code, signal });
      };
      // A child of the command that stays behind may hold the pipes open for ever.
      const timer = setTimeout(finish, drainMs);
      child.once('close', finish);
    });
  });
}
