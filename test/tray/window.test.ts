import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { entryPath } from '../../core/process/entries.ts';
import { isAlive, trayCommand, trayEnv, trayForTests, waitForGo } from './tray-app.ts';

const { session, start } = trayForTests();

const sentence = (page: Page, text: string | RegExp) => page.getByRole('status').filter({ hasText: text });

it('runs a workflow at a click and shows its steps as they go', async () => {
  const { page, write } = await start({
    files: {
      'morning.yaml': `description: Says good morning
type: chain
steps:
  - id: greet
    run: echo good morning
    output: GREETING
  - id: wait
    run: ${waitForGo}
`,
    },
  });
  await page.getByRole('heading', { name: 'morning' }).waitFor();
  await page.getByText('Says good morning').waitFor();
  await page.getByText('Not run yet').waitFor();

  await page.getByRole('button', { name: 'Run morning' }).click();
  await sentence(page, 'Working: step 2 of 2, wait').waitFor();
  await page.getByRole('definition').filter({ hasText: 'good morning' }).waitFor();
  const steps = page.getByRole('region', { name: 'Steps' });
  await steps.getByRole('img', { name: 'Done' }).waitFor();
  await steps.getByRole('img', { name: 'Working' }).waitFor();

  await write('go', '');
  await sentence(page, 'Done: all 2 steps').waitFor();
  expect(await steps.getByRole('img', { name: 'Done' }).count()).toBe(2);

  await page.getByRole('link', { name: 'Automations' }).click();
  await page.getByRole('link', { name: /^Done/ }).waitFor();
});

it('stops a run that takes long, and the programs in it', async () => {
  const { page, workflows } = await start({
    files: { 'long.yaml': 'steps:\n  - id: work\n    run: echo $$ > "$FOLDER/pid"; exec sleep 300\n' },
  });
  await page.getByRole('button', { name: 'Run long' }).click();
  await sentence(page, 'Working: step 1 of 1, work').waitFor();
  const pid = Number(await eventually(() => readFile(join(workflows, 'pid'), 'utf8').then((text) => text.trim())));
  expect(isAlive(pid)).toBe(true);

  await page.getByRole('button', { name: 'Stop', exact: true }).click();
  await sentence(page, /^Stopped by you at /).waitFor();
  expect(isAlive(pid)).toBe(false);
  expect(await page.getByRole('button', { name: 'Stop', exact: true }).count()).toBe(0);
});

it('shows what is wrong with a file until it is mended', async () => {
  const { page, write } = await start({
    files: { 'broken.yaml': 'steps:\n  - id: a\n    runn: echo\n' },
  });
  const problem = page.getByRole('alert');
  await problem.getByText('Line 2, column 5').waitFor();
  const button = page.getByRole('button', { name: 'Run broken' });
  expect(await button.getAttribute('aria-disabled')).toBe('true');
  await button.dispatchEvent('click');
  expect(new URL(page.url()).hash).toBe('');

  await write('broken.yaml', 'steps:\n  - id: a\n    run: echo\n');
  await problem.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Run broken' }).click();
  await sentence(page, 'Done').waitFor();
});

it('asks for the values that a workflow needs, and runs with them', async () => {
  const { page, workflows } = await start({
    files: {
      'asks.yaml': `params:
  - name: CUSTOMER
    required: true
  - name: COPIES
    type: integer
    maximum: 3
    default: 1
steps:
  - id: a
    run: echo "$CUSTOMER $COPIES" > "$FOLDER/values"
`,
    },
  });
  await page.getByText('Asks for CUSTOMER before it starts.').waitFor();
  await page.getByRole('button', { name: 'Run asks' }).click();
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await page.getByText('This is needed.').waitFor();
  await page.getByLabel('COPIES').fill('5');
  await page.getByText('Give 3 or less.').waitFor();
  await page.getByLabel('CUSTOMER').fill('Blue "Harbour" $HOME');
  await page.getByLabel('COPIES').fill('2');
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await sentence(page, 'Done').waitFor();
  expect(await readFile(join(workflows, 'values'), 'utf8')).toBe('Blue "Harbour" $HOME 2\n');
});

it('tells in words why a run failed', async () => {
  const { page } = await start({
    files: {
      'fails.yaml': 'type: chain\nsteps:\n  - id: first\n    run: "true"\n  - id: second\n    run: exit 3\n',
    },
  });
  await page.getByRole('button', { name: 'Run fails' }).click();
  await sentence(page, 'Failed at step 2 of 2, second').waitFor();
  await page.getByRole('alert').getByText('the command ended with exit code 3').waitFor();
});

it('shows a run that the command started, live', async () => {
  const { page, home, workflows, write } = await start({
    files: { 'morning.yaml': `steps:\n  - id: wait\n    run: ${waitForGo}\n` },
  });
  await page.getByRole('link', { name: 'Runs' }).click();
  await page.getByText('Nothing has run yet').waitFor();
  const env = { ...trayEnv(session(), home), FOLDER: workflows };
  const command = spawn(process.execPath, [entryPath('cli'), 'start', join(workflows, 'morning.yaml')], { env });
  const row = page.getByRole('row').filter({ hasText: 'morning' });
  await row.filter({ hasText: 'Working' }).waitFor();
  await write('go', '');
  await row.filter({ hasText: 'Done' }).waitFor();
  if (command.exitCode === null) await new Promise((resolve) => command.once('exit', resolve));
});

it('goes on without its window, and shows it again at a second start', async () => {
  const { app, page, home, workflows, write } = await start({
    files: { 'morning.yaml': `steps:\n  - id: wait\n    run: ${waitForGo}\n` },
  });
  await page.getByRole('button', { name: 'Run morning' }).click();
  await sentence(page, 'Working').waitFor();
  await Promise.all([page.waitForEvent('close'), page.close()]);
  await write('go', '');

  const opened = app.waitForEvent('window');
  const { executablePath, args } = trayCommand(workflows);
  const second = spawn(executablePath, args, { env: trayEnv(session(), home), stdio: 'ignore' });
  const ended = new Promise((resolve) => second.once('exit', resolve));
  const window = await opened;
  expect(await ended).toBe(0);
  await window.getByRole('link', { name: /^Done/ }).waitFor();
});

it('stops its runs when it quits', async () => {
  const { app, page, workflows } = await start({
    files: { 'long.yaml': 'steps:\n  - id: work\n    run: echo $$ > "$FOLDER/pid"; exec sleep 300\n' },
  });
  await page.getByRole('button', { name: 'Run long' }).click();
  const pid = Number(await eventually(() => readFile(join(workflows, 'pid'), 'utf8').then((text) => text.trim())));
  await app.close();
  expect(isAlive(pid)).toBe(false);
});

it('speaks Japanese where that is the language', async () => {
  const { page } = await start({
    files: { 'morning.yaml': 'steps:\n  - id: a\n    run: "true"\n' },
    args: ['--lang=ja'],
  });
  await page.getByRole('button', { name: '「morning」を実行' }).click();
  await sentence(page, '完了しました').waitFor();
  expect(await page.locator('html').getAttribute('lang')).toBe('ja');
});

/** The first answer that is not empty; failures are taken as not yet. */
async function eventually(ask: () => Promise<string>): Promise<string> {
  const deadline = Date.now() + 15_000;
  for (;;) {
    const answer = await ask().catch(() => '');
    if (answer !== '') return answer;
    if (Date.now() > deadline) throw new Error('it did not come about within 15 s');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
