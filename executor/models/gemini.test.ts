import { afterEach, describe, expect, it } from 'vitest';
import { type GeminiBody, geminiModel } from './gemini.ts';
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
afterEach(() => server?.stop());

const content = (parts: unknown[], finishReason = 'STOP') => ({
  candidates: [{ content: { role: 'model', parts }, finishReason }],
  modelVersion: 'gemini-m-001',
  usageMetadata: { promptTokenCount: 5, candidatesTokenCount: 3, thoughtsTokenCount: 2, totalTokenCount: 10 },
});
const hello = content([{ text: 'Hello' }]);

async function asked(request: ChatRequest, answer: unknown = hello, more: Partial<ModelTarget> = {}) {
  server = await startWireServer((response) => json(response, 200, answer));
  const one = target(`${server.url}/v1beta`, { provider: 'gemini', model: 'gemini-m', apiKey: 'key-1', ...more });
  const reply = await geminiModel(one, fetchFor, noPause).chat(request, { signal: never });
  return { reply, sent: server.seen[0]?.body as unknown as GeminiBody };
}

const tool = { name: 'respond', description: 'd', parameters: { type: 'object', properties: { n: {} } } };

describe('geminiModel', () => {
  it('sends the key in its own header, and tells tokens and the model that answered', async () => {
    const { reply, sent } = await asked({ messages: [{ role: 'system', content: 'Be brief' }, ...ask.messages] });
    expect(reply).toEqual({
      text: 'Hello',
      toolCalls: [],
      cut: false,
      model: 'gemini-m-001',
      usage: { inputTokens: 5, outputTokens: 5, totalTokens: 10 },
    });
    expect(server.seen[0]).toMatchObject({
      path: '/v1beta/models/gemini-m:generateContent',
      headers: { 'x-goog-api-key': 'key-1' },
    });
    expect(sent).toEqual({
      contents: [{ role: 'user', parts: [{ text: 'Hi' }] }],
      systemInstruction: { parts: [{ text: 'Be brief' }] },
    });
  });

  it.each<[Partial<ModelTarget>, object]>([
    [
      { temperature: 0.5, topP: 0.9, maxTokens: 99 },
      { temperature: 0.5, topP: 0.9, maxOutputTokens: 99 },
    ],
    [{ thinking: { enabled: true, budget_tokens: 2000 } }, { thinkingConfig: { thinkingBudget: 2000 } }],
    [
      { thinking: { enabled: true, effort: 'xhigh', include_in_output: true } },
      { thinkingConfig: { thinkingLevel: 'HIGH', includeThoughts: true } },
    ],
  ])('sends the settings %j', async (more, expected) => {
    expect((await asked(ask, hello, more)).sent.generationConfig).toEqual(expected);
  });

  it('asks for a web search', async () => {
    expect((await asked(ask, hello, { webSearch: { enabled: true } })).sent.tools).toEqual([{ googleSearch: {} }]);
  });

  it('sends pictures after the text, and the record says so', async () => {
    const { sent } = await asked({ messages: [{ role: 'user', content: 'Read', images: [picture] }] });
    expect(sent.contents[0]?.parts).toEqual([
      { text: 'Read' },
      { inlineData: { mimeType: 'image/png', data: Buffer.from(picture.bytes).toString('base64') } },
    ]);
    expect(egress().entries()).toMatchObject([{ pictures: true }]);
  });

  it.each([
    ['required' as const, { mode: 'ANY' }],
    [{ name: 'respond' }, { mode: 'ANY', allowedFunctionNames: ['respond'] }],
    ['auto' as const, { mode: 'AUTO' }],
  ])('demands a call as %j', async (toolChoice, functionCallingConfig) => {
    const { sent } = await asked({ ...ask, tools: [tool], toolChoice });
    expect(sent.tools).toEqual([
      { functionDeclarations: [{ name: 'respond', description: 'd', parametersJsonSchema: tool.parameters }] },
    ]);
    expect(sent.toolConfig).toEqual({ functionCallingConfig });
  });

  it('keeps every digit of the numbers in a call', async () => {
    const text = JSON.stringify(content([{ functionCall: { name: 'respond', args: { n: 'N' } } }]));
    const { reply } = await asked(ask, text.replace('"N"', '12345678901234567890'));
    expect(reply.toolCalls).toEqual([{ id: '', name: 'respond', arguments: '{"n":12345678901234567890}' }]);
  });

  it('gives signed thoughts back as they came, and the calls as they were understood', async () => {
    const signed = { functionCall: { name: 'respond', args: {} }, thoughtSignature: 'signed' };
    const { reply } = await asked(ask, content([{ text: 'Hm', thought: true }, signed]));
    expect(reply).toMatchObject({ thinking: 'Hm', text: '' });
    server.stop();
    const call = { id: 'call_1', name: 'respond', arguments: '{"n":1}' };
    const { sent } = await asked({
      messages: [
        ...ask.messages,
        { role: 'assistant', content: '', toolCalls: [call], ...(reply.echo && { echo: reply.echo }) },
        { role: 'tool', callId: 'call_1', name: 'respond', content: 'done' },
      ],
      tools: [tool],
    });
    expect(sent.contents.slice(1)).toEqual([
      {
        role: 'model',
        parts: [
          { text: 'Hm', thought: true },
          { functionCall: { id: 'call_1', name: 'respond', args: { n: 1 } }, thoughtSignature: 'signed' },
        ],
      },
      { role: 'user', parts: [{ functionResponse: { id: 'call_1', name: 'respond', response: { output: 'done' } } }] },
    ]);
  });

  async function streamed(data: unknown[]) {
    server = await startWireServer((response) => events(response, data));
    const one = target(server.url, { provider: 'gemini', apiKey: 'k' });
    const pieces: string[] = [];
    const onText = (text: string) => void pieces.push(text);
    const reply = await geminiModel(one, fetchFor, noPause).chat(ask, { signal: never, onText });
    return { reply, pieces };
  }

  it('gives the pieces of a stream as they arrive', async () => {
    const first = { candidates: [{ content: { parts: [{ text: 'Hel' }] } }] };
    const { reply, pieces } = await streamed([first, content([{ text: 'lo' }], 'MAX_TOKENS')]);
    expect(server.seen[0]?.path).toBe('/models/m:streamGenerateContent?alt=sse');
    expect(pieces).toEqual(['Hel', 'lo']);
    expect(reply).toMatchObject({ text: 'Hello', cut: true, usage: { totalTokens: 10 } });
  });

  it('fails for a stream that ends early', async () => {
    const first = { candidates: [{ content: { parts: [{ text: 'Hel' }] } }] };
    await expect(streamed([first])).rejects.toThrow('the answer ended before it was complete');
  });

  it.each([
    [{ promptFeedback: { blockReason: 'SAFETY' } }, 'the provider blocked the request: SAFETY'],
    [content([], 'RECITATION'), 'the provider stopped the answer: RECITATION'],
    [{}, 'the answer is no generated content: it has no candidates'],
    [{ candidates: 'x' }, 'the answer is no generated content: /candidates must be array'],
  ])('tells the answer %j', async (answer, expected) => {
    await expect(asked(ask, answer)).rejects.toThrow(expected);
  });

  it('is left after one request that it rejects', async () => {
    server = await startWireServer((response) => json(response, 400, { error: { message: 'no' } }));
    const one = target(server.url, { provider: 'gemini', apiKey: 'k' });
    await expect(geminiModel(one, fetchFor, noPause).chat(ask, { signal: never })).rejects.toThrow(
      'chat request failed: gemini API error (status 400): {"error":{"message":"no"}} [model gemini/m]',
    );
    expect(server.seen).toHaveLength(1);
  });

  it('sends nothing that is larger than the provider takes', async () => {
    const images = [{ mediaType: 'image/png' as const, bytes: new Uint8Array(16_000_000) }];
    await expect(asked({ messages: [{ role: 'user', content: 'Read', images }] })).rejects.toThrow(
      'gemini takes at most 20 MB',
    );
    expect(server.seen).toHaveLength(0);
  });
});
