import { request } from 'node:http';
import { isIPv6, type Socket } from 'node:net';
import type { SecureContext } from 'node:tls';
import { buildConnector } from 'undici';
import { connectFailure, NetError, type Peer } from './failures.ts';
import type { ProxySetting } from './proxies.ts';

type Connector = buildConnector.connector;
type ConnectOptions = buildConnector.Options;

/** How long a host or a proxy may take to accept a connection, in milliseconds. */
const connectLimitMs = 10_000;

/** How long a proxy may take to reach a host, in milliseconds. */
const tunnelLimitMs = 30_000;

/** Makes connections to hosts, to proxies, and through these to hosts; each fails with a {@link NetError}. */
export class Connectors {
  readonly #plain = buildConnector({ timeout: connectLimitMs });
  readonly #secureContext: () => SecureContext;
  #overTls: Connector | undefined;

  /** @param secureContext Called when the first connection needs TLS. */
  constructor(secureContext: () => SecureContext) {
    this.#secureContext = secureContext;
  }

  /** To a host that is reached without a proxy. */
  readonly direct: Connector = (options, callback) => this.#connect(hostPeer(options), options, callback);

  /** To a proxy, which gets whole requests for hosts. */
  toProxy(proxy: ProxySetting): Connector {
    return (options, callback) => this.#connect(proxyPeer(proxy, 'the host'), options, callback);
  }

  /** To a host over TLS, through a tunnel that a proxy makes (CONNECT). */
  through(proxy: ProxySetting): Connector {
    return (options, callback) => {
      this.#tunnel(proxy, authorityOf(options)).then(
        (httpSocket) => {
          const peer = hostPeer(options);
          const named = { ...peer, name: `${peer.name} (asked through ${proxyName(proxy)})` };
          this.#connect(named, { ...options, httpSocket }, callback);
        },
        (error: Error) => callback(error, null),
      );
    };
  }

  #connect(peer: Peer, options: ConnectOptions, callback: buildConnector.Callback): void {
    const connector = options.protocol === 'https:' ? this.#tls() : this.#plain;
    connector(options, (...[error, socket]) => {
      if (error === null) callback(null, socket);
      else callback(connectFailure(peer, error), null);
    });
  }

  #tls(): Connector {
    this.#overTls ??= buildConnector({ timeout: connectLimitMs, secureContext: this.#secureContext() });
    return this.#overTls;
  }

  async #tunnel(proxy: ProxySetting, authority: string): Promise<Socket> {
    const { hostname, host, port, protocol } = proxy.url;
    const options = { hostname: hostname.replace(/^\[(.*)\]$/, '$1'), host, port, protocol };
    const socket = await new Promise<Socket>((resolve, reject) => {
      this.#connect(proxyPeer(proxy, authority), options, (...[error, opened]) =>
        error === null ? resolve(opened) : reject(error),
      );
    });
    return await askForTunnel(socket, proxy, authority);
  }
}

/** Asks the proxy at the other end of a socket for a tunnel; the socket is then the host's. */
function askForTunnel(socket: Socket, proxy: ProxySetting, authority: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const fail = (error: Error) => {
      socket.destroy();
      reject(error);
    };
    const asked = request({
      method: 'CONNECT',
      path: authority,
      headers: { host: authority, ...(proxy.authorization && { 'proxy-authorization': proxy.authorization }) },
      createConnection: () => socket,
      timeout: tunnelLimitMs,
    });
    asked.once('timeout', () =>
      fail(new NetError(`${proxyName(proxy)} did not reach ${authority} within ${tunnelLimitMs / 1000} s`, true)),
    );
    asked.on('error', (error) => fail(connectFailure(proxyPeer(proxy, authority), error)));
    asked.once('connect', ({ statusCode = 0 }, _, head: Buffer) => {
      if (statusCode < 200 || statusCode > 299) return fail(refusal(proxy, authority, statusCode));
      socket.setTimeout(0);
      if (head.length > 0) socket.unshift(head);
      resolve(socket);
    });
    asked.end();
  });
}

/** A proxy answered a request itself, and with an error. */
export function refusal(proxy: ProxySetting, authority: string, status: number): NetError {
  const name = proxyName(proxy);
  if (status !== 407) {
    const passing = status >= 500 && status <= 504;
    return new NetError(`${name} does not let requests through to ${authority} (status ${status})`, passing);
  }
  const known = proxy.authorization !== undefined;
  return new NetError(
    known
      ? `${name} does not accept the name and password that ${proxy.variable} holds (status 407)`
      : `${name} asks for a name and a password (status 407); write them as ${proxy.variable}=${proxy.url.protocol}//NAME:PASSWORD@${proxy.url.host}`,
    false,
  );
}

/** A proxy as messages name it. */
export function proxyName({ url, variable }: ProxySetting): string {
  return `the proxy ${url.host} of ${variable}`;
}

function proxyPeer(proxy: ProxySetting, host: string): Peer {
  return {
    name: proxyName(proxy),
    advice: `correct ${proxy.variable}, or name ${host} in NO_PROXY where it is reached without a proxy`,
  };
}

function hostPeer(options: ConnectOptions): Peer {
  return {
    name: options.host ?? authorityOf(options),
    advice: 'check the address and that its server runs, and set HTTPS_PROXY where only a proxy leads to it',
  };
}

function authorityOf({ hostname, port, protocol }: ConnectOptions): string {
  return `${isIPv6(hostname) ? `[${hostname}]` : hostname}:${port || (protocol === 'https:' ? 443 : 80)}`;
}
