import type { ServerResponse } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../core/workflow/types.ts';
import { json, startWireServer, type WireServer } from '../models/testing.ts';
import { type ChatCase, ChatRun } from './testing.ts';

let server: WireServer;
let run: ChatRun;
beforeEach(() => {
  run = new ChatRun();
});
afterEach(() => server?.stop());

const schema: JsonObject = {
  type: 'object',
  properties: { number: { type: 'string' }, total: { type: 'number' } },
  required: ['number'],
};

type Body = { model: string; tool_choice?: unknown; messages: { role: string; content: string }[] };

async function asked(answer: (response: ServerResponse, count: number) => void, more: Partial<ChatCase> = {}) {
  server = await startWireServer(answer);
  return await run.step({
    llm: { provider: 'local', model: 'm', base_url: server.url },
    with: { prompt: 'Read' },
    outputSchema: schema,
    ...more,
  });
}

const bodies = () => server.seen.map(({ body }) => body as Body);
const reply = (response: ServerResponse, message: object) =>
  json(response, 200, { choices: [{ message, finish_reason: 'stop' }] });
const respond = (given: unknown) => ({
  content: null,
  tool_calls: [{ id: 'c', type: 'function', function: { name: 'respond', arguments: given } }],
});
const named = { type: 'function', function: { name: 'respond' } };

describe('output_schema', () => {
  it.each([400, 422])('demands the call in another way where a status %i refuses tool_choice', async (status) => {
    await asked((response, count) =>
      count < 3
        ? json(response, status, { error: { message: `tool_choice is not supported in this form` } })
        : reply(response, { content: '{"number":"A-1"}' }),
    );
    expect(bodies().map(({ tool_choice }) => tool_choice)).toEqual(['required', named, undefined]);
    expect(run.out).toBe('{"number":"A-1"}\n');
  });

  it('keeps to the way that was taken, for the correction too', async () => {
    await asked((response, count) => {
      if (count === 1) json(response, 400, { error: { param: 'tool_choice' } });
      else reply(response, count === 2 ? { content: 'It is A-1' } : respond('{"number":"A-1"}'));
    });
    expect(bodies().map(({ tool_choice }) => tool_choice)).toEqual(['required', named, named]);
  });

  it.each([
    [400, 'the model does not exist'],
    [401, 'tool_choice'],
    [404, 'tool_choice'],
    [422, 'messages are too long'],
  ])('leaves the model after one request for a status %i with the text %s', async (status, message) => {
    await expect(asked((response) => json(response, status, { error: { message } }))).rejects.toThrow(
      `local API error (status ${status})`,
    );
    expect(bodies()).toHaveLength(1);
  });

  it('takes the text of a server that ignored tool_choice', async () => {
    await asked((response) => reply(response, { content: 'Sure:\n```json\n{"number":"A-1","note":"x"}\n```\nDone.' }));
    expect(bodies()).toHaveLength(1);
    expect(run.out).toBe('{"number":"A-1"}\n');
  });

  it('corrects an empty answer with status 200', async () => {
    await asked((response, count) => reply(response, count === 1 ? { content: '' } : respond('{"number":"A-1"}')));
    expect(bodies()[1]?.messages.slice(-2)).toEqual([
      { role: 'assistant', content: '(no answer)' },
      { role: 'user', content: expect.stringContaining('the reply holds no JSON answer') },
    ]);
    expect(bodies().map(({ tool_choice }) => tool_choice)).toEqual(['required', 'required']);
  });

  it('takes arguments that come as an object, with every digit, and writes them so', async () => {
    const wide = { type: 'object', properties: { id: { type: 'integer' }, list: {} } };
    const text = JSON.stringify({ choices: [{ message: respond({ id: 'N', list: ['N'] }) }] });
    const { outputs } = await asked((response) => json(response, 200, text.replaceAll('"N"', '12345678901234567890')), {
      outputSchema: wide,
    });
    expect(run.out).toBe('{"id":12345678901234567890,"list":[12345678901234567890]}\n');
    expect(outputs).toEqual({ id: '12345678901234567890', list: '[12345678901234567890]' });
  });

  it('keeps the answer in the conversation, without instruction, call or correction', async () => {
    await asked(
      (response, count) => reply(response, count === 1 ? { content: 'no' } : respond('{"total":1,"number":"A-1"}')),
      { with: { prompt: 'Read', system: 'Be brief' } },
    );
    expect(run.sessions.get('s')).toEqual([
      { role: 'system', content: 'Be brief' },
      { role: 'user', content: 'Read' },
      {
        role: 'assistant',
        content: '{"number":"A-1","total":1}',
        metadata: { provider: 'local', model: 'm', promptTokens: 0, completionTokens: 0, totalTokens: 0 },
      },
    ]);
  });

  it('keeps nothing of a model that failed before', async () => {
    const model = ['a', 'b'].map((name) => ({ provider: 'local', name }));
    server = await startWireServer((response, count) =>
      reply(response, count < 3 ? { content: 'no' } : respond('{"number":"A-1"}')),
    );
    await run.step({ llm: { model, base_url: server.url }, with: { prompt: 'Read' }, outputSchema: schema });
    expect(bodies().map((body) => [body.model, body.messages.length])).toEqual([
      ['a', 2],
      ['a', 4],
      ['b', 2],
    ]);
    expect(run.sessions.get('s')).toMatchObject([{ role: 'user' }, { metadata: { model: 'b' } }]);
  });
});
