import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeEach } from 'vitest';
import { EgressLog } from '../../core/net/egress.ts';
import { type FetchFor, Network } from '../../core/net/network.ts';
import type { ModelTarget } from './targets.ts';

/** For tests of models: a server whose answers a test writes byte by byte, for what no well-behaved server does. */
export interface WireServer {
  url: string;
  seen: SeenRequest[];
  stop(): void;
}

export interface SeenRequest {
  path: string;
  authorization: string | undefined;
  headers: IncomingMessage['headers'];
  body: Record<string, unknown>;
}

/** @param answer gets the number of the request, from 1 */
export async function startWireServer(answer: (response: ServerResponse, count: number) => void): Promise<WireServer> {
  const seen: SeenRequest[] = [];
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const { url = '', headers } = request;
      const body = JSON.parse(Buffer.concat(parts).toString()) as Record<string, unknown>;
      seen.push({ path: url, authorization: headers.authorization, headers, body });
      answer(response, seen.length);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}

export function json(response: ServerResponse, status: number, body: unknown): void {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  response.writeHead(status, { 'content-type': 'application/json' }).end(text);
}

/** Answers with server-sent events, each with its data. */
export function events(response: ServerResponse, data: readonly unknown[]): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.end(data.map((one) => `data: ${JSON.stringify(one)}\n\n`).join(''));
}

export const target = (baseUrl: string, more: Partial<ModelTarget> = {}): ModelTarget => ({
  provider: 'local',
  model: 'm',
  baseUrl,
  apiKey: undefined,
  temperature: undefined,
  maxTokens: undefined,
  topP: undefined,
  ...more,
});

export const ask = { messages: [{ role: 'user' as const, content: 'Hi' }] };
export const never = new AbortController().signal;
export const noPause: readonly number[] = [0, 0, 0];

/** A picture of one pixel. */
export const picture = {
  mediaType: 'image/png' as const,
  bytes: Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg==',
    'base64',
  ),
};

let log: EgressLog;
const networks: Network[] = [];

/** What the requests of the test exchanged. */
export const egress = (): EgressLog => log;

/** A way to the network with the variables of a test alone. */
export function networkOf(env: Record<string, string> = {}): FetchFor {
  const network = new Network(env, () => {});
  networks.push(network);
  return (purpose) => network.fetch(purpose, log);
}
export const fetchFor = networkOf();

beforeEach(() => {
  log = new EgressLog();
});
afterAll(() => Promise.all(networks.map((network) => network.close())));
