import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { checkEffects } from '../../build/demo-checks.mjs';
import { invoiceScript } from '../../build/demo-script.mjs';
import { startSession } from '../fixtures/desktop-session.ts';
import { startScriptedModel } from '../fixtures/scripted-model.ts';
import { startTray } from './tray-app.ts';

const example = fileURLToPath(new URL('../../examples/invoices/', import.meta.url));

it('posts the example’s invoices in HomeBank at a click', { timeout: 180_000 }, async () => {
  const session = await startSession({ width: 1280, height: 800, compositor: true });
  onTestFinished(() => session.stop());
  const model = await startScriptedModel(invoiceScript);
  onTestFinished(() => model.stop());
  const workflow = (await readFile(join(example, 'post-invoices.yaml'), 'utf8')).replace(
    'MODEL_URL: http://localhost:11434/v1',
    `MODEL_URL: ${model.url}`,
  );
  const tray = await startTray(session, { copyOf: example, files: { 'post-invoices.yaml': workflow } });
  onTestFinished(() => tray.stop());
  const { page } = tray;

  await page.getByRole('button', { name: 'Run post-invoices', exact: true }).click();
  const steps = page.getByRole('region', { name: 'Steps' });
  const done = page.getByRole('status').filter({ hasText: /^Done: all \d+ steps$/ });
  const failed = page.getByRole('alert');
  await done.or(failed).first().waitFor({ timeout: 150_000 });
  expect(await failed.allTextContents()).toEqual([]);
  await steps.getByRole('button', { name: 'post_hinoki' }).click();
  const timeline = page.getByRole('region', { name: 'What happened' });
  await timeline.getByText('By element').first().waitFor();
  await timeline.getByRole('button', { name: 'Open picture 1 of 1' }).first().click();
  await page.getByRole('dialog').getByRole('img', { name: 'Picture 1 of 1' }).waitFor();

  const findings = checkEffects(
    tray.workflows,
    tray.home,
    invoiceScript.map(({ values }) => values),
  );
  expect(findings.filter(({ holds }) => !holds)).toEqual([]);
});
