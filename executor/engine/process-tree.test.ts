import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { processEntry } from './process-table.ts';
import { TestRun } from './testing.ts';

/** Ways in which a process leaves its parent, its group and its session; each writes its number to `$F`. */
const ways: [string, string][] = [
  ['in the background', 'sh -c \'echo $$ > "$F"; exec sleep 600\' &'],
  ['by nohup', 'nohup sh -c \'echo $$ > "$F"; exec sleep 600\' >/dev/null 2>&1 &'],
  ['by setsid', 'setsid sh -c \'echo $$ > "$F"; exec sleep 600\' >/dev/null 2>&1 </dev/null &'],
  ['by a second fork', '(setsid sh -c \'(sh -c "echo \\$\\$ > \\"$F\\"; exec sleep 600") &\' >/dev/null 2>&1 &)'],
  ['in a group of its own', 'timeout 600 sh -c \'echo $$ > "$F"; exec sleep 600\' &'],
  ['with no environment, by a parent that stays', 'env -i setsid -w sh -c "echo \\$\\$ > \\"$F\\"; exec sleep 600" &'],
  ['with no environment, in its group', 'env -i sh -c "echo \\$\\$ > \\"$F\\"; exec sleep 600" >/dev/null 2>&1 &'],
  ['deaf to SIGTERM', 'setsid sh -c \'trap "" TERM; echo $$ > "$F"; while :; do sleep 0.1; done\' >/dev/null 2>&1 &'],
];

let folder: string;
let run: TestRun;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tree-'));
  run = await TestRun.open(folder, { workflow: { env: [['F', join(folder, 'pid')]] } });
});
afterEach(async () => {
  await run.close();
  rmSync(folder, { recursive: true, force: true });
});

/** The number that a process wrote, when it did. */
async function pid(): Promise<number> {
  const file = join(folder, 'pid');
  await vi.waitFor(() => expect(existsSync(file) && readFileSync(file, 'utf8')).toMatch(/^\d+\n$/), 5000);
  const number = Number(readFileSync(file, 'utf8'));
  expect(lives(number)).toBe(true);
  return number;
}

function lives(number: number): boolean {
  const entry = processEntry(number);
  return entry !== undefined && !entry.ended;
}

describe.runIf(process.platform === 'linux')('a process that a step started', () => {
  it.each(ways)(
    '%s, ends when the step is stopped',
    async (_, way) => {
      const controller = new AbortController();
      const end = run.step({ run: [`${way}\nsleep 600`] }, controller.signal);
      const number = await pid();
      controller.abort(new Error('stopped'));
      expect(await end).toMatchObject({ status: 'aborted' });
      expect(lives(number)).toBe(false);
    },
    20_000,
  );

  it.each(ways.slice(0, 4))('%s, ends when the time of the step is up', async (_, way) => {
    const end = run.step({ run: [`${way}\nsleep 600`], timeoutSec: 1 });
    const number = await pid();
    expect(await end).toMatchObject({ status: 'failed' });
    expect(lives(number)).toBe(false);
  });

  it.each(ways.filter(([name]) => !/parent that stays|deaf/.test(name)))(
    '%s, outlives the step and ends with the run',
    async (_, way) => {
      const end = await run.step({ run: [`${way}\nuntil [ -s "$F" ]; do sleep 0.01; done`] });
      expect(end).toEqual({ status: 'succeeded' });
      const number = await pid();
      await run.close();
      expect(lives(number)).toBe(false);
    },
    20_000,
  );

  it('and that writes on after the step, is not disturbed', async () => {
    await run.step({
      run: [`(until [ -e "$F.next" ]; do sleep 0.01; done; echo late; echo $? > "$F.wrote") & echo now`],
    });
    await run.step({ key: 'b', run: ['touch "$F.next"; until [ -s "$F.wrote" ]; do sleep 0.01; done'] });
    expect(readFileSync(join(folder, 'pid.wrote'), 'utf8')).toBe('0\n');
    expect([run.stdout(), run.last('b').status]).toEqual(['now\n', 'succeeded']);
  });

  it('belongs to its step: another that is stopped leaves it alone', async () => {
    await run.step({
      run: ['setsid sh -c \'echo $$ > "$F"; exec sleep 600\' >/dev/null 2>&1 &\nuntil [ -s "$F" ]; do :; done'],
    });
    const number = await pid();
    const controller = new AbortController();
    const end = run.step({ key: 'b', run: ['touch "$F.b"; sleep 600'] }, controller.signal);
    await vi.waitFor(() => expect(existsSync(join(folder, 'pid.b'))).toBe(true));
    controller.abort(new Error('stopped'));
    await end;
    expect(lives(number)).toBe(true);
  });
});
