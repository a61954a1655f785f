import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { trayForTests } from './tray-app.ts';

const { start } = trayForTests();
const sentence = (page: Page, text: string) => page.getByRole('status').filter({ hasText: text });
const touches = (file: string) => `steps:\n  - id: touch\n    run: echo > "$FOLDER/${file}"\n`;

it('runs a new file only after a person saw what it does and allowed it', async () => {
  const { page, workflows } = await start({ trusted: false, files: { 'morning.yaml': touches('one') } });
  await page.getByText('This file is new.').waitFor();
  expect(await page.getByRole('button', { name: 'Run morning' }).count()).toBe(0);

  await page.getByRole('button', { name: 'Look at what morning does' }).click();
  await page.getByRole('heading', { name: 'May “morning” run on this computer?' }).waitFor();
  await page.getByText('echo > "$FOLDER/one"').waitFor();
  await page.getByRole('button', { name: 'Not now' }).click();
  await page.getByText('This file is new.').waitFor();

  await page.getByRole('button', { name: 'Look at what morning does' }).click();
  await page.getByRole('button', { name: 'Allow' }).click();
  await page.getByRole('button', { name: 'Run morning' }).click();
  await sentence(page, 'Done').waitFor();
  expect(existsSync(join(workflows, 'one'))).toBe(true);
});

it('asks again when the file changes, also while it is looked at', async () => {
  const { page, workflows, write } = await start({ trusted: false, files: { 'morning.yaml': touches('one') } });
  await page.getByRole('button', { name: 'Look at what morning does' }).click();
  await page.getByText('echo > "$FOLDER/one"').waitFor();
  await write('morning.yaml', touches('two'));
  await page.getByText('The file has changed while you looked.').waitFor();
  await page.getByText('echo > "$FOLDER/two"').waitFor();
  await page.getByRole('button', { name: 'Allow' }).click();
  await page.getByRole('button', { name: 'Run morning' }).waitFor();

  await write('morning.yaml', touches('three'));
  await page.getByText('This file has changed.').waitFor();
  expect(await page.getByRole('button', { name: 'Run morning' }).count()).toBe(0);
  expect(existsSync(join(workflows, 'three'))).toBe(false);
});

it('starts a file by its schedule once it is allowed, and not before', async () => {
  const { page, workflows, write } = await start({ trusted: false });
  const at = new Date(Date.now() + 5000).toISOString();
  const scheduled = (file: string) => `schedule:\n  - { kind: at, at: "${at}" }\n${touches(file)}`;
  await write('allowed.yaml', scheduled('yes'));
  await write('unasked.yaml', scheduled('no'));
  await page.getByRole('button', { name: 'Look at what allowed does' }).click();
  await page.getByRole('button', { name: 'Allow' }).click();
  await page.getByRole('link', { name: 'Runs' }).click();
  const row = page.getByRole('row').filter({ hasText: 'allowed' });
  await row.filter({ hasText: 'Done' }).waitFor();
  await row.filter({ hasText: 'Schedule' }).waitFor();
  expect(existsSync(join(workflows, 'yes'))).toBe(true);
  expect(existsSync(join(workflows, 'no'))).toBe(false);
  expect(await page.getByRole('row').count()).toBe(2);
});
