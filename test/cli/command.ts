import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const dagu = fileURLToPath(new URL('../../bin/dagu.cjs', import.meta.url));

export interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** The command in a folder and a data directory of its own, which `close` takes away. */
export class CommandLine {
  readonly folder = mkdtempSync(join(tmpdir(), 'dagu-cli-'));
  readonly home = join(this.folder, 'home');
  readonly #children = new Set<ChildProcess>();

  /** Writes a file into the folder and gives its path. */
  file(name: string, text: string): string {
    const path = join(this.folder, name);
    writeFileSync(path, text);
    return path;
  }

  /** Starts the command; `ended` resolves with what it printed. `stdout` is a descriptor it prints to instead. */
  start(
    args: string[],
    env: NodeJS.ProcessEnv = {},
    stdout: number | 'pipe' = 'pipe',
  ): { child: ChildProcess; ended: Promise<Ended> } {
    const child = spawn(process.execPath, [dagu, ...args], {
      cwd: this.folder,
      env: { ...process.env, DAGU_DESKTOP_HOME: this.home, DISPLAY: '', WAYLAND_DISPLAY: '', ...env },
      stdio: ['ignore', stdout, 'pipe'],
    });
    this.#children.add(child);
    const output = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const) {
      child[name]?.setEncoding('utf8').on('data', (text: string) => {
        output[name] += text;
      });
    }
    const ended = new Promise<Ended>((resolve) => {
      child.once('close', (code) => {
        this.#children.delete(child);
        resolve({ code, ...output });
      });
    });
    return { child, ended };
  }

  run(...args: string[]): Promise<Ended> {
    return this.start(args).ended;
  }

  async json(...args: string[]): Promise<Record<string, unknown>> {
    return JSON.parse((await this.run(...args, '--format', 'json')).stdout);
  }

  close(): void {
    for (const child of this.#children) child.kill('SIGKILL');
    rmSync(this.folder, { recursive: true, force: true });
  }
}
