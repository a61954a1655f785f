import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const demo = fileURLToPath(new URL('../../build/demo.mjs', import.meta.url));

interface Ended {
  code: number | null;
  output: string;
}

/** Runs the demo; `onOutput` sees all that was printed so far, and may end it. */
async function runDemo(
  args: string[],
  env = {},
  onOutput: (text: string, end: () => void) => void = () => {},
): Promise<Ended> {
  const child = spawn(process.execPath, [demo, ...args], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      onOutput(output, () => child.kill('SIGINT'));
    });
  }
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { code, output };
}

/** The folder that the demo says it works in, without `/invoices`. */
function folderOf(output: string): string {
  return dirname(/were copied to (\S+)/.exec(output)?.[1] ?? '');
}

/** Processes whose environment or arguments name a folder. */
function processesOf(folder: string): string[] {
  const names = (pid: string, file: string) => {
    try {
      return readFileSync(`/proc/${pid}/${file}`, 'latin1').includes(folder);
    } catch {
      return false; // it ended meanwhile, or is another user's
    }
  };
  return readdirSync('/proc').filter((pid) => /^\d+$/.test(pid) && (names(pid, 'environ') || names(pid, 'cmdline')));
}

describe('the demo', () => {
  it('posts three invoices in HomeBank and finds them in its books', { timeout: 150_000 }, async () => {
    const { code, output } = await runDemo(['--own-display']);
    expect(output).toContain('This model is scripted');
    expect(output).toContain('ok       books.xhb: 3 transactions and no other');
    expect([output.split('\n').at(-2), code]).toEqual(['The demo succeeded.', 0]);
    const folder = folderOf(output);
    expect(existsSync(folder)).toBe(true);
    expect(processesOf(folder)).toEqual([]);
    rmSync(folder, { recursive: true });
  });

  it('ends all that it started when it is stopped', { timeout: 90_000 }, async () => {
    let stopped = false;
    const { code, output } = await runDemo(['--own-display'], {}, (text, end) => {
      if (stopped || !text.includes('post_kestrel_bay  started')) return;
      stopped = true;
      end();
    });
    expect([stopped, code]).toEqual([true, 130]);
    const folder = folderOf(output);
    expect(processesOf(folder)).toEqual([]);
    rmSync(folder, { recursive: true });
  });

  it('does not take a desktop without being asked to', async () => {
    const { code, output } = await runDemo([], { DISPLAY: ':4321', WAYLAND_DISPLAY: '' });
    expect(code).toBe(1);
    expect(output.trimEnd().split('\n')).toEqual([expect.stringContaining('npm run demo -- --own-display')]);
  });
});
