import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { processEntry } from '../../executor/engine/process-table.ts';
import { CommandLine } from './command.ts';

let line: CommandLine;
beforeEach(() => {
  line = new CommandLine();
});
afterEach(() => line.close());

/** A step that leaves processes behind in every way that a shell has, and then hangs. */
const flow = `working_dir: .
steps:
  - id: a
    outputs: [{name: x}]
    run: |
      leave() { "$@" sh -c 'echo $$ >> pids; exec sleep 600' >/dev/null 2>&1 </dev/null & }
      leave nohup
      leave setsid
      leave setsid nohup
      leave timeout 600
      leave env -i PATH="$PATH"
      (setsid sh -c '(sh -c "echo \\$\\$ >> pids; exec sleep 600") &' >/dev/null 2>&1 &)
      until [ "$(wc -l < pids)" -eq 6 ]; do sleep 0.02; done
      echo "x=secret" >> "$DAGU_OUTPUT_FILE"
      echo "$DAGU_OUTPUT_FILE" > file
      echo "$PPID" > executor
      sleep 600; true
`;

function lives(pid: number): boolean {
  const entry = processEntry(pid);
  return entry !== undefined && !entry.ended;
}

async function read(name: string): Promise<string[]> {
  const file = join(line.folder, name);
  await vi.waitFor(() => expect(existsSync(file) && readFileSync(file, 'utf8')).toMatch(/\n$/), 20_000);
  return readFileSync(file, 'utf8').trim().split('\n');
}

describe.runIf(process.platform === 'linux')('what a step started', () => {
  it.each(['SIGKILL', 'SIGINT'] as const)('ends, and its files go, when the run is ended by %s', async (signal) => {
    const { child, ended } = line.start(['start', line.file('flow.yaml', flow)]);
    const [executor] = (await read('executor')).map(Number);
    const pids = (await read('pids')).map(Number);
    const [outputFile] = await read('file');
    expect(pids.filter(lives)).toHaveLength(6);
    expect(existsSync(outputFile as string)).toBe(true);
    if (signal === 'SIGKILL') process.kill(executor as number, signal);
    else child.kill(signal);
    expect((await ended).code).toBe(1);
    await vi.waitFor(() => expect(pids.filter(lives)).toEqual([]), 3000);
    await vi.waitFor(() => expect(existsSync(outputFile as string)).toBe(false), 3000);
    const left = readdirSync(line.home, { recursive: true }).filter((name) => String(name).includes('step-files'));
    expect(left).toEqual([]);
  });
});
