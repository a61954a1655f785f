import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Desktop, Window } from '../../native/desktop.ts';
import { eventually } from '../../native/suite.ts';
import { type DesktopSession, startSession } from '../fixtures/desktop-session.ts';
import { type RunningDriver, startDriver } from '../fixtures/driver.ts';
import { keysDown } from '../fixtures/keys-down.ts';

const run = promisify(execFile);
const books = fileURLToPath(new URL('../fixtures/books/books.xhb', import.meta.url));

let session: DesktopSession;
let env: Record<string, string>;
let folder: string;
let drivers: RunningDriver[];
let programs: number[];
let desktop: Desktop;
beforeAll(async () => {
  session = await startSession({ width: 1000, height: 700 });
  env = { ...session.env, DAGU_DESKTOP_X11: '1' };
});
afterAll(() => session?.stop());
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dagu-desktop-driver-'));
  drivers = [];
  programs = [];
  desktop = open().desktop;
});
afterEach(async () => {
  for (const pid of programs) process.kill(pid);
  await eventually('all windows close', async () =>
    (await desktop.windows()).windows.length === 0 ? true : undefined,
  );
  await Promise.all(drivers.map((driver) => driver.stop()));
  await rm(folder, { recursive: true });
});

function open(environment = env): RunningDriver {
  const driver = startDriver(environment);
  drivers.push(driver);
  return driver;
}

async function openWindow(command: string, args: string[], title: string): Promise<Window> {
  programs.push((await desktop.launch({ command, args })).pid);
  return await eventually(`"${title}" opens`, async () =>
    (await desktop.windows()).windows.find((window) => window.title.includes(title)),
  );
}

describe('without DAGU_DESKTOP_X11', () => {
  test('Linux is refused in the words of the specification', async () => {
    const { desktop: refusing } = open({ ...env, DAGU_DESKTOP_X11: '' });
    const message = 'desktop automation is supported on macOS and Windows only';
    expect(await refusing.check({ prompt: false })).toEqual({
      os: 'linux',
      width: 0,
      height: 0,
      ready: false,
      problems: [{ code: 'unsupported', message }],
    });
    await expect(refusing.windows()).rejects.toMatchObject({ code: 'unsupported', message });
  });
});

describe('without a display', () => {
  test.each([
    ['', 'DISPLAY is not set'],
    [':9999', ':9999 cannot be opened'],
  ])('DISPLAY=%j is named', async (DISPLAY, words) => {
    const { desktop: blind } = open({ ...env, DISPLAY });
    const { ready, problems } = await blind.check({ prompt: false });
    expect({ ready, problems }).toEqual({
      ready: false,
      problems: [{ code: 'no_display', message: expect.stringContaining(words) }],
    });
    await expect(blind.captureScreen()).rejects.toMatchObject({ code: 'no_display' });
  });

  test('one that goes away is told, and the driver lives on', async () => {
    const server = spawn('Xvfb', ['-displayfd', '3', '-nolisten', 'tcp'], {
      stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
    });
    const [number] = await once(server.stdio[3] as Readable, 'data');
    const { desktop: lonely } = open({ ...env, DISPLAY: `:${String(number).trim()}` });
    expect(await lonely.windows()).toEqual({ windows: [] });
    server.kill();
    await once(server, 'exit');
    await expect(lonely.windows()).rejects.toMatchObject({ code: 'display_lost' });
    await expect(lonely.captureScreen()).rejects.toMatchObject({ code: 'display_lost' });
    expect(await lonely.capabilities()).toMatchObject({ elements: true });
  });
});

describe('without a D-Bus session', () => {
  test('the desktop is ready, and elements say what is missing', async () => {
    await openWindow('yad', ['--form', '--title=Alone', '--field=One'], 'Alone');
    const { desktop: mute } = open({ ...env, DBUS_SESSION_BUS_ADDRESS: '', XDG_RUNTIME_DIR: folder });
    const { ready, problems } = await mute.check({ prompt: false });
    expect(ready).toBe(true);
    expect(problems).toEqual([{ code: 'accessibility', message: expect.stringContaining('D-Bus session') }]);
    const [window] = (await mute.windows()).windows;
    await expect(mute.elements({ window: (window as Window).id })).rejects.toMatchObject({
      code: 'no_elements',
      message: expect.stringContaining('D-Bus session'),
    });
  });
});

