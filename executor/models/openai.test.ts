import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { startProxy } from '../../test/fixtures/proxy.ts';
import { ModelError } from './model.ts';
import { openaiModel } from './openai.ts';
import {
  ask,
  egress,
  fetchFor,
  json,
  networkOf,
  never,
  noPause,
  startWireServer,
  target,
  type WireServer,
} from './testing.ts';

const completion = (message: object, finish_reason = 'stop') => ({ choices: [{ index: 0, message, finish_reason }] });
const chunk = (content: string | undefined, finish_reason: string | null = null) =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content }, finish_reason }] })}\n\n`;

let wire: WireServer;
let seen: WireServer['seen'];
const serve = async (answer: Parameters<typeof startWireServer>[0]) => {
  wire = await startWireServer(answer);
  seen = wire.seen;
  return wire.url;
};
afterEach(() => wire?.stop());

describe('openaiModel', () => {
  it('posts to the base address as it is, without a key that nobody gave', async () => {
    const url = await serve((response) => json(response, 200, completion({ content: 'Hello' })));
    const model = openaiModel(target(`${url}/custom`, { temperature: 0.5, maxTokens: 9 }), fetchFor, noPause);
    expect(await model.chat(ask, { signal: never })).toEqual({ text: 'Hello', toolCalls: [], cut: false });
    expect(seen).toMatchObject([
      {
        path: '/custom/chat/completions',
        authorization: undefined,
        body: { model: 'm', messages: ask.messages, temperature: 0.5, max_tokens: 9 },
      },
    ]);
    expect(Object.keys(seen[0]?.body ?? {})).toEqual(['model', 'messages', 'temperature', 'max_tokens']);
  });

  it('sends the key, and the limit of tokens under the name that the model takes', async () => {
    const url = await serve((response) => json(response, 200, completion({ content: 'Hello' })));
    const one = target(url, { provider: 'openai', model: 'gpt-5.4', apiKey: 'key-1', maxTokens: 9 });
    await openaiModel(one, fetchFor, noPause).chat(ask, { signal: never });
    expect(seen[0]).toMatchObject({ authorization: 'Bearer key-1', body: { max_completion_tokens: 9 } });
  });

  it('reads arguments that come as an object', async () => {
    const call = { id: 'c', type: 'function', function: { name: 'respond', arguments: { total: 1 } } };
    const url = await serve((response) => json(response, 200, completion({ content: null, tool_calls: [call] })));
    const reply = await openaiModel(target(url), fetchFor, noPause).chat(ask, { signal: never });
    expect(reply.toolCalls).toEqual([{ id: 'c', name: 'respond', arguments: '{"total":1}' }]);
  });

  it.each([429, 500, 503])('tries again after status %i', async (status) => {
    const url = await serve((response, count) =>
      count < 4 ? json(response, status, { error: 'busy' }) : json(response, 200, completion({ content: 'Hello' })),
    );
    expect((await openaiModel(target(url), fetchFor, noPause).chat(ask, { signal: never })).text).toBe('Hello');
    expect(seen).toHaveLength(4);
  });

  it.each([400, 401, 404, 408, 409])('does not try again after status %i', async (status) => {
    const url = await serve((response) => json(response, status, { error: { message: 'no' } }));
    await expect(openaiModel(target(url), fetchFor, noPause).chat(ask, { signal: never })).rejects.toThrow(
      `chat request failed: local API error (status ${status}): {"error":{"message":"no"}} [model local/m]`,
    );
    expect(seen).toHaveLength(1);
  });

  it('gives up after three more tries, naming the address', async () => {
    const url = await serve((response) => response.destroy());
    await expect(openaiModel(target(url), fetchFor, noPause).chat(ask, { signal: never })).rejects.toThrow(
      `chat request failed: local/m at ${url}/chat/completions: `,
    );
    expect(seen).toHaveLength(4);
  });

  it('tells an error that came with status 200', async () => {
    const url = await serve((response) => json(response, 200, { error: { message: 'no credit' } }));
    await expect(openaiModel(target(url), fetchFor, noPause).chat(ask, { signal: never })).rejects.toThrow('no credit');
  });

  it.each<[string, unknown, string]>([
    ['without choices', {}, 'the answer is no chat completion: must have the key "choices"'],
    ['null', null, 'the answer is no chat completion: must be object'],
    ['choices that are no list', { choices: 'x' }, 'the answer is no chat completion: /choices must be array'],
    ['no choice', { choices: [] }, 'the answer is no chat completion: /choices must NOT have fewer than 1 items'],
    ['a message of null', { choices: [{ message: null }] }, '/choices/0/message must be object'],
    ['an empty message', completion({}), '/choices/0/message has no content and no tool_calls'],
    ['content that is no text', completion({ content: 5 }), '/choices/0/message/content must be string'],
    ['a call of nothing', completion({ tool_calls: [null] }), '/choices/0/message/tool_calls/0 must be object'],
  ])('tells an answer with %s, once', async (_, answer, message) => {
    const url = await serve((response) => json(response, 200, answer));
    const asked = openaiModel(target(url), fetchFor, noPause).chat(ask, { signal: never });
    await expect(asked).rejects.toThrow(ModelError);
    await expect(asked).rejects.toThrow(`chat request failed: local/m at ${url}/chat/completions: `);
    await expect(asked).rejects.toThrow(message);
    expect(seen).toHaveLength(1);
  });

  it('tells a web page with status 200', async () => {
    const url = await serve((response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<p>Log in'));
    const asked = openaiModel(target(url), fetchFor, noPause).chat(ask, { signal: never });
    await expect(asked).rejects.toThrow('the answer is text/html and not JSON: <p>Log in');
    expect(seen).toHaveLength(1);
  });

  it('takes an answer without content beside calls, and under another type', async () => {
    const call = { function: { name: 'respond', arguments: '{}' } };
    const url = await serve((response) => response.end(JSON.stringify(completion({ tool_calls: [call] }))));
    const reply = await openaiModel(target(url), fetchFor, noPause).chat(ask, { signal: never });
    expect(reply.toolCalls).toEqual([{ id: '', name: 'respond', arguments: '{}' }]);
  });

  it('does not try again what fetch refuses', async () => {
    const asked = openaiModel(target('http://127.0.0.1:6667/v1'), fetchFor, [600_000]).chat(ask, { signal: never });
    await expect(asked).rejects.toThrow('local/m at http://127.0.0.1:6667/v1/chat/completions: bad port');
  });

  it('tells a redirect to another host, once, and takes neither key nor prompt there', async () => {
    let elsewhere = 0;
    const other = createServer((_, response) => {
      elsewhere += 1;
      response.end();
    });
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const location = `http://127.0.0.1:${(other.address() as AddressInfo).port}/v1`;
    const url = await serve((response) => response.writeHead(307, { location }).end());
    const asked = openaiModel(target(url, { apiKey: 'key-1' }), fetchFor, noPause).chat(ask, { signal: never });
    await expect(asked).rejects.toThrow(
      `${url} sends requests on to ${new URL(location).origin}, which is not followed`,
    );
    await expect(asked).rejects.not.toThrow('key-1');
    expect([seen.length, elsewhere]).toEqual([1, 0]);
    other.close();
  });

  it('goes through the proxy of the environment, and the record tells what left', async () => {
    const url = await serve((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end(`${chunk('Hello')}${chunk(undefined, 'stop')}`);
    });
    const proxy = await startProxy({ targetPort: Number(new URL(url).port) });
    const proxied = networkOf({ HTTP_PROXY: `http://clerk:p4ssword@${proxy.host}` });
    const model = openaiModel(target('http://model.test/v1', { apiKey: 'key-1' }), proxied, noPause);
    const reply = await model.chat(ask, { signal: never, onText: () => {} });
    await proxy.stop();
    expect(reply.text).toBe('Hello');
    expect(proxy.asked).toMatchObject([{ target: 'http://model.test/v1/chat/completions' }]);
    const bytesSent = JSON.stringify({
      model: 'm',
      messages: ask.messages,
      stream: true,
      stream_options: { include_usage: true },
    }).length;
    const bytesReceived = `${chunk('Hello')}${chunk(undefined, 'stop')}`.length;
    expect(egress().entries()).toEqual([
      {
        host: 'model.test',
        kind: 'model',
        requests: 1,
        bytesSent,
        bytesReceived,
        pictures: false,
        loopback: false,
        proxy: proxy.host,
      },
    ]);
  });

  it('tells a proxy that is not there, without its password', async () => {
    const gone = await startProxy({ targetPort: 1 });
    await gone.stop();
    const proxied = networkOf({ HTTPS_PROXY: `http://clerk:p4ssword@${gone.host}` });
    const asked = openaiModel(target('https://model.test/v1', { apiKey: 'key-1' }), proxied, noPause).chat(ask, {
      signal: never,
    });
    await expect(asked).rejects.toThrow(
      `chat request failed: local/m at https://model.test/v1/chat/completions: the proxy ${gone.host} of HTTPS_PROXY refuses connections`,
    );
    await expect(asked).rejects.not.toThrow(/p4ssword|key-1/);
  });

  it('gives the pieces of a stream as they arrive', async () => {
    const url = await serve((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end(`${chunk('Hel')}${chunk('lo')}${chunk(undefined, 'stop')}data: [DONE]\n\n`);
    });
    const pieces: string[] = [];
    const reply = await openaiModel(target(url), fetchFor, noPause).chat(ask, {
      signal: never,
      onText: (text) => pieces.push(text),
    });
    expect([pieces, reply.text]).toEqual([['Hel', 'lo'], 'Hello']);
    expect(seen[0]?.body.stream).toBe(true);
  });

  it('fails for a stream that ends early, and does not write twice', async () => {
    const url = await serve((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).end(chunk('Hel'));
    });
    const model = openaiModel(target(url), fetchFor, noPause);
    await expect(model.chat(ask, { signal: never, onText: () => {} })).rejects.toThrow('chat stream error: ');
    expect(seen).toHaveLength(1);
  });

  const streams = async (...parts: (string | Buffer)[]) =>
    await serve((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
      for (const part of parts) response.write(part);
      response.end();
    });

  it('takes [DONE] as the end of a stream that gives no reason', async () => {
    const url = await streams(chunk('Hel'), chunk('lo'), 'data: [DONE]\n\n');
    const reply = await openaiModel(target(url), fetchFor, noPause).chat(ask, { signal: never, onText: () => {} });
    expect(reply).toEqual({ text: 'Hello', toolCalls: [], cut: false });
  });

  it('reads a stream with CRLF, comments and the use of tokens, whatever its cuts', async () => {
    const usage = 'data: {"choices":[],"usage":{}}\n\n';
    const whole = Buffer.from(`: wait\n\n${chunk('é')}${chunk('lo', 'length')}${usage}`.replaceAll('\n', '\r\n'));
    const cut = whole.indexOf('é') + 1;
    const url = await streams(whole.subarray(0, cut), whole.subarray(cut));
    const reply = await openaiModel(target(url), fetchFor, noPause).chat(ask, { signal: never, onText: () => {} });
    expect(reply).toEqual({ text: 'élo', toolCalls: [], cut: true });
  });

  it.each<[string, string]>([
    ['data: {"error":{"message":"no credit"}}\n\n', 'the answer is an error: {"message":"no credit"}'],
    ['data: {"choices":[null]}\n\n', 'the answer is no stream of chat completions: /choices/0 must be object'],
    [
      'data: {"choices":[{"delta":{"content":5}}]}\n\n',
      'the answer is no stream of chat completions: /choices/0/delta/content',
    ],
    ['data: hello\n\n', 'an event of the stream is not JSON: hello'],
  ])('tells the stream %j, once', async (text, message) => {
    const url = await streams(text);
    const asked = openaiModel(target(url), fetchFor, noPause).chat(ask, { signal: never, onText: () => {} });
    await expect(asked).rejects.toThrow(`chat stream request failed: local/m at ${url}/chat/completions: ${message}`);
    expect(seen).toHaveLength(1);
  });

  it('tries a stream again that ends before it begins', async () => {
    const url = await serve((response, count) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end(count < 2 ? '' : chunk('Hello', 'stop'));
    });
    const reply = await openaiModel(target(url), fetchFor, noPause).chat(ask, { signal: never, onText: () => {} });
    expect(reply.text).toBe('Hello');
  });

  it.each(['text/html', 'application/json; charset=utf-8'])('tells %s in the place of a stream', async (type) => {
    const url = await serve((response) => response.writeHead(200, { 'content-type': type }).end('{"no": "stream"}'));
    const asked = openaiModel(target(url), fetchFor, noPause).chat(ask, { signal: never, onText: () => {} });
    const media = type.split(';')[0];
    await expect(asked).rejects.toThrow(`the server did not answer with a stream but with ${media}: {"no": "stream"}`);
    expect(seen).toHaveLength(1);
  });

  it('ends a stream at once when aborted, with the reason', async () => {
    const url = await serve((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write(chunk('Hel'));
    });
    const stop = new AbortController();
    const model = openaiModel(target(url), fetchFor, noPause);
    const asked = model.chat(ask, { signal: stop.signal, onText: () => stop.abort(new Error('stopped by hand')) });
    await expect(asked).rejects.toThrow('stopped by hand');
  });

  it('ends the pause before another try when aborted', async () => {
    const stop = new AbortController();
    const url = await serve((response) => {
      json(response, 503, {});
      response.on('close', () => stop.abort(new Error('stopped by hand')));
    });
    const asked = openaiModel(target(url), fetchFor, [600_000]).chat(ask, { signal: stop.signal });
    await expect(asked).rejects.toThrow('stopped by hand');
  });
});
