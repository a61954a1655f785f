import { createSecureContext } from 'node:tls';
import { Agent, type Dispatcher, fetch } from 'undici';
import { Connectors, proxyName, refusal } from './connect.ts';
import type { EgressLog, Exchange } from './egress.ts';
import { NetError, requestFailure } from './failures.ts';
import { isLoopback } from './hosts.ts';
import { type Environment, type ProxySetting, proxyFor } from './proxies.ts';
import { trustedRoots } from './roots.ts';
import { watching } from './watching.ts';

/** A request with its whole body, ready to be sent. */
export interface Outgoing {
  url: URL;
  method: string;
  headers: Headers;
  body: Uint8Array | undefined;
  redirect: RequestRedirect;
  signal: AbortSignal | undefined;
  /** What it is for, and whether a picture is in it: for the record. */
  kind: string;
  pictures: boolean;
}

/** Sends requests, over connections that it keeps for the next ones. It loads undici, and is itself loaded late. */
export class Transport {
  readonly #env: Environment;
  readonly #connectors: Connectors;
  readonly #agents = new Map<string, Agent>();

  /** @param log Gets a line for each store of root certificates that cannot be read, once. */
  constructor(env: Environment, log: (line: string) => void) {
    this.#env = env;
    this.#connectors = new Connectors(() => {
      const { certificates, problems } = trustedRoots(env);
      for (const problem of problems) log(`warning: ${problem}`);
      return createSecureContext({ ca: certificates });
    });
  }

  /** Sends a request and records it. Throws a {@link NetError}, or the signal's reason once it is aborted. */
  async send(outgoing: Outgoing, egress: EgressLog): Promise<Response> {
    const { url, method, headers, body, redirect, signal } = outgoing;
    const proxy = proxyFor(url, this.#env);
    const dispatcher = this.#route(url, proxy).compose(sameOriginOnly(url), recording(egress, { outgoing, proxy }));
    try {
      const response = await fetch(url, {
        method,
        headers: [...headers],
        redirect,
        dispatcher,
        ...(body !== undefined && { body }),
        ...(signal !== undefined && { signal }),
      });
      // The same class by its own definition; wrapping it would let go of what keeps its body open.
      return response as unknown as Response;
    } catch (error) {
      signal?.throwIfAborted();
      throw netErrorIn(error) ?? requestFailure(error, proxy === undefined ? '' : ` (through ${proxyName(proxy)})`);
    }
  }

  /** Ends the connections that are kept; requests under way fail. */
  async close(): Promise<void> {
    await Promise.all([...this.#agents.values()].map((agent) => agent.destroy()));
  }

  #route(url: URL, proxy: ProxySetting | undefined): Dispatcher {
    if (proxy === undefined) return this.#agent('', this.#connectors.direct);
    const place = `${proxy.url.href} ${proxy.authorization}`;
    if (url.protocol === 'https:') return this.#agent(`through ${place}`, this.#connectors.through(proxy));
    return forwarded(this.#agent(`to ${place}`, this.#connectors.toProxy(proxy)), proxy);
  }

  #agent(key: string, connect: Connectors['direct']): Agent {
    const known = this.#agents.get(key);
    if (known !== undefined) return known;
    // The caller's signal limits the time.
    const agent = new Agent({ connect, headersTimeout: 0, bodyTimeout: 0 });
    this.#agents.set(key, agent);
    return agent;
  }
}

/** A plain request goes to the proxy whole: few proxies make tunnels to ports other than 443. */
function forwarded(agent: Agent, proxy: ProxySetting): Dispatcher {
  return agent.compose((dispatch) => (options, handler) => {
    const target = String(options.origin);
    const { host } = new URL(target);
    const headers = {
      ...(options.headers as Record<string, string>),
      host,
      ...(proxy.authorization !== undefined && { 'proxy-authorization': proxy.authorization }),
    };
    const refused = watching(handler, {
      started: (controller, status) => {
        if (status === 407) controller.abort(refusal(proxy, host, status));
      },
    });
    return dispatch({ ...options, origin: proxy.url.origin, path: `${target}${options.path}`, headers }, refused);
  });
}

/** Keeps a redirect from taking the key and what was asked to a host that nobody named. */
function sameOriginOnly(url: URL): Dispatcher.DispatcherComposeInterceptor {
  return (dispatch) => (options, handler) => {
    const origin = String(options.origin);
    if (origin === url.origin) return dispatch(options, handler);
    throw new NetError(
      `${url.origin} sends requests on to ${origin}, which is not followed, since they hold keys and documents; where ${origin} is meant, write it as the address`,
      false,
    );
  };
}

/** Records what passes between a request and the connection. */
function recording(
  egress: EgressLog,
  { outgoing, proxy }: { outgoing: Outgoing; proxy: ProxySetting | undefined },
): Dispatcher.DispatcherComposeInterceptor {
  const { url, kind, pictures } = outgoing;
  const destination = {
    host: url.host,
    kind,
    loopback: isLoopback(url.hostname) && (proxy === undefined || isLoopback(proxy.url.hostname)),
    ...(proxy !== undefined && { proxy: proxy.url.host }),
  };
  return (dispatch) => (options, handler) => {
    let exchange: Exchange | undefined;
    const body = counted(options.body, (bytes) => exchange?.sent(bytes));
    const counting = watching(handler, {
      begun: () => {
        exchange = egress.begin(destination, pictures);
      },
      data: (bytes) => exchange?.received(bytes),
      ended: () => exchange?.ended(),
    });
    return dispatch({ ...options, ...(body !== undefined && { body }) }, counting);
  };
}

type Body = Dispatcher.DispatchOptions['body'];

/** A body that tells the size of each piece as it is taken to be sent; fetch gives bodies as iterables. */
function counted(body: Body, sent: (bytes: number) => void): Body {
  if (body === undefined || body === null) return body;
  const pieces = body as unknown as AsyncIterable<Uint8Array>;
  const counting = async function* () {
    for await (const piece of pieces) {
      sent(piece.byteLength);
      yield piece;
    }
  };
  return counting() as unknown as Body;
}

/** The failure that a connection, a proxy or the rule for redirects gave, inside what fetch makes of it. */
function netErrorIn(error: unknown): NetError | undefined {
  for (let reason = error; reason instanceof Error; reason = reason.cause) {
    if (reason instanceof NetError) return reason;
  }
  return undefined;
}
