import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { maxFileBytes } from '../workflow/stream.ts';
import { readWorkflowFile } from './workflow-file.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'workflow-file-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const problem = async (path: string) => (await readWorkflowFile(path, { strictStream: true })).problems[0]?.message;
const noFile = 'this is not a regular file';

describe('a workflow file', () => {
  it('is read', async () => {
    const file = join(folder, 'flow.yaml');
    writeFileSync(file, 'steps:\n  - run: echo ä\n');
    expect((await readWorkflowFile(file, { strictStream: true })).workflow?.name).toBe('flow');
  });

  it('may not be a device', async () => {
    expect(await problem('/dev/zero')).toBe(noFile);
  });

  it('may not be a pipe, which nobody waits for', async () => {
    const pipe = join(folder, 'pipe');
    execFileSync('mkfifo', [pipe]);
    expect(await problem(pipe)).toBe(noFile);
  });

  it('may not be a socket', async () => {
    const server = createServer().listen(join(folder, 'socket'));
    await once(server, 'listening');
    expect(await problem(join(folder, 'socket'))).toBe(noFile);
    server.close();
  });

  it('may not be a folder, missing or too large', async () => {
    expect(await problem(folder)).toBe('this is a folder, not a workflow file');
    expect(await problem(join(folder, 'nowhere'))).toBe('there is no such file');
    const large = join(folder, 'large');
    writeFileSync(large, '');
    truncateSync(large, maxFileBytes + 5);
    expect(await problem(large)).toBe(
      `the file has ${maxFileBytes + 5} bytes; a workflow file has at most ${maxFileBytes}`,
    );
  });
});
