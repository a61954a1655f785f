import type Anthropic from '@anthropic-ai/sdk';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { anthropicModel } from './anthropic.ts';
import type { ChatRequest } from './model.ts';
import type { ModelTarget } from './targets.ts';
import {
  ask,
  egress,
  events,
  fetchFor,
  json,
  never,
  noPause,
  picture,
  startWireServer,
  target,
  type WireServer,
} from './testing.ts';

let server: WireServer;
afterEach(() => {
  server?.stop();
  vi.unstubAllEnvs();
});

const message = (content: unknown[], more: object = {}) => ({
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'claude-m-1',
  content,
  stop_reason: 'end_turn',
  usage: { input_tokens: 5, cache_read_input_tokens: 2, output_tokens: 3 },
  ...more,
});
const hello = message([{ type: 'text', text: 'Hello' }]);

async function asked(request: ChatRequest, answer: unknown = hello, more: Partial<ModelTarget> = {}) {
  server = await startWireServer((response) => json(response, 200, answer));
  const one = target(server.url, { provider: 'anthropic', model: 'claude-m', apiKey: 'key-1', ...more });
  const reply = await anthropicModel(one, fetchFor, noPause).chat(request, { signal: never });
  return { reply, sent: server.seen[0]?.body as unknown as Anthropic.MessageCreateParamsNonStreaming };
}

const tool = { name: 'respond', description: 'd', parameters: { type: 'object', properties: { n: {} } } };

