import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { CommandLine } from '../cli/command.ts';
import { type DesktopSession, startSession } from '../fixtures/desktop-session.ts';
import { startDriver } from '../fixtures/driver.ts';
import { keysDown } from '../fixtures/keys-down.ts';

/** Computer steps through the real command, when something goes wrong around them. */

let session: DesktopSession;
let line: CommandLine;
// A session each: what a step launches stays open.
beforeEach(async () => {
  session = await startSession({ width: 1000, height: 700 });
  line = new CommandLine();
});
afterEach(async () => {
  line.close();
  await session.stop();
});

const typing = `
artifacts: {enabled: true}
steps:
  - id: before
    run: echo done
  - id: type
    depends: before
    action: computer.run
    with:
      ai: never
      idle: 0
      do:
        - launch: { command: zenity, args: [--entry, --title, Name, --text, "Who is it?"] }
        - act:
            instruction: Type a name
            recorded:
              linux:
                - type: { into: { app: zenity, role: text_field, near: { label: "Who is it?", side: below } }, text: "${'a long name '.repeat(60)}" }
                - wait: 60s
handler_on:
  failure: { run: touch failed }
  abort: { run: touch aborted }
working_dir: .
`;

/** What a run looks like from outside, once it has ended. */
async function outcome(ended: Promise<{ code: number | null }>) {
  const { code } = await ended;
  const status = await line.json('status', 'flow');
  const steps = status.steps as { step: string; status: string; error?: string }[];
  return { code, status, step: Object.fromEntries(steps.map((one) => [one.step, one])) };
}

/** The process ids of a program among the children of a process and theirs. */
function descendants(pid: number, program: RegExp): number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    .trim()
    .split(' ')
    .filter(Boolean)
    .map(Number);
  return children.flatMap((child) => [
    ...(program.test(readFileSync(`/proc/${child}/cmdline`, 'utf8')) ? [child] : []),
    ...descendants(child, program),
  ]);
}

/** Waits until the run's driver types. */
async function whileTyping(): Promise<void> {
  await vi.waitFor(
    async () => {
      const { events } = await line.json('status', 'flow');
      expect((events as { name?: string }[]).map(({ name }) => name)).toContain('launch');
      const { stdout } = await line.run('logs', 'flow', '--step', 'type');
      expect(stdout).toContain('replay by element: type');
    },
    { timeout: 30_000, interval: 50 },
  );
}

/** Another driver gets the desktop at once, and no key is down. */
async function expectDesktopFree(): Promise<void> {
  const driver = startDriver(session.env);
  expect(await driver.desktop.takeLease()).toMatchObject({ taken: true });
  await driver.desktop.releaseLease();
  await driver.stop();
  expect(keysDown(session.display)).toEqual([]);
}

describe('a computer step', () => {
  it('without DAGU_DESKTOP_X11 fails as on a system that is not supported', async () => {
    line.file('flow.yaml', typing);
    const { ended } = line.start(['start', 'flow.yaml'], { ...session.env, DAGU_DESKTOP_X11: '' });
    const { code, step } = await outcome(ended);
    expect(code).toBe(1);
    expect(step.type?.error).toContain('desktop automation is supported on macOS and Windows only');
    expect(existsSync(join(line.folder, 'failed'))).toBe(true);
  });

  it('without a display fails with what is missing', async () => {
    line.file('flow.yaml', typing);
    const { ended } = line.start(['start', 'flow.yaml'], { ...session.env, DISPLAY: ':65432' });
    expect((await outcome(ended)).step.type?.error).toMatch(/^computer: .*:65432/);
  });

  it('whose driver is killed fails with that, saves the screen, and leaves the desktop free', async () => {
    line.file('flow.yaml', typing);
    const { child, ended } = line.start(['start', 'flow.yaml'], session.env);
    await whileTyping();
    const [driver] = descendants(child.pid as number, /driver\.js/);
    process.kill(driver as number, 'SIGKILL');
    const { code, status, step } = await outcome(ended);
    expect(code).toBe(1);
    expect(step.before?.status).toBe('succeeded');
    expect(step.type?.error).toContain('the program that operates the desktop ended: the process was ended by SIGKILL');
    expect(existsSync(join(line.folder, 'failed'))).toBe(true);
    expect(readdirSync(join(status.artifactsDir as string, 'computer/type'))).toEqual([
      expect.stringMatching(/-failure\.png$/),
    ]);
    await expectDesktopFree();
  });

  it('that is stopped lets the keys up and leaves the desktop free', async () => {
    line.file('flow.yaml', typing);
    const { child, ended } = line.start(['start', 'flow.yaml'], session.env);
    await whileTyping();
    child.kill('SIGINT');
    const { status } = await outcome(ended);
    expect(status.status).toBe('aborted');
    expect(existsSync(join(line.folder, 'aborted'))).toBe(true);
    await expectDesktopFree();
  });

  it('whose whole run is killed is shown as failed at once, and leaves the desktop free', async () => {
    line.file('flow.yaml', typing);
    const { child, ended } = line.start(['start', 'flow.yaml'], session.env);
    await whileTyping();
    const all = [child.pid as number, ...descendants(child.pid as number, /executor\.cjs|driver\.js/)];
    expect(all).toHaveLength(3);
    for (const pid of all) process.kill(pid, 'SIGKILL');
    const { status, step } = await outcome(ended);
    expect(status).toMatchObject({ status: 'failed', error: expect.stringContaining("the run's process ended") });
    expect(step.before?.status).toBe('succeeded');
    await expectDesktopFree();
  });

  it('whose display goes away in the middle fails with that', async () => {
    line.file('flow.yaml', typing);
    const { ended } = line.start(['start', 'flow.yaml'], session.env);
    await whileTyping();
    const [server] = descendants(process.pid, /^Xvfb/);
    process.kill(server as number);
    const { code, step } = await outcome(ended);
    expect(code).toBe(1);
    expect(step.type?.error).toMatch(/display/);
    expect(existsSync(join(line.folder, 'failed'))).toBe(true);
  });
});
