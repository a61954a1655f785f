import type { ElectronApplication } from 'playwright-core';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { type DesktopSession, startSession } from '../fixtures/desktop-session.ts';
import { StatusTray, type TrayItem } from './status-tray.ts';
import { startTray, type TrayApp, waitForGo } from './tray-app.ts';

let session: DesktopSession;
let shown: StatusTray;
let tray: TrayApp | undefined;

beforeEach(async () => {
  session = await startSession({ compositor: true });
  shown = new StatusTray(session.env.DBUS_SESSION_BUS_ADDRESS ?? '');
  await shown.open();
});
afterEach(async () => {
  await tray?.stop();
  tray = undefined;
  await shown.close();
  await session.stop();
});

it('shows what runs, stops it and opens the window from its menu', async () => {
  tray = await startTray(session, { files: { 'long.yaml': 'steps:\n  - id: work\n    run: sleep 300\n' } });
  const item = await shown.item();
  expect(await item.tooltip()).toBe('Nothing is running');
  expect(await labels(item)).toEqual(['Nothing is running', '', 'Open Dagu Desktop', '', 'Quit']);
  const idle = await item.picture();

  const { page } = tray;
  await page.getByRole('button', { name: 'Run long' }).click();
  await vi.waitFor(async () => expect(await item.tooltip()).toBe('long: Working: step 1 of 1, work'), 10_000);
  await vi.waitFor(async () => expect(await item.picture()).not.toBe(idle), 10_000);
  await Promise.all([page.waitForEvent('close'), page.close()]);
  expect(await labels(item)).toContain('Stop long');

  await item.choose('Stop long');
  await vi.waitFor(async () => expect(await item.tooltip()).toBe('Nothing is running'), 10_000);
  await vi.waitFor(async () => expect(await item.picture()).toBe(idle), 10_000);

  const opened = tray.app.waitForEvent('window');
  await item.choose('Open Dagu Desktop');
  await (await opened).getByText('Stopped').waitFor();
});

it('tells of a failure until a person has looked', async () => {
  tray = await startTray(session, {
    files: { 'fails.yaml': `steps:\n  - id: work\n    run: ${waitForGo}; exit 3\n` },
  });
  const item = await shown.item();
  const idle = await item.picture();
  const { page, write } = tray;
  await page.getByRole('button', { name: 'Run fails' }).click();
  // The picture follows the text a moment later.
  await vi.waitFor(async () => expect(await item.picture()).not.toBe(idle), 10_000);
  const working = await item.picture();
  await Promise.all([page.waitForEvent('close'), page.close()]);
  await write('go', '');
  await vi.waitFor(async () => expect(await item.tooltip()).toBe('fails: Failed at step 1 of 1, work'), 10_000);
  await vi.waitFor(async () => expect([idle, working]).not.toContain(await item.picture()), 10_000);

  await item.click();
  await vi.waitFor(async () => expect(await item.tooltip()).toBe('Nothing is running'), 10_000);
  await vi.waitFor(async () => expect(await item.picture()).toBe(idle), 10_000);
});

it('asks before it quits while something runs', async () => {
  tray = await startTray(session, { files: { 'long.yaml': 'steps:\n  - id: work\n    run: sleep 300\n' } });
  const item = await shown.item();
  const { app, page } = tray;
  await page.getByRole('button', { name: 'Run long' }).click();
  await page.getByRole('status').filter({ hasText: 'Working' }).waitFor();

  const asked = await answerDialogs(app, 'Cancel');
  await item.choose('Quit');
  await vi.waitFor(async () => expect(await asked()).toEqual(['An automation is still running. Stop it and quit?']));
  await page.getByRole('status').filter({ hasText: 'Working' }).waitFor();

  await answerDialogs(app, 'Stop and quit');
  const closed = app.waitForEvent('close');
  await item.choose('Quit');
  await closed;
});

/** Has the system's dialogs answered by the button with a name; gives what they asked so far. */
async function answerDialogs(app: ElectronApplication, button: string): Promise<() => Promise<string[]>> {
  await app.evaluate(({ dialog }, name) => {
    const questions: string[] = [];
    (globalThis as { questions?: string[] }).questions = questions;
    const answer = async ({ message, buttons = [] }: Electron.MessageBoxOptions) => {
      questions.push(message);
      return { response: buttons.indexOf(name), checkboxChecked: false };
    };
    dialog.showMessageBox = answer as typeof dialog.showMessageBox;
  }, button);
  return () => app.evaluate(() => (globalThis as { questions?: string[] }).questions ?? []);
}

async function labels(item: TrayItem): Promise<string[]> {
  return (await item.menu()).map(({ label }) => label);
}
