import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { bindPosixSpawn } from './posix-spawn.ts';

/** What a command's process is started with. No text in it may hold a NUL character. */
export interface CommandStart {
  /** The program's file: absolute, or with a slash in it and relative to `cwd`. A bare name is found on Windows alone. */
  file: string;
  /** What follows the program's name. */
  args: readonly string[];
  cwd: string;
  env: Readonly<Record<string, string>>;
  /** On Windows: the arguments are the command line as it is, each quoted already. */
  isVerbatim?: boolean;
}

/** How a process ended: with a code, or by a signal. */
export interface ProcessEnd {
  code: number | null;
  signal: string | null;
}

/** A process that was started with an empty input, and leads a group of its own where there are groups. */
export interface CommandProcess {
  /** Also its group's number. */
  pid: number;
  stdout: Readable;
  stderr: Readable;
  /** Resolves when the process is at its end; what was written may still come. */
  ended: Promise<ProcessEnd>;
}

/** Starts a process, or rejects with the system's error: its `code` is `ENOENT` and the like. */
export type StartCommand = (start: CommandStart) => Promise<CommandProcess>;

/**
 * The way to start commands on this system: on Linux the C library's posix_spawn. Node
 * forks, and that copies the tables of all its memory, which takes longer than a short
 * command itself; elsewhere Node has no such cost, and starts the commands.
 */
export function commandStarter(): Promise<StartCommand> {
  starter ??= process.platform === 'linux' ? bindPosixSpawn().catch(nodeInstead) : Promise.resolve(startWithNode);
  return starter;
}

let starter: Promise<StartCommand> | undefined;

function nodeInstead(reason: Error): StartCommand {
  process.stderr.write(`commands start more slowly here, as posix_spawn cannot be used: ${reason.message}\n`);
  return startWithNode;
}

export const startWithNode: StartCommand = async ({ file, args, cwd, env, isVerbatim = false }) => {
  const child = spawn(file, args, {
    cwd,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    // A group of its own, so that a stop reaches all that the command started.
    detached: process.platform !== 'win32',
    windowsVerbatimArguments: isVerbatim,
    windowsHide: true,
  });
  if (child.pid === undefined) {
    child.stdout.destroy();
    child.stderr.destroy();
    throw (await once(child, 'error'))[0];
  }
  const ended = new Promise<ProcessEnd>((resolve) => child.once('exit', (code, signal) => resolve({ code, signal })));
  return { pid: child.pid, stdout: child.stdout, stderr: child.stderr, ended };
};
