import { spawn } from 'node:child_process';
import { statSync } from 'node:fs';
import { CallError } from '../core/contract/protocol.ts';

export interface LaunchOptions {
  command: string;
  args: readonly string[];
  cwd?: string;
}

const reasons: Record<string, string> = {
  ENOENT: 'no such program was found',
  EACCES: 'this user may not run it',
  ENOEXEC: 'it is not a program for this computer',
  E2BIG: 'its arguments are too long',
  ENOTDIR: 'a part of its path is not a folder',
};

/**
 * Starts a program without a shell, in a session of its own, so that it lives on
 * when this process and the run end.
 *
 * @throws CallError `launch_failed` with the command and the reason
 */
export function launch({ command, args, cwd }: LaunchOptions): Promise<{ pid: number }> {
  if (cwd !== undefined && !statSync(cwd, { throwIfNoEntry: false })?.isDirectory()) {
    throw failure(command, `its working folder ${cwd} does not exist`);
  }
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { detached: true, stdio: 'ignore', ...(cwd !== undefined && { cwd }) });
    child.once('error', (error: NodeJS.ErrnoException) => {
      reject(failure(command, reasons[error.code ?? ''] ?? error.message, error.code));
    });
    child.once('spawn', () => {
      child.unref();
      resolve({ pid: child.pid as number });
    });
  });
}

function failure(command: string, why: string, code?: string): CallError {
  return new CallError('launch_failed', `cannot launch "${command}": ${why}${code === undefined ? '' : ` (${code})`}`, {
    command,
  });
}
