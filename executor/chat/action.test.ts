import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { EgressLog } from '../../core/net/egress.ts';
import { Network } from '../../core/net/network.ts';
import type { LlmConfig } from '../../core/workflow/llm.ts';
import type { JsonObject, Step, Workflow } from '../../core/workflow/types.ts';
import { type Exchange, type ScriptedModel, startScriptedModel } from '../../test/fixtures/scripted-model.ts';
import type { StepContext } from '../action.ts';
import { aloneInRun } from '../testing.ts';
import { chatCompletion } from './action.ts';

// Unit tests have no built program.
vi.mock('../documents/reading-process.ts', () => import('../../test/fixtures/documents-here.ts'));

const invoices = fileURLToPath(new URL('../../examples/invoices/', import.meta.url));
const schema: JsonObject = {
  type: 'object',
  properties: { number: { type: 'string' }, total: { type: 'number' } },
  required: ['number'],
};

const network = new Network({}, () => {});
let egress: EgressLog;
let model: ScriptedModel;
let folder: string;
let out: string;
let log: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'chat-'));
  out = '';
  log = '';
  egress = new EgressLog();
});
afterEach(async () => {
  rmSync(folder, { recursive: true });
  await model?.stop();
});

interface Case {
  script: Exchange[];
  with: JsonObject;
  /** Of the workflow; null for none. */
  llm?: LlmConfig | null;
  outputSchema?: JsonObject;
  secrets?: string[];
  env?: Record<string, string>;
  /** `with` as the file has it, where references were resolved in the other. */
  written?: JsonObject;
  workingDir?: string;
}

const oneModel = { provider: 'local', model: 'm' };
const twoModels = {
  model: [
    { provider: 'local', name: 'a' },
    { provider: 'local', name: 'b' },
  ],
};

async function run({
  script,
  with: input,
  llm = oneModel,
  outputSchema,
  secrets = [],
  env = {},
  written = input,
  workingDir = folder,
}: Case) {
  model = await startScriptedModel(script);
  const values = [...secrets];
  const mask = (text: string) => values.reduce((masked, value) => masked.replaceAll(value, '*******'), text);
  const step = { key: 's', name: 's', depends: [], with: written, ...(outputSchema && { outputSchema }) };
  const workflow = { steps: [], ...(llm !== null && { llm: { ...llm, base_url: model.url } }) };
  const context: StepContext = {
    workflow: workflow as unknown as Workflow,
    step: step as unknown as Step,
    with: input,
    env,
    workingDir,
    artifactsDir: undefined,
    signal: new AbortController().signal,
    runSignal: new AbortController().signal,
    secrets: [],
    mask,
    addSecretValue: (value) => void values.push(value),
    stdout: (text) => {
      out += mask(text);
    },
    log: (line) => {
      log += `${mask(line)}\n`;
    },
    event: async () => {},
    fetchFor: (purpose) => network.fetch(purpose, egress),
    ...aloneInRun,
    session: { desktop: () => Promise.reject(new Error('no desktop here')), workingApp: undefined },
  };
  return await chatCompletion.run(context);
}

const sent = (index = 0) => model.requests()[index]?.messages;