describe('anthropicModel', () => {
  it('sends the key in its own header alone, and tells tokens and the model that answered', async () => {
    vi.stubEnv('ANTHROPIC_AUTH_TOKEN', 'another');
    vi.stubEnv('ANTHROPIC_BASE_URL', 'http://127.0.0.1:1');
    const { reply, sent } = await asked({ messages: [{ role: 'system', content: 'Be brief' }, ...ask.messages] });
    expect(reply).toEqual({
      text: 'Hello',
      toolCalls: [],
      cut: false,
      model: 'claude-m-1',
      usage: { inputTokens: 7, outputTokens: 3, totalTokens: 10 },
    });
    expect(server.seen[0]).toMatchObject({ path: '/v1/messages', headers: { 'x-api-key': 'key-1' } });
    expect(server.seen[0]?.headers).not.toHaveProperty('authorization');
    expect(sent).toEqual({
      model: 'claude-m',
      max_tokens: 4096,
      system: 'Be brief',
      messages: [{ role: 'user', content: 'Hi' }],
    });
  });

  it('sends temperature, top_p and the limit of tokens', async () => {
    const { sent } = await asked(ask, hello, { temperature: 0.5, topP: 0.9, maxTokens: 99 });
    expect(sent).toMatchObject({ temperature: 0.5, top_p: 0.9, max_tokens: 99 });
  });

  it.each<[NonNullable<ModelTarget['thinking']>, Partial<ModelTarget>, object]>([
    [
      { enabled: true, budget_tokens: 5000 },
      {},
      { thinking: { type: 'enabled', budget_tokens: 5000 }, max_tokens: 9096 },
    ],
    [
      { enabled: true, budget_tokens: 5000 },
      { maxTokens: 6000 },
      { thinking: { type: 'enabled', budget_tokens: 5000 }, max_tokens: 6000 },
    ],
    [
      { enabled: true, effort: 'high', include_in_output: true },
      {},
      { thinking: { type: 'adaptive', display: 'summarized' }, output_config: { effort: 'high' }, max_tokens: 4096 },
    ],
    [{ enabled: true }, {}, { thinking: { type: 'enabled', budget_tokens: 8192 }, max_tokens: 12288 }],
  ])('asks for thinking %j', async (thinking, more, expected) => {
    expect((await asked(ask, hello, { thinking, ...more })).sent).toMatchObject(expected);
  });

  it('asks for a web search', async () => {
    const user_location = { city: 'Lisbon', country: 'PT' };
    const webSearch = { enabled: true, max_uses: 2, allowed_domains: ['example.com'], user_location };
    expect((await asked(ask, hello, { webSearch })).sent.tools).toEqual([
      {
        type: 'web_search_20250305',
        name: 'web_search',
        max_uses: 2,
        allowed_domains: ['example.com'],
        user_location: { type: 'approximate', ...user_location },
      },
    ]);
  });

  it('sends pictures as blocks after the text, and the record says so', async () => {
    const { sent } = await asked({ messages: [{ role: 'user', content: 'Read', images: [picture] }] });
    expect(sent.messages).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Read' },
          {
            type: 'image',
            source: { type: 'base64', media_type: 'image/png', data: Buffer.from(picture.bytes).toString('base64') },
          },
        ],
      },
    ]);
    expect(egress().entries()).toMatchObject([{ pictures: true }]);
  });

  it.each([
    ['required' as const, {}, { type: 'any' }],
    [{ name: 'respond' }, {}, { type: 'tool', name: 'respond' }],
    ['auto' as const, {}, { type: 'auto' }],
    [undefined, {}, undefined],
    ['required' as const, { thinking: { enabled: true } }, { type: 'auto' }],
  ])('demands a call as %j', async (toolChoice, more, expected) => {
    const { sent } = await asked({ ...ask, tools: [tool], toolChoice }, hello, more);
    expect(sent.tools).toEqual([{ name: 'respond', description: 'd', input_schema: tool.parameters }]);
    expect(sent.tool_choice).toEqual(expected);
  });

  it('keeps every digit of the numbers in a call', async () => {
    const text = JSON.stringify(message([{ type: 'tool_use', id: 't1', name: 'respond', input: { n: 'N' } }]));
    const { reply } = await asked(ask, text.replace('"N"', '12345678901234567890'));
    expect(reply.toolCalls).toEqual([{ id: 't1', name: 'respond', arguments: '{"n":12345678901234567890}' }]);
  });

  it('gives thoughts back as they came, and the calls as they were understood', async () => {
    const thought = { type: 'thinking', thinking: 'Hm', signature: 'signed' };
    const { reply } = await asked(ask, message([thought, { type: 'tool_use', id: 'x', name: 'respond', input: {} }]));
    expect(reply).toMatchObject({ thinking: 'Hm', echo: { provider: 'anthropic' } });
    server.stop();
    const call = { id: 'call_1', name: 'respond', arguments: '{"n":1}' };
    const { sent } = await asked({
      messages: [
        ...ask.messages,
        { role: 'assistant', content: '', toolCalls: [call], ...(reply.echo && { echo: reply.echo }) },
        { role: 'tool', callId: 'call_1', name: 'respond', content: '"ok"' },
        { role: 'tool', callId: 'call_2', name: 'respond', content: 'Error' },
      ],
      tools: [tool],
    });
    expect(sent.messages.slice(1)).toEqual([
      { role: 'assistant', content: [thought, { type: 'tool_use', id: 'call_1', name: 'respond', input: { n: 1 } }] },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'call_1', content: '"ok"' },
          { type: 'tool_result', tool_use_id: 'call_2', content: 'Error' },
        ],
      },
    ]);
  });

  it('declares tools that only the conversation of earlier steps has', async () => {
    const call = { id: 'c', name: 'get-weather', arguments: '{}' };
    const { sent } = await asked({
      messages: [
        { role: 'assistant', content: 'Let me see', toolCalls: [call] },
        { role: 'tool', callId: 'c', name: 'get-weather', content: 'rain' },
        ...ask.messages,
      ],
    });
    expect(sent).toMatchObject({ tools: [{ name: 'get-weather' }], tool_choice: { type: 'none' } });
  });

  const start = {
    type: 'message_start',
    message: { model: 'claude-m-1', usage: { input_tokens: 5, output_tokens: 1 } },
  };
  const piece = (delta: object) => ({ type: 'content_block_delta', index: 0, delta });
  const end = (stop_reason = 'end_turn') => [
    { type: 'message_delta', delta: { stop_reason }, usage: { output_tokens: 3 } },
    { type: 'message_stop' },
  ];

  async function streamed(data: unknown[]) {
    server = await startWireServer((response) => events(response, data));
    const one = target(server.url, { provider: 'anthropic', apiKey: 'k' });
    const pieces: string[] = [];
    const onThinking = (text: string) => void pieces.push(`(${text})`);
    const onText = (text: string) => void pieces.push(text);
    const reply = await anthropicModel(one, fetchFor, noPause).chat(ask, { signal: never, onText, onThinking });
    return { reply, pieces };
  }

  it('gives the pieces of a stream as they arrive', async () => {
    const thinks = piece({ type: 'thinking_delta', thinking: 'Hm' });
    const says = ['Hel', 'lo'].map((text) => piece({ type: 'text_delta', text }));
    const { reply, pieces } = await streamed([start, { type: 'ping' }, thinks, ...says, ...end()]);
    expect(server.seen[0]?.body.stream).toBe(true);
    expect(pieces).toEqual(['(Hm)', 'Hel', 'lo']);
    expect(reply).toEqual({
      text: 'Hello',
      toolCalls: [],
      cut: false,
      thinking: 'Hm',
      model: 'claude-m-1',
      usage: { inputTokens: 5, outputTokens: 3, totalTokens: 8 },
    });
  });

  it('fails for a stream that ends early, or brings an error', async () => {
    const says = piece({ type: 'text_delta', text: 'Hel' });
    await expect(streamed([start, says])).rejects.toThrow('chat stream error: ');
    server.stop();
    await expect(
      streamed([start, says, { type: 'error', error: { type: 'overloaded_error', message: 'busy' } }]),
    ).rejects.toThrow('the answer is an error: {"type":"overloaded_error","message":"busy"}');
  });

  it('tells a refusal', async () => {
    await expect(asked(ask, message([], { stop_reason: 'refusal' }))).rejects.toThrow(
      'chat request failed: anthropic/claude-m at',
    );
    server.stop();
    await expect(streamed([start, ...end('refusal')])).rejects.toThrow('the model declined the request');
  });

  it('is left after one request that it rejects', async () => {
    server = await startWireServer((response) => json(response, 401, { error: { message: 'bad key' } }));
    const one = target(server.url, { provider: 'anthropic', apiKey: 'k' });
    await expect(anthropicModel(one, fetchFor, noPause).chat(ask, { signal: never })).rejects.toThrow(
      'chat request failed: anthropic API error (status 401): {"error":{"message":"bad key"}} [model anthropic/m]',
    );
    expect(server.seen).toHaveLength(1);
  });

  it('sends nothing that is larger than the provider takes', async () => {
    const images = [{ mediaType: 'image/png' as const, bytes: new Uint8Array(25_000_000) }];
    await expect(asked({ messages: [{ role: 'user', content: 'Read', images }] })).rejects.toThrow(
      'the request to anthropic/claude-m has 33.3 MB, its files and pictures included, and anthropic takes at most 32 MB; name fewer or smaller files',
    );
    expect(server.seen).toHaveLength(0);
  });
});