describe('a driver that is killed', () => {
  test('leaves no key down once the next one takes the desktop', async () => {
    const doomed = open();
    const window = await openWindow('mousepad', ['--disable-server'], 'Mousepad');
    await doomed.desktop.takeLease();
    await doomed.desktop.raise({ window: window.id });
    // Held by the click for as long as it takes, which is when the driver dies.
    const point = { x: window.bounds.x + 100, y: window.bounds.y + 200 };
    const click = doomed.desktop.click({ point, button: 'left', count: 3, modifiers: ['ctrl', 'shift'] });
    const lost = expect(click).rejects.toMatchObject({ code: 'closed' });
    await eventually('the keys are down', async () => (keysDown(session.display).length === 2 ? true : undefined));
    await doomed.kill();
    await lost;
    expect(keysDown(session.display)).toHaveLength(2);
    expect(await desktop.takeLease()).toEqual({ taken: true });
    expect(keysDown(session.display)).toEqual([]);
    await desktop.releaseLease();
  });

  test('lets all up itself when it is told to end', async () => {
    const ending = open();
    await ending.desktop.takeLease();
    const click = ending.desktop.click({ point: { x: 1, y: 1 }, button: 'right', count: 3, modifiers: ['alt'] });
    const lost = expect(click).rejects.toMatchObject({ code: 'closed' });
    await eventually('the key is down', async () => (keysDown(session.display).length === 1 ? true : undefined));
    process.kill(ending.pid, 'SIGTERM');
    await lost;
    expect(keysDown(session.display)).toEqual([]);
    expect(await desktop.takeLease()).toEqual({ taken: true });
    await desktop.releaseLease();
  });
});

describe('launch', () => {
  test('says that a program may not be run, and that there is no such folder', async () => {
    const script = join(folder, 'script.sh');
    await writeFile(script, '#!/bin/sh\n');
    await chmod(script, 0o600);
    await expect(desktop.launch({ command: script, args: [] })).rejects.toMatchObject({
      code: 'launch_failed',
      message: `cannot launch "${script}": this user may not run it (EACCES)`,
    });
    await expect(desktop.launch({ command: 'true', args: [], cwd: join(folder, 'none') })).rejects.toMatchObject({
      code: 'launch_failed',
      message: expect.stringContaining('does not exist'),
    });
  });

  test('gives the arguments as they are, in the folder, to a program that outlives the driver', async () => {
    const driver = open();
    const args = ['-c', 'echo "$0|$1|$(pwd)" > out.txt; sleep 30', '$HOME', 'a b;c'];
    const { pid } = await driver.desktop.launch({ command: 'sh', args, cwd: folder });
    const output = await eventually('the program wrote its arguments', async () =>
      existsSync(join(folder, 'out.txt')) ? (await readFile(join(folder, 'out.txt'), 'utf8')) || undefined : undefined,
    );
    expect(output).toBe(`$HOME|a b;c|${folder}\n`);
    await driver.stop();
    expect(process.kill(pid, 0)).toBe(true);
    process.kill(pid);
  });
});

describe('typing', () => {
  test('gives back the keys that it borrowed', async () => {
    const map = async () => (await run('xmodmap', ['-pke'], { env: session.env })).stdout;
    const before = await map();
    const window = await openWindow('mousepad', ['--disable-server'], 'Mousepad');
    await desktop.takeLease();
    await desktop.raise({ window: window.id });
    const text = '吾輩は猫である。名前はまだ無い。どこで生れたかとんと見当がつかぬ。\n何でも薄暗いじめじめした所で😀';
    await desktop.typeText({ text, window: window.id });
    const field = (await desktop.elements({ window: window.id })).elements.find(
      (element) => element.role === 'text_field' && element.visible,
    );
    expect(field?.value).toBe(text);
    expect(await map()).toBe(before);
    await desktop.releaseLease();
  });

  test('stops where it is when all is let up', async () => {
    const window = await openWindow('mousepad', ['--disable-server'], 'Mousepad');
    await desktop.takeLease();
    await desktop.raise({ window: window.id });
    const typing = desktop.typeText({ text: 'x'.repeat(2000), window: window.id });
    const stopped = expect(typing).rejects.toMatchObject({
      code: 'failed',
      message: expect.stringContaining('stopped'),
    });
    await desktop.releaseAll();
    await stopped;
    await desktop.pressChord({ chord: 'end', window: window.id });
    await desktop.releaseLease();
  });
});

