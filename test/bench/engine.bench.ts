import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { realDagu } from '../../build/real-dagu.mjs';
import { atMost, type Figure, median } from './figure.ts';

const execute = promisify(execFile);
const ours = fileURLToPath(new URL('../../bin/dagu.cjs', import.meta.url));
const steps = 100;
const rounds = 7;

/** How long a program takes to run a workflow of one step and one of many, in milliseconds. */
interface Times {
  one: number[];
  many: number[];
}

/**
 * The engine's overhead: what each step of a chain of `true` costs beyond the start of
 * the program, beside the Dagu program on the same file.
 */
export async function run(): Promise<Figure[]> {
  const folder = await mkdtemp(join(tmpdir(), 'dagu-bench-'));
  try {
    const one = await writeChain(folder, 1);
    const many = await writeChain(folder, steps);
    const programs = [
      { command: [process.execPath, ours], times: { one: [], many: [] } as Times },
      { command: [realDagu()], times: { one: [], many: [] } as Times },
    ] as const;
    // Taken in turns, so that whatever else the machine does meets both.
    for (let round = 0; round < rounds; round++) {
      for (const { command, times } of programs) {
        times.one.push(await start(command, one, folder));
        times.many.push(await start(command, many, folder));
      }
    }
    const [mine, theirs] = programs.map(({ times }) => overhead(times));
    if (mine === undefined || theirs === undefined) throw new Error('a program is missing');
    return [atMost(0.5, { name: 'engine: overhead a step', ours: mine, theirs, unit: 'ms' })];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function overhead({ one, many }: Times): number {
  return (median(many) - median(one)) / (steps - 1);
}

async function writeChain(folder: string, length: number): Promise<string> {
  const path = join(folder, `chain-${length}.yaml`);
  const lines = Array.from({ length }, (_, index) => `  - name: step${index + 1}\n    command: "true"\n`);
  await writeFile(path, `type: chain\nsteps:\n${lines.join('')}`);
  return path;
}

/** Runs a workflow with a data directory of its own; rejects when it does not succeed. */
async function start(command: readonly string[], file: string, folder: string): Promise<number> {
  const home = await mkdtemp(join(folder, 'home-'));
  await mkdir(join(home, 'dags'));
  const [program = '', ...args] = command;
  const env = { ...process.env, HOME: home, DAGU_HOME: home };
  const began = performance.now();
  await execute(program, [...args, 'start', file], { env, cwd: folder, timeout: 120_000 });
  const time = performance.now() - began;
  await rm(home, { recursive: true, force: true });
  return time;
}
