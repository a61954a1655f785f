import { spawn } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { Masker } from '../../core/masking/masker.ts';
import { atMost, type Figure, median } from './figure.ts';

const megabytes = 100;
const rounds = 5;

/**
 * Masking what a step prints, with 20 secrets, beside what any program pays for it that keeps a
 * step's output: reading the same bytes from a process and writing them to a file.
 */
export async function run(): Promise<Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), 'dagu-bench-'));
  try {
    const line = 'INFO 2026-01-02T03:04:05Z posted invoice 4711 of Sample Trading Ltd, 1200.00 EUR, in 31 ms\n';
    const chunk = Buffer.from(line.repeat(1000)).subarray(0, 65_536);
    const file = join(folder, 'output');
    writeFileSync(file, Buffer.concat(Array.from({ length: megabytes * 16 }, () => chunk)));
    const masker = new Masker(Array.from({ length: 20 }, (_, index) => ({ name: `S${index}`, value: secret(index) })));
    const times = { ours: [] as number[], theirs: [] as number[] };
    for (let round = 0; round < rounds; round += 1) {
      times.ours.push(timeOf(() => maskAll(masker, chunk)));
      times.theirs.push(await copyThroughPipe(file, join(folder, 'copy')));
    }
    const figure = { ours: median(times.ours), theirs: median(times.theirs), unit: 'ms' };
    return [atMost(1, { name: `masking: ${megabytes} MB with 20 secrets, beside a pipe`, ...figure })];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Looks random, and is the same in each run. */
function secret(index: number): string {
  return Buffer.from(`${Math.sin(index + 1)}`.slice(2)).toString('base64url');
}

function maskAll(masker: Masker, chunk: Buffer): void {
  const stream = masker.stream();
  for (let count = 0; count < megabytes * 16; count += 1) stream.push(chunk);
  stream.end();
}

async function copyThroughPipe(from: string, to: string): Promise<number> {
  const began = performance.now();
  const descriptor = openSync(to, 'w');
  for await (const bytes of spawn('cat', [from]).stdout) writeSync(descriptor, bytes);
  closeSync(descriptor);
  return performance.now() - began;
}

function timeOf(work: () => void): number {
  const began = performance.now();
  work();
  return performance.now() - began;
}