describe('a modal dialog', () => {
  test('is read while the act that opened it still waits for it', async () => {
    // The program runs its dialog inside the act, and so answers nothing on the connection that asked.
    const main = await openWindow('mousepad', ['--disable-server'], 'Mousepad');
    const { elements } = await desktop.elements({ window: main.id });
    const about = elements.find((element) => element.role === 'menu_item' && element.name.trim() === 'About');
    await desktop.perform({ ref: about?.ref as string, pattern: 'invoke' });
    const dialog = await eventually('the dialog opens', async () =>
      (await desktop.windows()).windows.find((window) => window.kind === 'dialog'),
    );
    expect(dialog).toMatchObject({ owner: main.id });
    const inside = await desktop.elements({ window: dialog.id });
    const close = inside.elements.find((element) => element.role === 'button' && element.name === 'Close');
    await desktop.perform({ ref: close?.ref as string, pattern: 'invoke' });
    await eventually('the dialog closes', async () =>
      (await desktop.windows()).windows.every((window) => window.kind !== 'dialog') ? true : undefined,
    );
  });

  test('that an act opened takes keys and further acts without freezing its program', async () => {
    const copy = join(folder, 'books.xhb');
    await copyFile(books, copy);
    const main = await openWindow('homebank', [copy], 'books.xhb');
    const element = async (window: string, role: string, name: string) => {
      const { elements } = await desktop.elements({ window });
      return elements.find((one) => one.role === role && one.name === name)?.ref as string;
    };
    await desktop.perform({ ref: await element(main.id, 'button', 'Add'), pattern: 'invoke' });
    const dialog = await eventually('the dialog opens', async () =>
      (await desktop.windows()).windows.find((window) => window.title === 'Add transaction'),
    );
    const field = (await desktop.elements({ window: dialog.id })).elements.find(({ label }) => label === 'Memo:');
    await desktop.perform({ ref: field?.ref as string, pattern: 'setValue', value: 'by value' });
    await desktop.takeLease();
    await desktop.typeText({ text: '1', window: dialog.id });
    await desktop.releaseLease();
    await desktop.perform({ ref: await element(dialog.id, 'button', 'Close'), pattern: 'invoke' });
    await eventually('the dialog closes', async () =>
      (await desktop.windows()).windows.some((window) => window.id === dialog.id) ? undefined : true,
    );
    expect((await desktop.elements({ window: main.id })).elements.length).toBeGreaterThan(50);
  });
});

describe('an open menu', () => {
  test('is a window of its own, whose items are found in the window that it belongs to', async () => {
    const main = await openWindow('mousepad', ['--disable-server'], 'Mousepad');
    await desktop.takeLease();
    await desktop.raise({ window: main.id });
    const { elements } = await desktop.elements({ window: main.id });
    const file = elements.find((element) => element.role === 'menu_item' && element.name.trim() === 'File');
    const { x, y, width, height } = (file as (typeof elements)[number]).bounds;
    const point = { x: x + width / 2, y: y + height / 2 };
    await desktop.click({ point, button: 'left', count: 1, modifiers: [] });
    const menu = await eventually('the menu opens', async () =>
      (await desktop.windows()).windows.find((window) => window.kind === 'menu'),
    );
    const items = await eventually('its items are in sight', async () => {
      const tree = await desktop.elements({ window: menu.id });
      expect(tree.window.id).toBe(main.id);
      const found = tree.elements.filter((element) => element.visible && element.name.trim().startsWith('Save'));
      return found.length > 1 ? found : undefined;
    });
    const save = items[0] as (typeof items)[number];
    const at = await desktop.elementAt({ x: save.bounds.x + 10, y: save.bounds.y + save.bounds.height / 2 });
    expect(at.found?.ref).toBe(save.ref);
    const { bounds } = await desktop.captureWindow({ window: menu.id });
    expect(bounds).toEqual(menu.bounds);
    await desktop.pressChord({ chord: 'escape', window: main.id });
    await eventually('the menu closes', async () =>
      (await desktop.windows()).windows.some((window) => window.kind === 'menu') ? undefined : true,
    );
    await desktop.releaseLease();
  });
});
