import { fork, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import { realDagu } from '../../build/real-dagu.mjs';
import { executorProtocol } from '../../core/contract/messages.ts';
import { connect } from '../../core/contract/protocol.ts';
import { childChannel } from '../../core/process/channels.ts';
import { Store } from '../../core/store/store.ts';
import { forkNodeExecutor } from '../../main/node-processes.ts';
import { Supervisor } from '../../main/supervisor.ts';
import { atMost, type Figure } from './figure.ts';

const ours = fileURLToPath(new URL('../../bin/dagu.cjs', import.meta.url));
const rounds = 25;
const steps = 30;
const readyLimitMs = 150;
const memoryLimitMb = 70;

/** A workflow that tells how its executor stands: the moment of its first step, and the memory then and a second later. */
const observer = `
steps:
  - run: |
      date +%s%3N
      for wait in 0 1; do sleep $wait; grep VmRSS /proc/$PPID/status; done
      tr '\\0' ' ' < /proc/$PPID/cmdline
`;

/**
 * How long the command and the executor take to start, and what memory the executor has.
 * The least of many rounds counts: a start is a fixed piece of work, to which a machine can only add.
 */
export async function run(): Promise<Figure[]> {
  // Node reads these at every start, ours and any other; it is a setting of a machine.
  delete process.env.NODE_EXTRA_CA_CERTS;
  const folder = mkdtempSync(join(tmpdir(), 'dagu-bench-'));
  try {
    const ready = await readiness(folder);
    const { firstStep, memory } = await observe(folder);
    return [
      ...validation(folder),
      promised(readyLimitMs, { name: 'executor: ready for its run', ...ready, unit: 'ms' }),
      shown({ name: "executor: first step's process", ours: firstStep, theirs: ready.theirs, unit: 'ms' }),
      promised(memoryLimitMb, { name: 'executor: memory', ours: memory, theirs: memoryLimitMb, unit: 'MB' }),
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

type Measured = Pick<Figure, 'name' | 'ours' | 'theirs' | 'unit'>;

/** A promise of ours alone, whatever stands beside it. */
function promised(limit: number, measured: Measured): Figure {
  const { ours: value, theirs, unit } = measured;
  return { ...measured, ratio: value / theirs, limit: `ours at most ${limit} ${unit}`, holds: value <= limit };
}

/** What is there to explain the others. */
function shown(measured: Measured): Figure {
  return { ...measured, ratio: measured.ours / measured.theirs, limit: '-', holds: true };
}

/** The check of a file beside the Dagu program's, and a Node that does nothing beside it too. */
function validation(folder: string): Figure[] {
  const file = join(folder, 'thirty.yaml');
  const lines = Array.from({ length: steps }, (_, index) => {
    const depends = index === 0 ? '' : `    depends:\n      - step${index}\n`;
    return `  - name: step${index + 1}\n    command: echo "step ${index + 1} of $REGION"\n${depends}`;
  });
  writeFileSync(
    file,
    `type: graph\nenv:\n  - REGION: north\nparams:\n  - CUSTOMER: example\nsteps:\n${lines.join('')}`,
  );
  const commands = [
    [process.execPath, ours, 'validate', file],
    [realDagu(), 'validate', file],
    [process.execPath, '-e', '0'],
  ];
  // The first round may build.
  for (const command of commands) timeOf(command, folder);
  const [mine = 0, theirs = 0, node = 0] = leastOf(commands.map((command) => () => timeOf(command, folder)));
  return [
    atMost(1.5, { name: `validate, ${steps} steps`, ours: mine, theirs, unit: 'ms' }),
    shown({ name: 'validate: of it, Node itself', ours: node, theirs, unit: 'ms' }),
  ];
}

/** The least time of each, measured in turns, so that whatever else the machine does meets all. */
function leastOf(measures: (() => number)[]): number[] {
  const least = measures.map(() => Number.POSITIVE_INFINITY);
  for (let round = 0; round < rounds; round++) {
    for (const [index, measure] of measures.entries()) least[index] = Math.min(least[index] as number, measure());
  }
  return least;
}

function timeOf([program = '', ...args]: string[], home: string): number {
  const began = performance.now();
  const { status, stderr } = spawnSync(program, args, {
    env: { ...process.env, HOME: home, DAGU_HOME: home },
    encoding: 'utf8',
  });
  const time = performance.now() - began;
  if (status !== 0) throw new Error(`${program} ${args.join(' ')} failed: ${stderr}`);
  return time;
}

/** From the fork of the executor to its first answer, and the same of a process that does nothing else. */
async function readiness(folder: string): Promise<{ ours: number; theirs: number }> {
  const echo = join(folder, 'echo.cjs');
  writeFileSync(echo, "process.on('message', ({ call }) => process.send({ reply: call, result: {} }));");
  const forks = [
    forkNodeExecutor,
    () => {
      const child = fork(echo, { serialization: 'advanced' });
      return { channel: childChannel(child), kill: () => child.kill('SIGKILL') };
    },
  ];
  const least = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let round = 0; round < rounds; round++) {
    for (const [index, begin] of forks.entries()) {
      const began = performance.now();
      const child = begin();
      await connect(child.channel, executorProtocol).stop({ reason: 'the bench has seen its answer' });
      least[index] = Math.min(least[index] as number, performance.now() - began);
      child.kill();
    }
  }
  return { ours: least[0] as number, theirs: least[1] as number };
}

/** From the fork of the executor to the first step's process, in ms, and the executor's memory at its most, in MB. */
async function observe(folder: string): Promise<{ firstStep: number; memory: number }> {
  const file = join(folder, 'observer.yaml');
  writeFileSync(file, observer);
  let firstStep = Number.POSITIVE_INFINITY;
  let memory = 0;
  for (let round = 0; round < 5; round++) {
    const home = join(folder, `home-${round}`);
    mkdirSync(home);
    const supervisor = new Supervisor({ home, fork: forkNodeExecutor });
    const began = Date.now();
    const { runId, finished } = supervisor.start({ mode: 'start', path: file, trigger: 'manual' });
    const { status, error } = await finished;
    if (status !== 'succeeded') throw new Error(`the run ${status}: ${error}`);
    const store = new Store(home, { forReading: true });
    const [step] = store.getRun(runId)?.steps ?? [];
    store.close();
    const said = readFileSync(step?.stdoutFile ?? '', 'utf8');
    if (!said.includes('executor.cjs')) throw new Error(`the step's parent is not the executor: ${said}`);
    firstStep = Math.min(firstStep, Number(/^\d+/.exec(said)?.[0]) - began);
    memory = Math.max(memory, ...[...said.matchAll(/VmRSS:\s*(\d+) kB/g)].map(([, kb]) => Number(kb) / 1000));
  }
  return { firstStep, memory };
}
