import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { type DesktopSession, startSession } from '../fixtures/desktop-session.ts';

const run = promisify(execFile);
const source = fileURLToPath(new URL('../../build/desktop-session.mjs', import.meta.url));
/** Starts a session, says where it is, and then does nothing. */
const owner = `
  const { startSession } = await import(${JSON.stringify(source)});
  const session = await startSession();
  console.log(JSON.stringify(session.env));
  setInterval(() => {}, 1000);
`;

let session: DesktopSession | undefined;
afterEach(async () => {
  vi.unstubAllEnvs();
  await session?.stop();
  session = undefined;
});

describe('a desktop session', () => {
  test('has a window manager, a display of the size asked for, and accessibility on', async () => {
    session = await startSession({ width: 1000, height: 700, compositor: true });
    const { env } = session;
    const properties = await run('xprop', ['-root', '_NET_SUPPORTING_WM_CHECK', '_NET_DESKTOP_GEOMETRY'], { env });
    expect(properties.stdout).toMatch(/_NET_SUPPORTING_WM_CHECK\(WINDOW\): window id # 0x/);
    expect(properties.stdout).toContain('_NET_DESKTOP_GEOMETRY(CARDINAL) = 1000, 700');
    const enabled = await run(
      'dbus-send',
      [
        '--session',
        '--print-reply',
        '--dest=org.a11y.Bus',
        '/org/a11y/bus',
        'org.freedesktop.DBus.Properties.Get',
        'string:org.a11y.Status',
        'string:IsEnabled',
      ],
      { env },
    );
    expect(enabled.stdout).toContain('boolean true');
  });

  test('ends with all that was started in it, and leaves no folder', async () => {
    session = await startSession();
    const application = startApplication(session.env);
    await window(session.env);
    await session.stop();
    expect(existsSync(folderOf(session.env))).toBe(false);
    expect(isAlive(application.pid)).toBe(false);
  });

  test.each(['SIGKILL', 'SIGTERM'] as const)('ends when its owner is ended by %s', async (signal) => {
    const holder = spawn(process.execPath, ['--input-type=module', '-e', owner], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const env = await firstLine(holder);
    const application = startApplication(env);
    await window(env);
    holder.kill(signal);
    await once(holder, 'exit');
    await expect.poll(() => existsSync(folderOf(env)), { timeout: 10_000 }).toBe(false);
    expect(isAlive(application.pid)).toBe(false);
  });

  test('that cannot start says which part failed, and why', async () => {
    const programs = await mkdtemp(join(tmpdir(), 'dagu-programs-'));
    try {
      for (const program of ['Xvfb', 'dbus-daemon', 'dbus-send']) {
        const { stdout } = await run('which', [program]);
        await symlink(stdout.trim(), join(programs, program));
      }
      vi.stubEnv('PATH', programs);
      await expect(startSession()).rejects.toThrow(
        'the desktop session did not start: openbox is not installed: run `npm run setup`',
      );
    } finally {
      await rm(programs, { recursive: true });
    }
  });
});

function startApplication(env: Record<string, string>): ChildProcess {
  return spawn('zenity', ['--info', '--title=Sample', '--text=Sample'], { env, detached: true, stdio: 'ignore' });
}

/** Waits until the sample application's window is there. */
async function window(env: Record<string, string>): Promise<void> {
  await run('xdotool', ['search', '--sync', '--onlyvisible', '--name', '^Sample$'], { env, timeout: 15_000 });
}

function folderOf(env: Record<string, string>): string {
  return env.DAGU_DESKTOP_SESSION ?? '';
}

/** Whether a process runs; one that has ended and waits to be collected does not. */
function isAlive(pid: number | undefined): boolean {
  const stat = `/proc/${pid}/stat`;
  return existsSync(stat) && !/\) Z /.test(readFileSync(stat, 'utf8'));
}

async function firstLine(child: ChildProcess): Promise<Record<string, string>> {
  if (child.stdout === null) throw new Error('the child has no pipe');
  const [line] = await once(createInterface(child.stdout), 'line');
  return JSON.parse(String(line));
}
