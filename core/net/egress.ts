import type { EgressEntry } from '../contract/run.ts';

/** Where a request goes, as the record tells it. */
export type Destination = Pick<EgressEntry, 'host' | 'kind' | 'loopback' | 'proxy'>;

/**
 * The record of what a run exchanged with each host. Bytes are those of bodies, as they cross
 * the network: before an answer is unpacked, and without headers.
 */
export class EgressLog {
  readonly #entries = new Map<string, EgressEntry>();
  readonly #changed: () => void;

  /**
   * @param changed Called before a request's first byte leaves, and when its answer has ended.
   * @param earlier What an earlier process of the same run recorded; it is added to.
   */
  constructor(changed: () => void = () => {}, earlier: readonly EgressEntry[] = []) {
    this.#changed = changed;
    for (const entry of earlier) this.#entries.set(keyOf(entry), { ...entry });
  }

  /** What was exchanged so far, in the order in which hosts were first asked. */
  entries(): EgressEntry[] {
    return [...this.#entries.values()].map((entry) => ({ ...entry }));
  }

  /** Records that a request begins, and counts for it from now on. */
  begin(destination: Destination, pictures: boolean): Exchange {
    const key = keyOf(destination);
    const entry = this.#entries.get(key) ?? {
      ...destination,
      requests: 0,
      bytesSent: 0,
      bytesReceived: 0,
      pictures: false,
    };
    this.#entries.set(key, entry);
    entry.requests += 1;
    entry.pictures ||= pictures;
    this.#changed();
    return {
      sent: (bytes) => {
        entry.bytesSent += bytes;
      },
      received: (bytes) => {
        entry.bytesReceived += bytes;
      },
      ended: this.#changed,
    };
  }
}

/** One request that is under way. */
export interface Exchange {
  sent(bytes: number): void;
  received(bytes: number): void;
  ended(): void;
}

function keyOf({ host, kind, proxy = '' }: Destination): string {
  return JSON.stringify([host, kind, proxy]);
}
