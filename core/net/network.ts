import type { EgressLog } from './egress.ts';
import type { Environment } from './proxies.ts';
import type { Transport } from './transport.ts';

/** The standard `fetch`, as SDKs take it. */
export type Fetch = typeof globalThis.fetch;

/** What requests are for: told in the record of what left this computer. */
export interface RequestPurpose {
  /** `model`, `update`, … */
  kind: string;
  /** Whether a picture is among what is sent. */
  pictures: boolean;
}

/** Gives the `fetch` of one run for a purpose. */
export type FetchFor = (purpose: RequestPurpose) => Fetch;

/**
 * The way of every request of the product to the network. It honours HTTPS_PROXY, HTTP_PROXY,
 * ALL_PROXY and NO_PROXY (core/net/proxies.ts), trusts the system's root certificates and the
 * files of SSL_CERT_FILE and NODE_EXTRA_CA_CERTS (core/net/roots.ts), and records what was
 * exchanged. Nothing is loaded before the first request.
 */
export class Network {
  readonly #env: Environment;
  readonly #log: (line: string) => void;
  #transport: Promise<Transport> | undefined;

  /**
   * @param env Where the variables are looked up.
   * @param log Gets one line for what of the system's settings cannot be used.
   */
  constructor(env: Environment, log: (line: string) => void) {
    this.#env = env;
    this.#log = log;
  }

  /**
   * A `fetch` for one purpose, recorded in `egress`. It rejects with a NetError where the host
   * is not reached or sends requests on to another host, and with the signal's reason once that
   * is aborted. Beyond the connection, only the signal limits the time. A request's body is read
   * whole before it is sent.
   */
  fetch({ kind, pictures }: RequestPurpose, egress: EgressLog): Fetch {
    return async (input, init) => {
      const transport = await this.#open();
      // Not by the Request, whose own signal follows this one only while the Request is held.
      const signal = init?.signal ?? (input instanceof Request ? input.signal : undefined);
      const request = new Request(input, { ...init, signal: null });
      const body = request.body === null ? undefined : new Uint8Array(await request.arrayBuffer());
      signal?.throwIfAborted();
      const { method, headers, redirect } = request;
      const url = new URL(request.url);
      return await transport.send({ url, method, headers, body, redirect, signal, kind, pictures }, egress);
    };
  }

  /** Ends the connections that are kept; requests under way fail. */
  async close(): Promise<void> {
    await (await this.#transport)?.close();
  }

  #open(): Promise<Transport> {
    this.#transport ??= import('./transport.ts').then(({ Transport }) => new Transport(this.#env, this.#log));
    return this.#transport;
  }
}
