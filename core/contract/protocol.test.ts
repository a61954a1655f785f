import { Type } from 'typebox';
import { describe, expect, it } from 'vitest';
import { channelPair } from './channel.ts';
import { CallError, connect, Nothing, serve } from './protocol.ts';

const protocol = {
  double: { params: Type.Object({ n: Type.Number() }), result: Type.Object({ n: Type.Number() }) },
  fail: { params: Nothing, result: Nothing },
  lie: { params: Nothing, result: Type.Object({ n: Type.Number() }) },
  never: { params: Nothing, result: Nothing },
};

function open() {
  const [left, right] = channelPair();
  const received: unknown[] = [];
  serve(right, protocol, {
    double: ({ n }) => {
      received.push(n);
      return { n: n * 2 };
    },
    fail: () => {
      throw new CallError('ambiguous', 'two buttons', { matches: 2 });
    },
    lie: () => ({ n: 'x' }) as never,
    never: () => new Promise(() => {}),
  });
  return { client: connect(left, protocol), left, right, received };
}

describe('a protocol between two processes', () => {
  it('carries calls, also many at once', async () => {
    const { client } = open();
    expect(await Promise.all([1, 2, 3].map((n) => client.double({ n })))).toEqual([{ n: 2 }, { n: 4 }, { n: 6 }]);
  });

  it('carries an error with its code and diagnosis', async () => {
    const { client } = open();
    await expect(client.fail()).rejects.toMatchObject({
      code: 'ambiguous',
      message: 'two buttons',
      details: { matches: 2 },
    });
  });

  it('lets no wrong parameter reach a handler, and no wrong result a caller', async () => {
    const { client, received } = open();
    await expect(client.double({ n: 'x' as never })).rejects.toMatchObject({ code: 'invalid' });
    expect(received).toEqual([]);
    await expect(client.lie()).rejects.toThrow('/n must be number');
  });

  it('answers a call that it does not know', async () => {
    const { left, received } = open();
    const replies: unknown[] = [];
    left.onMessage((message) => replies.push(message));
    left.send({ call: 7, method: 'toString', params: {} });
    left.send('nonsense');
    await Promise.resolve().then(() => new Promise((resolve) => setImmediate(resolve)));
    expect(replies).toMatchObject([{ reply: 7, error: { code: 'invalid' } }]);
    expect(received).toEqual([]);
  });

  it('ends every open call when the other side closes', async () => {
    const { client, right } = open();
    const open1 = client.never();
    right.close();
    await expect(open1).rejects.toMatchObject({ code: 'closed' });
    await expect(client.double({ n: 1 })).rejects.toMatchObject({ code: 'closed' });
  });

  it('gives up at its time limit, and when it is aborted', async () => {
    const { client } = open();
    await expect(client.never({}, { timeoutMs: 1 })).rejects.toMatchObject({ code: 'timeout' });
    const stop = new AbortController();
    const call = client.never({}, { signal: stop.signal });
    stop.abort();
    await expect(call).rejects.toMatchObject({ code: 'aborted' });
  });
});
