import { LLMock } from '@copilotkit/aimock';
import { afterEach, describe, expect, it } from 'vitest';
import type { ModelImage } from './model.ts';
import { openModel } from './open.ts';
import { openaiModel } from './openai.ts';
import type { ModelTarget } from './targets.ts';
import { ask, fetchFor, json, never, noPause, picture, startWireServer, target, type WireServer } from './testing.ts';

let server: WireServer;
afterEach(() => server?.stop());

async function sent(more: Partial<ModelTarget>, images: ModelImage[] = []) {
  server = await startWireServer((response) =>
    json(response, 200, { choices: [{ message: { content: 'Hello' }, finish_reason: 'stop' }] }),
  );
  const request = images.length === 0 ? ask : { messages: [{ role: 'user' as const, content: 'Read', images }] };
  await openaiModel(target(server.url, more), fetchFor, noPause).chat(request, { signal: never });
  return server.seen[0]?.body;
}

describe("providers of OpenAI's form", () => {
  const thinking = { enabled: true, effort: 'high' as const };
  const budget = { enabled: true, budget_tokens: 3000 };

  it.each<[Partial<ModelTarget>, object]>([
    [{ provider: 'openai', thinking }, { reasoning_effort: 'high' }],
    [{ provider: 'local', thinking }, { reasoning_effort: 'high' }],
    [{ provider: 'openai', thinking: budget }, { reasoning_effort: 'medium' }],
    [{ provider: 'openrouter', thinking }, { reasoning: { effort: 'high', exclude: true } }],
    [{ provider: 'openrouter', thinking: { ...budget, include_in_output: true } }, { reasoning: { max_tokens: 3000 } }],
    [{ provider: 'zai', thinking }, { thinking: { type: 'enabled' } }],
    [{ provider: 'openai', webSearch: { enabled: true } }, { web_search_options: {} }],
    [
      { provider: 'openai', webSearch: { enabled: true, user_location: { city: 'Lisbon' } } },
      { web_search_options: { user_location: { type: 'approximate', approximate: { city: 'Lisbon' } } } },
    ],
    [
      { provider: 'openrouter', webSearch: { enabled: true, blocked_domains: ['example.com'] } },
      { tools: [{ type: 'openrouter:web_search', parameters: { excluded_domains: ['example.com'] } }] },
    ],
    [
      { provider: 'zai', webSearch: { enabled: true, allowed_domains: ['example.com'] } },
      {
        tools: [
          {
            type: 'web_search',
            web_search: { enable: true, search_engine: 'search-prime', search_domain_filter: 'example.com' },
          },
        ],
      },
    ],
  ])('are asked as %j says', async (more, expected) => {
    expect(await sent(more)).toEqual({ model: 'm', messages: ask.messages, ...expected });
  });

  it('get pictures as addresses of data, after the text', async () => {
    const url = `data:image/png;base64,${Buffer.from(picture.bytes).toString('base64')}`;
    expect((await sent({}, [picture]))?.messages).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Read' },
          { type: 'image_url', image_url: { url } },
        ],
      },
    ]);
  });
});

describe('openModel', () => {
  const usage = {
    ...{ prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 },
    ...{ input_tokens: 3, output_tokens: 4 },
    ...{ promptTokenCount: 3, candidatesTokenCount: 4, totalTokenCount: 7 },
  };

  it.each([
    ['openai', '/v1'],
    ['openrouter', '/v1'],
    ['anthropic', ''],
    ['gemini', '/v1beta'],
  ] as const)('speaks with a server of provider %s', async (provider, path) => {
    const mock = new LLMock({ port: 0, host: '127.0.0.1', logLevel: 'silent', journalMaxEntries: 0 });
    mock.on({ predicate: () => true }, ({ tools }) =>
      tools?.length
        ? { toolCalls: [{ name: 'respond', arguments: '{"n":1}' }], usage }
        : { content: 'Hello', reasoning: 'Hm', usage },
    );
    await mock.start();
    const model = openModel(target(`${mock.url}${path}`, { provider, apiKey: 'k' }), fetchFor);
    const whole = await model.chat(ask, { signal: never });
    const streamed = await model.chat(ask, { signal: never, onText: () => {} });
    const tools = [{ name: 'respond', description: 'd', parameters: { type: 'object', properties: { n: {} } } }];
    const called = await model.chat({ ...ask, tools, toolChoice: 'required' }, { signal: never });
    await mock.stop();
    const expected = { text: 'Hello', thinking: 'Hm', usage: { inputTokens: 3, outputTokens: 4, totalTokens: 7 } };
    expect([whole, streamed]).toMatchObject([expected, expected]);
    expect(called.toolCalls).toMatchObject([{ name: 'respond', arguments: '{"n":1}' }]);
  });
});
