import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { ElectronApplication } from 'playwright-core';
import { expect, it, vi } from 'vitest';
import { isAlive, trayForTests } from './tray-app.ts';

const { start } = trayForTests();

const waitsForWindow = `steps:
  - id: look
    action: computer.run
    with:
      ai: never
      do:
        - expect: { window: no such window, within: 5m }
handler_on:
  exit:
    run: touch "$FOLDER/exited"
`;

it('tells why a run ended whose process was killed, and ends its driver', async () => {
  const { app, page } = await start({ files: { 'look.yaml': waitsForWindow } });
  await page.getByRole('button', { name: 'Run look' }).click();
  const executor = await pidOf(app, 'executor');
  const driver = await pidOf(app, 'driver');
  process.kill(executor, 'SIGKILL');
  await page.getByRole('status').filter({ hasText: 'Failed at step 1 of 1, look' }).waitFor();
  await page.getByRole('alert').getByText("the run's process ended before the run did").waitFor();
  await vi.waitFor(() => expect(isAlive(driver)).toBe(false), 10_000);
});

it('fails the step of a driver that died, and goes on to the handlers', async () => {
  const { app, page, workflows } = await start({ files: { 'look.yaml': waitsForWindow } });
  await page.getByRole('button', { name: 'Run look' }).click();
  await page.getByText('Started working on the screen').waitFor();
  process.kill(await pidOf(app, 'driver'), 'SIGSEGV');
  await page.getByRole('status').filter({ hasText: 'Failed at step 1 of 1, look' }).waitFor();
  await page.getByRole('alert').getByText('the other process is gone').first().waitFor();
  expect(existsSync(join(workflows, 'exited'))).toBe(true);
});

it('leaves no process behind when it quits during a run', async () => {
  const { app, page } = await start({ files: { 'look.yaml': waitsForWindow } });
  await page.getByRole('button', { name: 'Run look' }).click();
  const pids = [await pidOf(app, 'executor'), await pidOf(app, 'driver')];
  await app.close();
  await vi.waitFor(() => expect(pids.filter(isAlive)).toEqual([]), 10_000);
});

/** The process id of a program of ours, once it runs. */
async function pidOf(app: ElectronApplication, program: 'executor' | 'driver'): Promise<number> {
  return await vi.waitFor(async () => {
    const metrics = await app.evaluate(({ app: main }) => main.getAppMetrics().map(({ pid, name }) => ({ pid, name })));
    const found = metrics.find(({ name }) => name?.startsWith(`Dagu ${program}`));
    if (found === undefined) throw new Error(`there is no ${program} among ${JSON.stringify(metrics)}`);
    return found.pid;
  }, 15_000);
}
