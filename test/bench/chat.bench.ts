import { execFile } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { startScriptedModel } from '../fixtures/scripted-model.ts';
import { atMost, type Figure, median } from './figure.ts';

const execute = promisify(execFile);
const dagu = fileURLToPath(new URL('../../bin/dagu.cjs', import.meta.url));
const steps = 100;
const rounds = 3;

/** What a chat step costs beside the request itself, and how soon what a model says is in the step's output. */
export async function run(): Promise<Figure[]> {
  const folder = await mkdtemp(join(tmpdir(), 'dagu-bench-'));
  try {
    return [await chain(folder), await firstPiece(folder)];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * The overhead a step of 100 chained ones: what each adds to a run, less the time of one request by
 * the bare SDK in a program of its own. At most a quarter of that request and 10 ms.
 */
async function chain(folder: string): Promise<Figure> {
  const model = await startScriptedModel([{ answers: [{ text: 'ok' }] }]);
  const times = { one: [] as number[], many: [] as number[], bare: [] as number[] };
  try {
    const one = await writeChain(folder, 1, model.url);
    const many = await writeChain(folder, steps, model.url);
    // The first start may build.
    await start(one, folder);
    for (let round = 0; round < rounds; round++) {
      times.one.push(await start(one, folder));
      times.many.push(await start(many, folder));
      times.bare.push(await bareCall(model.url));
    }
  } finally {
    await model.stop();
  }
  const bare = median(times.bare);
  const ours = (median(times.many) - median(times.one)) / (steps - 1) - bare;
  return atMost(1, { name: 'chat: overhead a step', ours, theirs: bare / 4 + 10, unit: 'ms' });
}

/** From the moment a server sends the first piece to that in which it stands in the step's output. */
async function firstPiece(folder: string): Promise<Figure> {
  const times: number[] = [];
  const outputs = Array.from({ length: 10 }, (_, index) => join(folder, `piece-${index}.txt`));
  const server = createServer((request, response) => {
    request.resume();
    request.on('end', () => void piece(response, outputs[times.length] as string, times));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const lines = outputs.map((path) => `  - { ${chatStep(url)}, stdout: ${path} }\n`);
    const file = join(folder, 'pieces.yaml');
    await writeFile(file, `type: chain\nsteps:\n${lines.join('')}`);
    await start(file, folder);
  } finally {
    server.close();
  }
  return atMost(1, { name: 'chat: first piece in the output', ours: median(times), theirs: 20, unit: 'ms' });
}

async function piece(response: ServerResponse, path: string, times: number[]): Promise<void> {
  const chunk = (delta: object, finish_reason: string | null = null) =>
    `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.write(chunk({ role: 'assistant' }));
  // What began before is at rest.
  await sleep(100);
  const sent = performance.now();
  response.write(chunk({ content: 'H' }));
  while (!(existsSync(path) && statSync(path).size > 0) && performance.now() - sent < 10_000) await sleep(1);
  times.push(performance.now() - sent);
  response.end(`${chunk({ content: 'i' }, 'stop')}data: [DONE]\n\n`);
}

function chatStep(url: string): string {
  return `action: chat.completion, with: { provider: local, model: m, base_url: "${url}", prompt: Hi }`;
}

async function writeChain(folder: string, length: number, url: string): Promise<string> {
  const path = join(folder, `chat-${length}.yaml`);
  await writeFile(path, `type: chain\nsteps:\n${`  - { ${chatStep(url)} }\n`.repeat(length)}`);
  return path;
}

/** Runs a workflow with a data directory of its own; rejects when it does not succeed. */
async function start(file: string, folder: string): Promise<number> {
  const home = await mkdtemp(join(folder, 'home-'));
  const env = { ...process.env, DAGU_DESKTOP_HOME: home };
  const began = performance.now();
  await execute(process.execPath, [dagu, 'start', file, '--quiet'], { env, cwd: folder, timeout: 120_000 });
  const time = performance.now() - began;
  await rm(home, { recursive: true, force: true });
  return time;
}

/** The time of one of many requests by the bare SDK, in a program that does nothing else. */
async function bareCall(url: string): Promise<number> {
  const program = `
    import OpenAI from 'openai';
    const client = new OpenAI({ baseURL: ${JSON.stringify(url)}, apiKey: 'none' });
    const ask = async () => {
      const stream = await client.chat.completions.create({ model: 'm', messages: [{ role: 'user', content: 'Hi' }], stream: true });
      for await (const _ of stream);
    };
    await ask();
    const began = performance.now();
    for (let count = 0; count < ${steps}; count++) await ask();
    console.log((performance.now() - began) / ${steps});
  `;
  const cwd = fileURLToPath(new URL('../..', import.meta.url));
  const { stdout } = await execute(process.execPath, ['--input-type=module', '-e', program], { cwd });
  return Number(stdout);
}
