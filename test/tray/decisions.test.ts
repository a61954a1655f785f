import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { entryPath } from '../../core/process/entries.ts';
import { trayEnv, trayForTests } from './tray-app.ts';

const { session, start } = trayForTests();
const sentence = (page: Page, text: string) => page.getByRole('status').filter({ hasText: text });

const approval = `type: chain
steps:
  - id: draft
    run: echo "draft \${COMMENT:-first}" | tee -a "$FOLDER/drafts"
    output: DRAFT
  - id: check
    run: echo checked
    approval:
      prompt: Is this draft right?
      input: [AMOUNT, COMMENT]
      required: [AMOUNT]
      rewind_to: draft
  - id: post
    run: echo "posted $AMOUNT" > "$FOLDER/posted"
`;

it('waits for a person, sends back and goes on with what was given', async () => {
  const { page, workflows } = await start({ files: { 'invoice.yaml': approval } });
  await page.getByRole('button', { name: 'Run invoice' }).click();
  await sentence(page, 'Needs an answer from you').waitFor();
  await page.getByText('Is this draft right?').waitFor();
  await page.getByRole('img', { name: '1 run needs you' }).waitFor();

  await page.getByRole('button', { name: 'Approve' }).click();
  await page.getByText('This is needed.').waitFor();
  await page.getByLabel('COMMENT').fill('second');
  await page.getByRole('button', { name: 'Send back' }).click();
  await expectFile(join(workflows, 'drafts'), 'draft first\ndraft second\n');
  await page.getByLabel('AMOUNT').fill('428.40');
  await page.getByRole('button', { name: 'Approve' }).click();
  await sentence(page, 'Done').waitFor();
  expect(await readFile(join(workflows, 'posted'), 'utf8')).toBe('posted 428.40\n');
});

it('ends a run that a person rejects, and shows why', async () => {
  const { page } = await start({ files: { 'invoice.yaml': approval } });
  await page.getByRole('button', { name: 'Run invoice' }).click();
  await page.getByLabel('Why, if you reject it or send it back').fill('the total is wrong');
  await page.getByRole('button', { name: 'Reject' }).click();
  await sentence(page, 'Rejected').waitFor();
  await page.getByText('Why: the total is wrong').waitFor();
});

it('goes on with a run that was answered by the command', async () => {
  const { page, home, workflows } = await start({ files: { 'invoice.yaml': approval } });
  await page.getByRole('button', { name: 'Run invoice' }).click();
  await page.getByText('Is this draft right?').waitFor();
  const args = [entryPath('cli'), 'approve', join(workflows, 'invoice.yaml'), '--input', 'AMOUNT=7'];
  const env = { ...trayEnv(session(), home), FOLDER: workflows };
  const command = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const [code] = await once(command, 'exit');
  expect(code).toBe(0);
  await sentence(page, 'Done').waitFor();
  expect(await readFile(join(workflows, 'posted'), 'utf8')).toBe('posted 7\n');
});

it('tries a failed run again, without the steps that are done', async () => {
  const { page, workflows, write } = await start({
    files: {
      'fails.yaml': `type: chain
steps:
  - id: first
    run: echo once >> "$FOLDER/first"
  - id: second
    run: test -e "$FOLDER/go"
`,
    },
  });
  await page.getByRole('button', { name: 'Run fails' }).click();
  await sentence(page, 'Failed at step 2 of 2, second').waitFor();
  await write('go', '');
  await page.getByRole('button', { name: 'Try again' }).click();
  await sentence(page, 'Done').waitFor();
  expect(await readFile(join(workflows, 'first'), 'utf8')).toBe('once\n');

  await page.getByLabel('Attempt').selectOption('1');
  await sentence(page, 'Failed at step 2 of 2, second').waitFor();
});

async function expectFile(path: string, text: string): Promise<void> {
  await expect.poll(() => readFile(path, 'utf8').catch(() => ''), { timeout: 15_000 }).toBe(text);
}
