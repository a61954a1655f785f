import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type ElectronApplication, _electron as electron, type Page } from 'playwright-core';
import { electronExecutable } from '../../build/electron-runtime.mjs';
import type { DesktopSession } from '../fixtures/desktop-session.ts';

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
  args?: string[];
  env?: Record<string, string>;
}

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
  { files = {}, args, env }: TrayOptions = {},
): Promise<TrayApp> {
  const folder = await mkdtemp(join(tmpdir(), 'dagu-tray-'));
  const home = join(folder, 'home');
  const workflows = join(folder, 'workflows');
  await mkdir(workflows);
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
