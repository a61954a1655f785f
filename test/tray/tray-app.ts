import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type ElectronApplication, _electron as electron, type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll } from 'vitest';
import { electronExecutable } from '../../build/electron-runtime.mjs';
import { type DesktopSession, startSession } from '../fixtures/desktop-session.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** The tray app as built, started on a real Electron in a desktop session. */
export interface TrayApp {
  app: ElectronApplication;
  /** Its window. */
  page: Page;
  /** Its data directory. */
  home: string;
  /** Its workflows folder. */
  workflows: string;
  /** Writes a file into the workflows folder. */
  write(file: string, text: string): Promise<void>;
  /** Quits it and removes its folders. */
  stop(): Promise<void>;
}

export interface TrayOptions {
  /** Files of the workflows folder: name and text. Steps find the folder in `$FOLDER`. */
  files?: Record<string, string>;
  /** A folder whose files are copied into the workflows folder. */
  copyOf?: string;
  /** Whether the settings allow the folder's files, as most tests want it; else each file has to be allowed first. */
  trusted?: boolean;
  args?: string[];
  env?: Record<string, string>;
}

/** A command that waits for a file named `go` in the workflows folder: a test decides when the step goes on. */
export const waitForGo = 'until [ -e "$FOLDER/go" ]; do sleep 0.05; done';

/** How the app is started: for Playwright, and for a second start beside it. */
export function trayCommand(workflows: string, args: string[] = []): { executablePath: string; args: string[] } {
  // Chromium's sandbox refuses to run as root.
  const sandbox = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  return { executablePath: electronExecutable(), args: [...sandbox, root, '--workflows', workflows, ...args] };
}

/** The environment in which the app finds the session and its data directory. */
export function trayEnv(session: DesktopSession, home: string): Record<string, string> {
  return { ...session.env, DAGU_DESKTOP_HOME: home };
}

export async function startTray(
  session: DesktopSession,
  { files = {}, copyOf, trusted = true, args, env }: TrayOptions = {},
): Promise<TrayApp> {
  const folder = await mkdtemp(join(tmpdir(), 'dagu-tray-'));
  const home = join(folder, 'home');
  const workflows = join(folder, 'workflows');
  await mkdir(workflows);
  await mkdir(home);
  const trust = { folders: trusted ? [workflows] : [] };
  await writeFile(join(home, 'settings.json'), JSON.stringify({ trust }));
  if (copyOf !== undefined) await cp(copyOf, workflows, { recursive: true });
  const write = (file: string, text: string) => writeFile(join(workflows, file), text);
  for (const [file, text] of Object.entries(files)) await write(file, text);
  const app = await electron.launch({
    ...trayCommand(workflows, args),
    env: { ...trayEnv(session, home), FOLDER: workflows, ...env },
  });
  const page = await app.firstWindow();
  page.setDefaultTimeout(15_000);
  return {
    app,
    page,
    home,
    workflows,
    write,
    stop: async () => {
      await app.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** For a test file: a session for all of its tests, and the app for each, stopped after it. */
export function trayForTests(): { session(): DesktopSession; start(options: TrayOptions): Promise<TrayApp> } {
  let session: DesktopSession | undefined;
  let tray: TrayApp | undefined;
  beforeAll(async () => {
    session = await startSession({ compositor: true });
  });
  afterEach(async () => {
    await tray?.stop();
    tray = undefined;
  });
  afterAll(() => session?.stop());
  const current = () => {
    if (session === undefined) throw new Error('there is no session before the first test');
    return session;
  };
  return {
    session: current,
    start: async (options) => {
      tray = await startTray(current(), options);
      return tray;
    },
  };
}

export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
    throw error;
  }
}
