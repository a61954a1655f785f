import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Authority, type Certificate, makeAuthority } from '../../test/fixtures/certificates.ts';
import { type ProxyOptions, startProxy, type TestProxy } from '../../test/fixtures/proxy.ts';
import { EgressLog } from './egress.ts';
import { NetError } from './failures.ts';
import { Network } from './network.ts';

const password = 'p#ss wörd';
const key = 'sk-very-secret';

let folder: string;
let authority: Authority;
let certificate: Certificate;
let rootFile: string;
const ends: (() => unknown)[] = [];
let log: string[] = [];

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'net-'));
  authority = makeAuthority();
  certificate = authority.issue(['model.test', '127.0.0.1']);
  rootFile = join(folder, 'root.pem');
  writeFileSync(rootFile, `A text before it.\n${authority.root}`);
});
afterAll(() => rmSync(folder, { recursive: true }));
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
  log = [];
});

/** What a server was asked, its body whole. */
interface Asked {
  path: string;
  headers: IncomingMessage['headers'];
  body: Buffer;
}

interface TestServer {
  server: Server;
  port: number;
  asked: Asked[];
}

const hello = (response: ServerResponse) => response.end('Hello');

async function serve(answer: (response: ServerResponse) => void = hello, tls?: Certificate): Promise<TestServer> {
  const asked: Asked[] = [];
  const listener: RequestListener = (incoming, response) => {
    const parts: Buffer[] = [];
    incoming.on('data', (part: Buffer) => parts.push(part));
    incoming.on('end', () => {
      asked.push({ path: incoming.url ?? '', headers: incoming.headers, body: Buffer.concat(parts) });
      answer(response);
    });
  };
  const server: Server = tls === undefined ? createServer(listener) : createTlsServer(tls, listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ends.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return { server, port: (server.address() as AddressInfo).port, asked };
}

async function proxyTo(options: ProxyOptions): Promise<TestProxy> {
  const proxy = await startProxy(options);
  ends.push(() => proxy.stop());
  return proxy;
}

function open(env: Record<string, string>, pictures = false, egress = new EgressLog()) {
  const network = new Network(env, (line) => log.push(line));
  ends.push(() => network.close());
  return { fetch: network.fetch({ kind: 'model', pictures }, egress), egress };
}

/** The whole text of what a promise rejects with, its causes and stacks included. */
async function failureOf(promise: Promise<unknown>): Promise<{ error: Error; text: string }> {
  const error = await promise.then(
    () => new Error('nothing failed'),
    (reason: Error) => reason,
  );
  const texts: string[] = [];
  for (let reason: unknown = error; reason instanceof Error; reason = reason.cause) {
    texts.push(reason.stack ?? '', JSON.stringify(reason, Object.getOwnPropertyNames(reason)));
  }
  return { error, text: texts.join('\n') };
}

const post = (body: BodyInit) => ({ method: 'POST', body, headers: { authorization: `Bearer ${key}` } });

describe('a proxy', () => {
  it('makes a tunnel to an https host, and the record names both', async () => {
    const server = await serve(hello, certificate);
    const proxy = await proxyTo({ targetPort: server.port });
    const { fetch, egress } = open({ HTTPS_PROXY: `http://${proxy.host}`, SSL_CERT_FILE: rootFile });
    const response = await fetch('https://model.test/v1?a=1', post('Hi'));
    expect(await response.text()).toBe('Hello');
    expect(proxy.asked).toMatchObject([{ method: 'CONNECT', target: 'model.test:443', authorization: undefined }]);
    expect(JSON.stringify(proxy.asked)).not.toContain(key);
    expect(server.asked).toMatchObject([{ path: '/v1?a=1', headers: { authorization: `Bearer ${key}` } }]);
    expect(egress.entries()).toEqual([
      {
        host: 'model.test',
        kind: 'model',
        requests: 1,
        bytesSent: 2,
        bytesReceived: 5,
        pictures: false,
        loopback: false,
        proxy: proxy.host,
      },
    ]);
  });

  it('gets a plain request whole, without a tunnel', async () => {
    const server = await serve();
    const proxy = await proxyTo({ targetPort: server.port });
    const { fetch } = open({ HTTP_PROXY: proxy.host });
    expect(await (await fetch('http://model.test:8080/v1?a=1', post('Hi'))).text()).toBe('Hello');
    expect(proxy.asked).toMatchObject([{ method: 'POST', target: 'http://model.test:8080/v1?a=1' }]);
    expect(server.asked[0]).toMatchObject({ headers: { host: 'model.test:8080' }, body: Buffer.from('Hi') });
  });

  it.each([
    ['https://model.test/', 'HTTPS_PROXY'],
    ['http://model.test/', 'HTTP_PROXY'],
  ])('takes name and password, itself reached over TLS, for %s', async (url, variable) => {
    const server = await serve(hello, url.startsWith('https:') ? certificate : undefined);
    const proxy = await proxyTo({ targetPort: server.port, certificate });
    const address = `https://clerk:${encodeURIComponent(password)}@${proxy.host}`;
    const { fetch, egress } = open({ [variable]: address, SSL_CERT_FILE: rootFile });
    expect(await (await fetch(url)).text()).toBe('Hello');
    const authorization = `Basic ${Buffer.from(`clerk:${password}`).toString('base64')}`;
    expect(proxy.asked).toMatchObject([{ authorization }]);
    expect(server.asked[0]?.headers).not.toHaveProperty('proxy-authorization');
    expect(JSON.stringify(egress.entries())).not.toContain('clerk');
  });

  it('is used again for further requests, over the same tunnels', async () => {
    const server = await serve(hello, certificate);
    const proxy = await proxyTo({ targetPort: server.port });
    const { fetch, egress } = open({ HTTPS_PROXY: proxy.host, SSL_CERT_FILE: rootFile });
    for (const body of ['1', '2', '3', '4', '5']) await (await fetch('https://model.test/', post(body))).text();
    // A request right after an answer may find the connection not free yet.
    expect(proxy.asked.length).toBeLessThan(3);
    expect(egress.entries()).toMatchObject([{ requests: 5, bytesSent: 5, bytesReceived: 25 }]);
  });

  it('is passed by for the hosts of NO_PROXY and for this computer', async () => {
    const server = await serve();
    const proxy = await proxyTo({ targetPort: server.port });
    const url = `http://127.0.0.1:${server.port}/`;
    await (await open({ HTTP_PROXY: proxy.host }).fetch(url)).text();
    await (await open({ HTTP_PROXY: proxy.host, NO_PROXY: '<-loopback>,127.0.0.0/8' }).fetch(url)).text();
    expect(proxy.asked).toEqual([]);
    expect(server.asked).toHaveLength(2);
  });

  it('is asked for this computer too where NO_PROXY says so', async () => {
    const server = await serve();
    const proxy = await proxyTo({ targetPort: server.port });
    const { fetch, egress } = open({ HTTP_PROXY: proxy.host, NO_PROXY: '<-loopback>' });
    await (await fetch(`http://127.0.0.1:${server.port}/`)).text();
    expect(proxy.asked).toHaveLength(1);
    expect(egress.entries()).toMatchObject([{ loopback: true, proxy: proxy.host }]);
  });

  it.each([
    ['https://model.test/', 407, false, 'does not accept the name and password that HTTPS_PROXY holds (status 407)'],
    ['http://model.test/', 407, false, 'does not accept the name and password that HTTP_PROXY holds (status 407)'],
    ['https://model.test/', 403, false, 'does not let requests through to model.test:443 (status 403)'],
    ['https://model.test/', 503, true, 'does not let requests through to model.test:443 (status 503)'],
  ])('that refuses %s with status %i is told, without its password', async (url, refuseWith, passing, message) => {
    const proxy = await proxyTo({ targetPort: 1, refuseWith });
    const address = `http://clerk:${encodeURIComponent(password)}@${proxy.host}`;
    const { fetch, egress } = open({ HTTPS_PROXY: address, HTTP_PROXY: address });
    const { error, text } = await failureOf(fetch(url, post('Hi')));
    expect(error).toBeInstanceOf(NetError);
    expect(error).toMatchObject({ passing });
    expect(error.message).toContain(`the proxy ${proxy.host} of`);
    expect(error.message).toContain(message);
    for (const secret of ['clerk', 'p%23', 'p#ss', key]) expect(text).not.toContain(secret);
    expect(JSON.stringify(egress.entries())).not.toContain('clerk');
  });

  it('that asks for a password is told with how to write it', async () => {
    const proxy = await proxyTo({ targetPort: 1, refuseWith: 407 });
    const { error } = await failureOf(open({ https_proxy: proxy.host }).fetch('https://model.test/'));
    expect(error.message).toContain(`write them as https_proxy=http://NAME:PASSWORD@${proxy.host}`);
  });

  it('that is not there is told with its variable, and nothing counts as sent', async () => {
    const gone = await startProxy({ targetPort: 1 });
    await gone.stop();
    const { fetch, egress } = open({ HTTPS_PROXY: `http://clerk:${encodeURIComponent(password)}@${gone.host}` });
    const { error, text } = await failureOf(fetch('https://model.test/', post('Hi')));
    expect(error).toMatchObject({ passing: true });
    expect(error.message).toBe(
      `the proxy ${gone.host} of HTTPS_PROXY refuses connections (ECONNREFUSED); correct HTTPS_PROXY, or name model.test:443 in NO_PROXY where it is reached without a proxy`,
    );
    for (const secret of ['clerk', 'p%23', 'p#ss', key]) expect(text).not.toContain(secret);
    expect(egress.entries()).toEqual([]);
  });

  it('whose certificate is not trusted is told from the host whose is not', async () => {
    const stranger = makeAuthority('Stranger').issue(['127.0.0.1', 'model.test']);
    const env = { SSL_CERT_FILE: rootFile };
    const server = await serve(hello, stranger);
    const plain = await proxyTo({ targetPort: server.port });
    const viaPlain = await failureOf(open({ ...env, HTTPS_PROXY: plain.host }).fetch('https://model.test/'));
    expect(viaPlain.error.message).toContain(
      `model.test (asked through the proxy ${plain.host} of HTTPS_PROXY) has a certificate that this computer does not`,
    );
    const strange = await proxyTo({ targetPort: server.port, certificate: stranger });
    const viaStrange = await failureOf(
      open({ ...env, HTTPS_PROXY: `https://${strange.host}` }).fetch('https://model.test/'),
    );
    expect(viaStrange.error.message).toMatch(
      `the proxy ${strange.host} of HTTPS_PROXY has a certificate that this computer does not trust`,
    );
  });
});

describe('certificates', () => {
  it.each(['SSL_CERT_FILE', 'NODE_EXTRA_CA_CERTS'])('are trusted by the roots in the file of %s', async (variable) => {
    const server = await serve(hello, certificate);
    const { fetch } = open({ [variable]: rootFile });
    expect(await (await fetch(`https://127.0.0.1:${server.port}/`)).text()).toBe('Hello');
  });

  it('are refused without their root, with what to do, and nothing is sent', async () => {
    const server = await serve(hello, certificate);
    const { fetch, egress } = open({});
    const { error } = await failureOf(fetch(`https://127.0.0.1:${server.port}/`, post('Hi')));
    expect(error).toMatchObject({ name: 'NetError', passing: false });
    expect(error.message).toBe(
      `127.0.0.1:${server.port} has a certificate that this computer does not trust (UNABLE_TO_VERIFY_LEAF_SIGNATURE); where the network inspects what passes it, add its root certificate to the system's store, or name its PEM file in SSL_CERT_FILE`,
    );
    expect(server.asked).toEqual([]);
    expect(egress.entries()).toEqual([]);
  });

  it.each([
    ['for another name', () => authority.issue(['other.test']), 'is for another name; correct the address'],
    ['past their end', () => authority.issue(['127.0.0.1'], new Date(0)), 'has expired, or the clock'],
  ])('%s are refused', async (_, issue, message) => {
    const server = await serve(hello, issue());
    const { error } = await failureOf(open({ SSL_CERT_FILE: rootFile }).fetch(`https://127.0.0.1:${server.port}/`));
    expect(error).toMatchObject({ passing: false });
    expect(error.message).toContain(message);
  });

  it('in a file that is not there are told once', async () => {
    const server = await serve(hello, certificate);
    const { fetch } = open({ SSL_CERT_FILE: join(folder, 'gone.pem'), NODE_EXTRA_CA_CERTS: rootFile });
    for (let time = 0; time < 2; time++) await (await fetch(`https://127.0.0.1:${server.port}/`)).text();
    expect(log).toEqual([expect.stringContaining(`warning: SSL_CERT_FILE=${join(folder, 'gone.pem')} cannot be used`)]);
  });

  it('are missed where the server speaks plain HTTP', async () => {
    const server = await serve();
    const { error } = await failureOf(open({}).fetch(`https://127.0.0.1:${server.port}/`));
    expect(error.message).toContain('does not speak TLS');
  });
});

describe('the record', () => {
  it('counts bodies as the server gets and gives them, packed, and knows of pictures', async () => {
    const packed = gzipSync('Hello '.repeat(1000));
    const server = await serve((response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(packed));
    const { fetch, egress } = open({}, true);
    const form = new FormData();
    form.set('file', new Blob([Buffer.alloc(100_000, 1)]), 'é.png');
    const response = await fetch(`http://127.0.0.1:${server.port}/`, post(form));
    expect(await response.text()).toHaveLength(6000);
    const [asked] = server.asked;
    expect(asked?.body.length).toBeGreaterThan(100_000);
    expect(asked?.headers['content-length']).toBe(String(asked?.body.length));
    expect(egress.entries()).toEqual([
      {
        host: `127.0.0.1:${server.port}`,
        kind: 'model',
        requests: 1,
        bytesSent: asked?.body.length,
        bytesReceived: packed.length,
        pictures: true,
        loopback: true,
      },
    ]);
  });

  it('counts a stream as it comes', async () => {
    let more: (() => void) | undefined;
    const server = await serve((response) => {
      response.write('12345');
      more = () => response.end('678');
    });
    const { fetch, egress } = open({});
    const { body } = await fetch(`http://127.0.0.1:${server.port}/`);
    const reader = body?.getReader();
    await reader?.read();
    expect(egress.entries()).toMatchObject([{ bytesReceived: 5 }]);
    more?.();
    while (!(await reader?.read())?.done);
    expect(egress.entries()).toMatchObject([{ bytesReceived: 8 }]);
  });

  it('is told before anything leaves, and at the end', async () => {
    const told: [asked: number, received: number | undefined][] = [];
    const server = await serve();
    const egress: EgressLog = new EgressLog(() => told.push([server.asked.length, egress.entries()[0]?.bytesReceived]));
    const { fetch } = open({}, false, egress);
    await (await fetch(`http://127.0.0.1:${server.port}/`)).text();
    expect(told).toEqual([
      [0, 0],
      [1, 5],
    ]);
  });
});

describe('a redirect', () => {
  it.each([301, 307])('to another origin is an error and takes nothing there (status %i)', async (status) => {
    const other = await serve();
    const location = `http://127.0.0.1:${other.port}/v1`;
    const server = await serve((response) => response.writeHead(status, { location }).end());
    const { fetch, egress } = open({});
    const { error, text } = await failureOf(fetch(`http://127.0.0.1:${server.port}/v1`, post('Hi')));
    expect(error).toMatchObject({ name: 'NetError', passing: false });
    expect(error.message).toContain(
      `http://127.0.0.1:${server.port} sends requests on to http://127.0.0.1:${other.port}, which is not followed`,
    );
    expect(text).not.toContain(key);
    expect(other.asked).toEqual([]);
    expect(egress.entries()).toHaveLength(1);
  });

  it('within the origin is followed with body and key', async () => {
    let isFirst = true;
    const server = await serve((response) => {
      if (!isFirst) return response.end('Hello');
      isFirst = false;
      return response.writeHead(307, { location: '/v2' }).end();
    });
    const { fetch, egress } = open({});
    expect(await (await fetch(`http://127.0.0.1:${server.port}/v1`, post('Hi'))).text()).toBe('Hello');
    expect(server.asked[1]).toMatchObject({
      path: '/v2',
      body: Buffer.from('Hi'),
      headers: { authorization: `Bearer ${key}` },
    });
    expect(egress.entries()).toMatchObject([{ requests: 2, bytesSent: 4 }]);
  });
});

describe('fetch', () => {
  it('tells which host refuses connections', async () => {
    const server = await serve();
    for (const end of ends.splice(0)) await end();
    const { error } = await failureOf(open({}).fetch(`http://127.0.0.1:${server.port}/`));
    expect(error).toMatchObject({ passing: true });
    expect(error.message).toContain(`127.0.0.1:${server.port} refuses connections (ECONNREFUSED); check the address`);
  });

  it('ends with the reason of the signal, before, while and after it waits for an answer', async () => {
    const server = await serve((response) => response.write('Hel'));
    const silent = await serve(() => {});
    const { fetch } = open({});
    const reason = new Error('stopped by hand');
    await expect(fetch(`http://127.0.0.1:${server.port}/`, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    expect(server.asked).toEqual([]);

    const stop = new AbortController();
    const asked = fetch(`http://127.0.0.1:${silent.port}/`, { signal: stop.signal });
    await expect.poll(() => silent.asked.length).toBe(1);
    stop.abort(reason);
    await expect(asked).rejects.toBe(reason);

    const second = new AbortController();
    const response = await fetch(`http://127.0.0.1:${server.port}/`, { signal: second.signal });
    const text = response.text();
    second.abort(reason);
    await expect(text).rejects.toBe(reason);
  });

  it('sends and records nothing when it was stopped while the connection was made', async () => {
    const { server, port, asked } = await serve(hello, certificate);
    const stop = new AbortController();
    server.once('connection', () => stop.abort());
    const { fetch, egress } = open({ SSL_CERT_FILE: rootFile });
    const url = `https://127.0.0.1:${port}/`;
    await expect(fetch(url, { ...post('One'), signal: stop.signal })).rejects.toThrow(/aborted/);
    expect(await (await fetch(url, post('Two'))).text()).toBe('Hello');
    expect(asked.map(({ body }) => String(body))).toEqual(['Two']);
    expect(egress.entries()).toMatchObject([{ requests: 1, bytesSent: 3 }]);
  });

  it('takes a Request, and follows its signal', async () => {
    const server = await serve(() => {});
    const { fetch } = open({});
    const stop = new AbortController();
    const asked = fetch(new Request(`http://127.0.0.1:${server.port}/`, { ...post('Hi'), signal: stop.signal }));
    await expect.poll(() => server.asked.length).toBe(1);
    expect(server.asked[0]).toMatchObject({ body: Buffer.from('Hi'), headers: { authorization: `Bearer ${key}` } });
    const reason = new Error('stopped by hand');
    stop.abort(reason);
    await expect(asked).rejects.toBe(reason);
  });

  it('refuses a proxy setting that is none', async () => {
    const { error } = await failureOf(open({ HTTPS_PROXY: 'socks5://clerk:p4ss@gone' }).fetch('https://model.test/'));
    expect(error.message).toBe(
      'HTTPS_PROXY names a proxy of the kind socks5://, and only http:// and https:// are supported',
    );
  });
});
