import { mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type CommandStart, commandStarter, type StartCommand, startWithNode } from './command-process.ts';

const ways: [string, StartCommand][] = [['this system’s way', await commandStarter()]];
if (process.platform === 'linux') ways.push(['Node', startWithNode]);

let folder: string;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'command-')));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const PATH = process.env.PATH as string;

describe.each(ways)('a command started by %s', (_, start) => {
  const shell = (script: string, more: Partial<CommandStart> = {}) =>
    start({ file: '/bin/sh', args: ['-e', '-c', script], cwd: folder, env: { PATH }, ...more });

  async function run(script: string, more: Partial<CommandStart> = {}) {
    const { stdout, stderr, ended } = await shell(script, more);
    const [out, err, end] = await Promise.all([read(stdout), read(stderr), ended]);
    return { out: out.toString(), err: err.toString(), ...end };
  }

  it('gives its outputs apart, its code, and an empty input', async () => {
    expect(await run('echo out; echo err >&2; cat; exit 7')).toEqual({
      out: 'out\n',
      err: 'err\n',
      code: 7,
      signal: null,
    });
  });

  it('names the signal that ended it', async () => {
    expect(await run('kill -SEGV $$')).toMatchObject({ code: null, signal: 'SIGSEGV' });
  });

  it('gets its folder, arguments and environment as they are', async () => {
    const env = { PATH, A: 'two\nlines', B: `"q" 'q' $(x) \\ ü€`, 'odd.name%%': '()', EMPTY: '' };
    const args = ['-e', '-c', 'printf "%s|" "$0" "$@"; pwd; env -0', 'a "b"\n', '', '$HOME'];
    const { out } = await run('', { args, env });
    const [first = '', ...variables] = out.split(`${folder}\n`).flatMap((part) => part.split('\0'));
    expect(first).toBe('a "b"\n||$HOME|');
    const expected = Object.entries(env).map(([name, value]) => `${name}=${value}`);
    // A shell leaves out names that it could not have made itself.
    for (const variable of expected) if (!variable.startsWith('odd')) expect(variables).toContain(variable);
    const bare = await run('', { file: '/usr/bin/env', args: ['-0'], env });
    expect(bare.out.split('\0').slice(0, -1).sort()).toEqual(expected.sort());
  });

  it('leads a group of its own, with the signals of a fresh program', async () => {
    const child = await shell('ps -o pgid= -p $$; grep -E "SigBlk|SigIgn" /proc/self/status || true');
    const [out] = await Promise.all([read(child.stdout), read(child.stderr), child.ended]);
    const [group, ...signals] = out.toString().trim().split('\n');
    expect(Number(group)).toBe(child.pid);
    for (const line of signals) expect(line).toMatch(/:\s+0+$/);
  });

  it('is refused with the system’s code when it cannot start', async () => {
    const code = (more: Partial<CommandStart>) => run('true', more).catch((error) => error.code);
    expect(await code({ file: '/nowhere/sh' })).toBe('ENOENT');
    expect(await code({ cwd: join(folder, 'nowhere') })).toBe('ENOENT');
    expect(await code({ file: 'no-such-program' })).toBe('ENOENT');
    expect(await code({ file: folder })).toBe('EACCES');
    expect(await code({ env: { LONG: 'x'.repeat(8 * 1024 * 1024) } })).toBe('E2BIG');
  });

  it('writes a lot to both outputs at once', async () => {
    const many = 20_000_000;
    const { out, err, code } = await run(
      `head -c ${many} /dev/zero | tr '\\0' a & head -c ${many} /dev/zero | tr '\\0' b >&2; wait`,
    );
    expect([out.length, err.length, code]).toEqual([many, many, 0]);
    expect([out.replaceAll('a', ''), err.replaceAll('b', '')]).toEqual(['', '']);
  });

  it('is one of many at the same time, and leaves no descriptor open', async () => {
    await run('true');
    const before = descriptors();
    const codes = Array.from({ length: 40 }, (_, index) => index);
    const ends = await Promise.all(codes.map((code) => run(`echo ${code}; exit ${code}`)));
    expect(ends.map(({ code, out }) => [code, out])).toEqual(codes.map((code) => [code, `${code}\n`]));
    for (const _ of codes) await run('true', { file: '/nowhere/sh' }).catch(() => {});
    await vi.waitFor(() => expect(descriptors()).toBe(before));
  });
});

async function read(stream: Readable): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** How many descriptors this process has open; 0 where the system does not tell. */
function descriptors(): number {
  return process.platform === 'linux' ? readdirSync('/proc/self/fd').length : 0;
}
