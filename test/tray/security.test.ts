import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ElectronApplication, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { apiProtocol } from '../../core/contract/api.ts';
import { type DesktopSession, startSession } from '../fixtures/desktop-session.ts';
import { startTray, type TrayApp } from './tray-app.ts';

let session: DesktopSession;
let tray: TrayApp;
let page: Page;

beforeAll(async () => {
  session = await startSession({ compositor: true });
  tray = await startTray(session, { files: { 'a.yaml': 'steps:\n  - id: a\n    run: touch "$FOLDER/ran"\n' } });
  page = tray.page;
  await page.getByRole('heading', { name: 'Automations' }).waitFor();
});
afterAll(async () => {
  await tray?.stop();
  await session.stop();
});

it('gives the page nothing of Node or Electron, only the named calls', async () => {
  const found = await page.evaluate(() => ({
    node: ['require', 'process', 'module', 'Buffer', 'global', 'ipcRenderer'].filter((name) => name in globalThis),
    bridge: Object.keys((globalThis as unknown as { dagu: object }).dagu).sort(),
  }));
  expect(found).toEqual({
    node: [],
    bridge: [...Object.keys(apiProtocol), 'on'].sort(),
  });
});

it('runs no code but the page files', async () => {
  const ran = await page.evaluate(async () => {
    const tries: Record<string, unknown> = {};
    const world = globalThis as unknown as Record<string, unknown>;
    const attempt = (name: string, work: () => unknown) => {
      try {
        tries[name] = work();
      } catch (error) {
        tries[name] = (error as Error).name;
      }
    };
    attempt('inline', () => {
      const script = document.createElement('script');
      script.textContent = 'window.inlineRan = true';
      document.head.append(script);
      return world.inlineRan ?? 'not run';
    });
    attempt('text', () => setTimeout('window.textRan = true', 0));
    attempt('markup', () => {
      document.body.innerHTML += '<img src="x" onerror="window.markupRan = true">';
      return 'set';
    });
    const style = document.createElement('div');
    style.setAttribute('style', 'position: fixed');
    document.body.append(style);
    tries.style = getComputedStyle(style).position;
    style.remove();
    return tries;
  });
  expect(ran).toEqual({ inline: 'TypeError', text: 'TypeError', markup: 'TypeError', style: 'static' });
});

it('lets the page reach nothing outside', async () => {
  await writeFile(join(tray.home, 'secret.txt'), 'secret');
  const reached = await page.evaluate(async (home) => {
    const get = (address: string) =>
      fetch(address).then(
        () => 'reached',
        () => 'refused',
      );
    return {
      web: await get('http://127.0.0.1:9/'),
      file: await get(`file://${home}/secret.txt`),
      own: await get('app://dagu/index.html'),
    };
  }, tray.home);
  expect(reached).toEqual({ web: 'refused', file: 'refused', own: 'refused' });
});

it('serves the pages alone under its own scheme', async () => {
  const answers = await tray.app.evaluate(async ({ session }) => {
    const pages = session.fromPartition('pages');
    const status = async (path: string) => (await pages.fetch(`app://dagu${path}`)).status;
    return {
      page: await status('/index.html'),
      policy: (await pages.fetch('app://dagu/index.html')).headers.get('content-security-policy') ?? '',
      outside: await status('/..%2f..%2fpackage.json'),
      program: await status('/../electron.js'),
      unknown: await status('/none.html'),
    };
  });
  expect(answers).toMatchObject({ page: 200, outside: 404, program: 404, unknown: 404 });
  expect(answers.policy).toContain("default-src 'none'");
  expect(answers.policy).not.toContain('unsafe');
});

it('lets the page go nowhere and open nothing', async () => {
  const before = page.url();
  const asked = tray.app.evaluate(
    ({ BrowserWindow }) =>
      new Promise<string>((resolve) => {
        BrowserWindow.getAllWindows()[0]?.webContents.once('will-navigate', (event) => resolve(event.url));
      }),
  );
  await page.evaluate(() => {
    window.open('https://example.com/');
    location.href = 'file:///etc/hostname';
    location.href = 'https://example.com/';
  });
  // Asked, and refused; a file is refused by Chromium itself.
  expect(await asked).toBe('https://example.com/');
  const now = await tray.app.evaluate(({ BrowserWindow }) =>
    BrowserWindow.getAllWindows().map((window) => window.webContents.getURL()),
  );
  expect(now).toEqual([before]);
  expect(await page.evaluate(() => document.querySelector('h1')?.textContent)).toBe('Automations');
});

it('grants no permission', async () => {
  const states = await page.evaluate(async () => ({
    notifications: await Notification.requestPermission(),
    place: await new Promise((resolve) =>
      navigator.geolocation.getCurrentPosition(
        () => resolve('granted'),
        ({ code, PERMISSION_DENIED }) => resolve(code === PERMISSION_DENIED ? 'denied' : 'not there'),
      ),
    ),
    clipboard: await navigator.clipboard.readText().then(
      () => 'granted',
      (error: Error) => error.name,
    ),
  }));
  expect(states).toEqual({ notifications: 'denied', place: 'denied', clipboard: 'NotAllowedError' });
});

it('refuses parameters that the contract does not have', async () => {
  const answers = await page.evaluate(async () => {
    const { startRun, listRuns } = (
      globalThis as unknown as { dagu: Record<string, (params: unknown) => Promise<unknown>> }
    ).dagu;
    return [
      await startRun?.({ path: 3 }),
      await startRun?.({ path: 'a', trigger: 'schedule' }),
      await startRun?.(undefined),
      await listRuns?.({ limit: 100000 }),
      await startRun?.({ path: '/etc/passwd' }),
    ];
  });
  const codes = (answers as { failure?: { code: string } }[]).map((answer) => answer.failure?.code);
  expect(codes).toEqual(['invalid', 'invalid', 'invalid', 'invalid', 'not_found']);
});

it('answers no other sender and no other call', async () => {
  const answers = await askFromAnotherWindow(tray.app, ['dagu:call:listRuns', 'dagu:call:none', 'none']);
  expect(answers[0]).toEqual({ ok: false, failure: { code: 'refused', message: 'listRuns is not for this sender' } });
  expect(answers[1]).toContain('No handler registered');
  expect(answers[2]).toContain('No handler registered');
});

/** Calls main from a window that is not the app's own, with all that Electron can give to it. */
function askFromAnotherWindow(app: ElectronApplication, channels: string[]): Promise<unknown[]> {
  return app.evaluate(async ({ BrowserWindow }, asked) => {
    const window = new BrowserWindow({
      show: false,
      webPreferences: { nodeIntegration: true, contextIsolation: false, sandbox: false },
    });
    await window.loadURL('about:blank');
    const answers: unknown[] = [];
    for (const channel of asked) {
      const code = `require('electron').ipcRenderer.invoke(${JSON.stringify(channel)}, { limit: 1 }).catch((e) => e.message)`;
      answers.push(await window.webContents.executeJavaScript(code));
    }
    window.destroy();
    return answers;
  }, channels);
}
