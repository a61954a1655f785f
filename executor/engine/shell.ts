import { randomUUID } from 'node:crypto';
import { Socket } from 'node:net';
import { constants } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { StepError } from '../action.ts';
import { type CommandProcess, type CommandStart, commandStarter, type ProcessEnd } from './command-process.ts';
import { findProgram } from './find-program.ts';
import type { Guardian } from './guardian.ts';
import { type Invocation, type InvocationParts, invocationOf } from './invocation.ts';
import { withPrivateFile } from './private-file.ts';
import { endTree } from './process-tree.ts';

/** How long output may follow the end of a command whose children still hold it, in ms. */
const drainMs = 200;

/** Where commands run, and what becomes of what they write. */
export interface CommandPlace {
  cwd: string;
  env: Readonly<Record<string, string>>;
  /** Ends the command with all that it started. */
  signal: AbortSignal;
  guardian: Guardian;
  /** The guardian's mark for the command's processes. */
  mark: string;
  /** Folder for files that the command needs. */
  scratch: string;
  stdout(chunk: Buffer): void;
  stderr(chunk: Buffer): void;
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

/** Runs commands one after another. Throws a {@link CommandFailed} at the first that fails. */
export async function runCommands(
  commands: readonly string[],
  parts: InvocationParts,
  place: CommandPlace,
): Promise<void> {
  for (const command of commands) {
    const end = await runCommand(command, parts, place);
    if (end.signal !== null) throw new CommandFailed(exitCodeOf(end), `the command was ended by ${end.signal}`);
    if (end.code !== 0) throw new CommandFailed(exitCodeOf(end), `the command ended with exit code ${end.code}`);
  }
}

/** The exit code as a shell tells it: 128 and the signal's number where a signal ended the program. */
export function exitCodeOf({ code, signal }: ProcessEnd): number {
  if (signal === null) return code ?? 1;
  return 128 + (constants.signals[signal as NodeJS.Signals] ?? 0);
}

/**
 * Runs one command to its end. Throws a {@link StepError} when it cannot be started, and the
 * signal's reason when it was stopped, after all that it started has ended.
 */
export async function runCommand(command: string, parts: InvocationParts, place: CommandPlace): Promise<ProcessEnd> {
  const invocation = invocationOf(command, parts);
  const { file } = invocation;
  if (file === undefined) return await runInvocation(invocation, '', place);
  place.guardian.removeAtEnd(place.scratch);
  const path = join(place.scratch, `${randomUUID()}${file.ending}`);
  const run = () => runInvocation(invocation, path, place);
  return await withPrivateFile({ path, text: file.content, mode: 0o700 }, run);
}

async function runInvocation(invocation: Invocation, file: string, place: CommandPlace): Promise<ProcessEnd> {
  const { guardian, mark, signal } = place;
  const child = await start(
    invocation.program,
    {
      args: invocation.args(file),
      cwd: place.cwd,
      env: { ...place.env, PWD: place.cwd, ...invocation.env(file), ...guardian.variable(mark) },
      isVerbatim: invocation.isVerbatim,
    },
    signal,
  );
  const group = child.pid;
  guardian.watch(group);
  child.stdout.on('data', place.stdout);
  child.stderr.on('data', place.stderr);
  let stopped: Promise<void> | undefined;
  const stop = () => {
    stopped = endTree({ roots: [group], mark });
  };
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  try {
    const end = await endOfOutput(child);
    // What the command started may outlive it for a moment; a stopped step has ended with all of it.
    await stopped;
    signal.throwIfAborted();
    return end;
  } finally {
    signal.removeEventListener('abort', stop);
    guardian.letGo(group, mark);
  }
}

async function start(program: string, what: Omit<CommandStart, 'file'>, signal: AbortSignal): Promise<CommandProcess> {
  refuseNul(what);
  const startCommand = await commandStarter();
  signal.throwIfAborted();
  try {
    return await startCommand({ file: findProgram(program, what.env.PATH), ...what });
  } catch (error) {
    throw new StepError(
      `the command could not be started: ${whyNot(error as NodeJS.ErrnoException, program, what.cwd)}`,
    );
  }
}

function whyNot(error: NodeJS.ErrnoException, program: string, folder: string): string {
  if (error.code === 'ENOENT') return `neither may be missing: shell "${program}", folder "${folder}"`;
  if (error.code === 'E2BIG') {
    return 'it and its environment are longer than the system passes to a program; pass long values in files';
  }
  return error.message;
}

/** A NUL ends a text where the system reads it: what follows would be lost. */
function refuseNul({ env, args }: Pick<CommandStart, 'env' | 'args'>): void {
  if (args.some((text) => text.includes('\0'))) {
    throw new StepError('an argument of the command holds a NUL character, which no program can take');
  }
  const [name] = Object.entries(env).find((entry) => entry.some((text) => text.includes('\0'))) ?? [];
  if (name === undefined) return;
  throw new StepError(
    `the environment variable ${JSON.stringify(name)} holds a NUL character, which no environment can carry`,
  );
}

/** The command's end, after all that it wrote was read. */
async function endOfOutput({ ended, stdout, stderr }: CommandProcess): Promise<ProcessEnd> {
  const outputs = [stdout, stderr];
  const closed = Promise.all(outputs.map((output) => new Promise((resolve) => output.once('close', resolve))));
  const end = await ended;
  // A child of the command that stays behind may hold the pipes open as long as it runs.
  let timer: NodeJS.Timeout | undefined;
  const drained = new Promise((resolve) => {
    timer = setTimeout(resolve, drainMs);
  });
  await Promise.race([closed, drained]);
  clearTimeout(timer);
  for (const output of outputs) if (!output.closed) ignoreRest(output);
  return end;
}

/** Who still writes there goes on undisturbed, and is not waited for. */
function ignoreRest(output: Readable): void {
  output.removeAllListeners('data');
  output.resume();
  if (output instanceof Socket) output.unref();
}
