import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { Store } from '../../core/store/store.ts';
import { CommandLine } from './command.ts';

/**
 * kill -9 of a run's process at random moments, and `dagu retry` until the run has succeeded.
 * DAGU_TEST_KILLS says how often.
 */
const kills = Number(process.env.DAGU_TEST_KILLS ?? 20);

let line: CommandLine;
beforeAll(() => {
  line = new CommandLine();
});
afterAll(() => line.close());

/** What a step does: some work, and at its end one line with its name, in one write. */
const work = (name: string) => `sleep 0.0$(($$ % 4)); echo ${name} >> "$FILE"`;

/** The first try fails, once in the life of the run. */
const retried = (name: string) => `if [ ! -e "$FILE.${name}" ]; then touch "$FILE.${name}"; exit 7; fi; ${work(name)}`;

function flow(): string {
  const steps = Array.from({ length: 18 }, (_, at) => {
    const depends = at < 3 ? [] : [`s${at - 3}`, ...(at % 4 === 0 ? [`s${at - 1}`] : [])];
    const run = at % 6 === 5 ? retried(`s${at}`) : work(`s${at}`);
    const policy = at % 6 === 5 ? ', retry_policy: {limit: 2, interval_sec: 0}' : '';
    return `  - {id: s${at}, depends: ${JSON.stringify(depends)}, run: ${JSON.stringify(run)}, output: OUT_${at}${policy}}`;
  });
  return `params: {FILE: none}
steps:
${steps.join('\n')}
  - id: loop
    depends: [s4, s5]
    foreach:
      items: [p, q, r, t]
      key: \${foreach.item}
      max_concurrent: 2
      steps:
        - {id: x, run: ${JSON.stringify(work('loop.${foreach.item}.x'))}}
        - {id: y, depends: x, run: ${JSON.stringify(work('loop.${foreach.item}.y'))}}
  - {id: last, depends: [loop, s17, s16, s15], run: ${JSON.stringify(work('last'))}}
handler_on:
  init: {run: 'echo init >> "$FILE.handlers"'}
  failure: {run: 'echo failure >> "$FILE.handlers"'}
  success: {run: 'echo success >> "$FILE.handlers"'}
  exit: {run: 'echo exit >> "$FILE.handlers"'}
`;
}

const allNames = [
  ...Array.from({ length: 18 }, (_, at) => `s${at}`),
  ...['p', 'q', 'r', 't'].flatMap((item) => [`loop.${item}.x`, `loop.${item}.y`]),
  'last',
];

/** The names of the steps that the store says are finished; undefined where it has no such run. */
function finished(runId: string): { status: string; names: Set<string> } | undefined {
  const store = new Store(line.home);
  try {
    const detail = store.getRun(runId);
    if (detail === undefined) return undefined;
    const done = ({ status }: { status: string }) => status === 'succeeded';
    const own = detail.steps.filter(({ handler }) => handler === undefined).filter(done);
    const inner = detail.children.flatMap(({ runId: child, parent }) =>
      (store.getRun(child)?.steps ?? []).filter(done).map(({ step }) => `${parent?.step}.${parent?.item}.${step}`),
    );
    const names = [...own.map(({ step }) => step).filter((step) => step !== 'loop'), ...inner];
    return { status: detail.run.status, names: new Set(names) };
  } finally {
    store.close();
  }
}

/** How often each step came to its end. */
function counts(file: string): Map<string, number> {
  const names = existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : [];
  const found = new Map<string, number>();
  for (const name of names) found.set(name, (found.get(name) ?? 0) + 1);
  return found;
}

/** The process of the run: the command's child. */
function executorOf(command: number): number | undefined {
  const path = `/proc/${command}/task/${command}/children`;
  const children = existsSync(path) ? readFileSync(path, 'utf8').trim().split(' ').filter(Boolean).map(Number) : [];
  return children.find((pid) => /executor/.test(read(`/proc/${pid}/cmdline`)));
}

/** Processes that a step of the run started. */
function stepProcesses(file: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => read(`/proc/${pid}/environ`).includes(`FILE=${file}\0`));
}

function read(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    // It has ended.
    return '';
  }
}

/** Starts the command and kills the run's process after a time; false when the run had ended before. */
async function killed(args: string[], afterMs: number): Promise<boolean> {
  const { child, ended } = line.start(args);
  const command = child.pid as number;
  let isOver = false;
  void ended.then(() => {
    isOver = true;
  });
  const end = Date.now() + afterMs;
  while (!isOver && (executorOf(command) === undefined || Date.now() < end)) await delay(5);
  const executor = isOver ? undefined : executorOf(command);
  if (executor !== undefined) process.kill(executor, 'SIGKILL');
  await ended;
  return executor !== undefined;
}

it.runIf(process.platform === 'linux')(
  `nothing that finished is lost or done twice by ${kills} kill -9, and no process is left`,
  { timeout: 60_000 + kills * 15_000 },
  async () => {
    const path = line.file('flow.yaml', flow());
    const began = Date.now();
    const whole = await line.run('start', path, '--run-id', 'whole', '--', `FILE=${join(line.folder, 'whole')}`);
    expect(whole.code).toBe(0);
    const took = Date.now() - began;

    let done = 0;
    for (let round = 0; done < kills; round += 1) {
      const runId = `run-${round}`;
      const file = join(line.folder, runId);
      let before = new Map<string, number>();
      let known = new Set<string>();
      for (let isOver = false; !isOver; ) {
        const args =
          finished(runId) === undefined
            ? ['start', path, '--run-id', runId, '--', `FILE=${file}`]
            : ['retry', path, '--run-id', runId];
        if (done < kills && (await killed(args, Math.random() * took))) done += 1;
        else if (finished(runId)?.status !== 'succeeded') await line.run(...args);
        await vi.waitFor(() => expect(stepProcesses(file)).toEqual([]), 5000);
        const now = counts(file);
        for (const name of known) expect(now.get(name), `${name} of ${runId} ran again`).toBe(before.get(name));
        const state = finished(runId);
        for (const name of known) expect(state?.names, `${name} of ${runId} was lost`).toContain(name);
        for (const name of state?.names ?? []) expect(now.get(name), `${name} of ${runId}`).toBeGreaterThan(0);
        before = now;
        known = state?.names ?? new Set();
        isOver = state?.status === 'succeeded';
      }
      expect([...known].sort(), runId).toEqual([...allNames].sort());
    }
  },
);
