import type { EgressEntry } from '../../core/contract/run.ts';
import { EgressLog } from '../../core/net/egress.ts';

/**
 * The record of what a run exchanges over the network, kept in the store: a request stands
 * there before its first byte leaves.
 */
export class EgressRecord {
  readonly log: EgressLog;
  readonly #store: (added: EgressEntry[]) => void;
  readonly #kept = new Map<string, EgressEntry>();

  /** @param store adds to the sums of what is kept */
  constructor(store: (added: EgressEntry[]) => void) {
    this.#store = store;
    this.log = new EgressLog(() => this.flush());
  }

  /** Keeps what came since the last time. */
  flush(): void {
    const entries = this.log
      .entries()
      .map((entry) => ({ key: JSON.stringify([entry.host, entry.kind, entry.proxy]), entry }));
    const added = entries.flatMap(({ key, entry }) => minus(entry, this.#kept.get(key)) ?? []);
    if (added.length === 0) return;
    this.#store(added);
    for (const { key, entry } of entries) this.#kept.set(key, entry);
  }
}

function minus(entry: EgressEntry, kept: EgressEntry | undefined): EgressEntry | undefined {
  if (kept === undefined) return entry;
  const requests = entry.requests - kept.requests;
  const bytesSent = entry.bytesSent - kept.bytesSent;
  const bytesReceived = entry.bytesReceived - kept.bytesReceived;
  if (requests + bytesSent + bytesReceived === 0 && entry.pictures === kept.pictures) return undefined;
  return { ...entry, requests, bytesSent, bytesReceived };
}