describe('chat.completion', () => {
  it('streams a text to stdout, with a line end', async () => {
    const result = await run({ script: [{ answers: [{ text: 'Hello there' }] }], with: { prompt: 'Hi' } });
    expect(out).toBe('Hello there\n');
    expect(result.outputs).toEqual({});
    expect(model.requests()[0]?.stream).toBe(true);
  });

  it('does not stream when told not to', async () => {
    await run({ script: [{ answers: [{ text: 'Hello' }] }], with: { prompt: 'Hi', stream: false } });
    expect(out).toBe('Hello\n');
    expect(model.requests()[0]?.stream ?? false).toBe(false);
  });

  it('puts the system message first and prefers the prompt', async () => {
    await run({
      script: [{ answers: [{ text: 'ok' }] }],
      with: { prompt: 'Hi', messages: [{ role: 'user', content: 'ignored' }], system: 'Be brief' },
    });
    expect(sent()).toEqual([
      { role: 'system', content: 'Be brief' },
      { role: 'user', content: 'Hi' },
    ]);
  });

  it('takes the messages beside a blank prompt, keeps one system message and knows other names of roles', async () => {
    const messages = [
      { role: 'human', content: 'One' },
      { role: 'sys', content: 'First' },
      { role: 'ai', content: 'Two' },
      { role: 'system', content: 'Second' },
    ];
    await run({ script: [{ answers: [{ text: 'ok' }] }], with: { prompt: ' ', messages } });
    expect(sent()).toEqual([
      { role: 'system', content: 'First' },
      { role: 'user', content: 'One' },
      { role: 'assistant', content: 'Two' },
    ]);
  });

  it('masks secrets in what is sent, files included', async () => {
    writeFileSync(join(folder, 'a.txt'), 'key hunter22');
    await run({
      script: [{ answers: [{ text: 'ok' }] }],
      with: { prompt: 'my hunter22', files: 'a.txt' },
      secrets: ['hunter22'],
    });
    expect(sent()).toEqual([{ role: 'user', content: '<file name="a.txt">\nkey *******\n</file>\n\nmy *******' }]);
  });

  it('reads invoices of three formats into typed values', async () => {
    const result = await run({
      script: [
        {
          demands: [
            'KB-2026-0417',
            'EUR 428.40',
            'ひのき事務用品株式会社',
            'HJ-20260312-08',
            '--- page 2 ---',
            '1059.41',
            'LF/2026/0093',
            '19.03.2026',
            '707.25',
          ],
          answers: [{ respond: { total: 428.4, number: 'KB-2026-0417', extra: true } }],
        },
      ],
      with: { prompt: 'Read the invoices', files: '*.pdf\n*.xlsx' },
      outputSchema: schema,
      workingDir: invoices,
    });
    expect(out).toBe('{"number":"KB-2026-0417","total":428.4}\n');
    expect(result.outputs).toEqual({ number: 'KB-2026-0417', total: 428.4 });
    const [request] = model.requests();
    expect(request).toMatchObject({
      tool_choice: 'required',
      tools: [{ function: { name: 'respond', parameters: schema } }],
    });
    expect(request?.stream ?? false).toBe(false);
    expect(request?.messages[0]).toMatchObject({ role: 'system', content: expect.stringContaining('respond') });
  });

  it('masks secrets in the line of a structured answer', async () => {
    await run({
      script: [{ answers: [{ respond: { number: 'pin hunter22', total: 1 } }] }],
      with: { prompt: 'Read' },
      outputSchema: schema,
      secrets: ['hunter22'],
    });
    expect(out).toBe('{"number":"pin *******","total":1}\n');
  });

  it('corrects an unusable answer once, without the malformed call in the history', async () => {
    const result = await run({
      script: [{ answers: [{ call: '{"number": 5' }, { respond: { number: 'A-1' } }] }],
      with: { prompt: 'Read', system: 'Be brief' },
      outputSchema: schema,
    });
    expect(result.outputs).toEqual({ number: 'A-1' });
    expect(sent(1)).toEqual([
      { role: 'system', content: expect.stringMatching(/^Be brief\n\n/) },
      { role: 'user', content: 'Read' },
      { role: 'assistant', content: '{"number": 5' },
      { role: 'user', content: expect.stringContaining('the reply holds no JSON answer') },
    ]);
    expect(log).toBe('warning: local/m answer rejected: the reply holds no JSON answer\n{"number": 5\n');
  });

  it('goes on to the next model after two unusable answers, and does not stream', async () => {
    const script = [{ answers: [{ text: 'no' }, { text: 'again no' }, { respond: { number: 'A-1' } }] }];
    const result = await run({ script, with: { prompt: 'Read' }, llm: twoModels, outputSchema: schema });
    expect(result.outputs).toEqual({ number: 'A-1' });
    expect(model.requests().map((request) => request.model)).toEqual(['a', 'a', 'b']);
    expect(log).toContain('local/a: the model gave no answer that matches output_schema; trying local/b');
  });

  it('asks models of a list in order, without streams', async () => {
    const script = [{ answers: [{ error: { status: 400, message: 'no' } }, { text: 'Hello' }] }];
    await run({ script, with: { prompt: 'Hi' }, llm: twoModels });
    expect(out).toBe('Hello\n');
    expect(model.requests().map((request) => request.stream ?? false)).toEqual([false, false]);
  });

  it('tells when all models failed', async () => {
    const script = [{ answers: [{ error: { status: 400, message: 'no' } }] }];
    const failed = run({ script, with: { prompt: 'Hi' }, llm: twoModels });
    await expect(failed).rejects.toThrow(
      /^all 2 models exhausted: chat request failed: local API error \(status 400\)/,
    );
  });

  it('names the last model, and no part of the answers, when none is usable', async () => {
    const failed = run({
      script: [{ answers: [{ text: 'the secret plan' }] }],
      with: { prompt: 'Read' },
      outputSchema: schema,
    });
    await expect(failed).rejects.toThrow(/^local\/m: the model gave no answer that matches output_schema$/);
    expect(model.requests()).toHaveLength(2);
    expect(log).toContain('the secret plan');
  });

  it('masks the key that it sends from then on', async () => {
    await run({
      script: [{ answers: [{ text: 'the key is sesame-1' }] }],
      with: { prompt: 'Hi' },
      llm: { ...oneModel, api_key_name: '${OWN_KEY}' },
      env: { OWN_KEY: 'sesame-1' },
    });
    expect(out).toBe('the key is *******\n');
  });

  it("never takes a key's value for its name", async () => {
    const chosen = { prompt: 'Hi', provider: 'openai', model: 'm' };
    const failed = run({
      script: [],
      with: { ...chosen, api_key_name: 'sesame-1' },
      written: { ...chosen, api_key_name: '${OWN_KEY}' },
    });
    await expect(failed).rejects.toThrow('provider "openai" needs a key: set the environment variable OWN_KEY');
  });

  it('refuses a run without any llm', async () => {
    const failed = run({ script: [], with: { prompt: 'Hi' }, llm: null });
    await expect(failed).rejects.toThrow('llm configuration is required for chat step');
  });

  it('fails for a file before any request', async () => {
    const failed = run({ script: [{ answers: [{ text: 'ok' }] }], with: { prompt: 'Hi', files: 'none.pdf' } });
    await expect(failed).rejects.toThrow('files: "none.pdf" does not exist');
    expect(model.requests()).toHaveLength(0);
  });

  it('tells what a scripted model missed', async () => {
    const failed = run({ script: [{ demands: ['INV-1'], answers: [{ text: 'ok' }] }], with: { prompt: 'Hi' } });
    await expect(failed).rejects.toThrow(/status 400.*the request lacks \\"INV-1\\"/);
  });
});
