/** What stands in place of a secret. */
export const mask = '*******';

/**
 * Replaces secret values in texts and in streams of bytes, longest first, so that a
 * secret that begins with another is replaced as a whole.
 */
export class Masker {
  #values: string[] = [];

  constructor(values: readonly string[] = []) {
    for (const value of values) this.add(value);
  }

  /** Masks a value from now on; an empty one is nothing to mask. */
  add(value: string): void {
    if (value === '' || this.#values.includes(value)) return;
    this.#values = [...this.#values, value].sort((a, b) => b.length - a.length);
  }

  text(text: string): string {
    return this.#values.reduce((masked, value) => masked.replaceAll(value, mask), text);
  }

  /** A copy of a JSON value with every text in it masked, keys included. */
  json<T>(value: T): T {
    if (this.#values.length === 0) return value;
    if (typeof value === 'string') return this.text(value) as T;
    if (Array.isArray(value)) return value.map((item) => this.json(item)) as T;
    if (typeof value === 'object' && value !== null) {
      return Object.fromEntries(Object.entries(value).map(([key, item]) => [this.text(key), this.json(item)])) as T;
    }
    return value;
  }

  /** Like {@link json}, with numbers too: one that holds a secret of four or more digits becomes the mask. */
  values<T>(value: T): T {
    if (typeof value === 'number' || typeof value === 'bigint') {
      const text = String(value);
      const holds = this.#values.some((secret) => secret.length >= 4 && text.includes(secret));
      return holds ? (this.text(text) as T) : value;
    }
    if (Array.isArray(value)) return value.map((item) => this.values(item)) as T;
    if (typeof value === 'object' && value !== null) {
      return Object.fromEntries(Object.entries(value).map(([key, item]) => [this.text(key), this.values(item)])) as T;
    }
    return this.json(value);
  }

  /** A mask for one stream of bytes that comes in chunks. */
  stream(): MaskingStream {
    return new MaskingStream(() => this.#values.map((value) => Buffer.from(value)));
  }
}

/**
 * Masks bytes chunk by chunk, also a secret that is cut by a border between chunks: the
 * bytes at the end that may begin a secret wait for the next chunk.
 */
export class MaskingStream {
  readonly #secrets: () => Buffer[];
  #kept: Buffer = Buffer.alloc(0);

  constructor(secrets: () => Buffer[]) {
    this.#secrets = secrets;
  }

  /** The bytes that can be shown so far. */
  push(chunk: Buffer): Buffer {
    const secrets = this.#secrets();
    if (secrets.length === 0 && this.#kept.length === 0) return chunk;
    const { done, rest } = replaceSecrets(Buffer.concat([this.#kept, chunk]), secrets, false);
    this.#kept = rest;
    return done;
  }

  /** The bytes that waited, when no more come. */
  end(): Buffer {
    const { done } = replaceSecrets(this.#kept, this.#secrets(), true);
    this.#kept = Buffer.alloc(0);
    return done;
  }
}

function replaceSecrets(bytes: Buffer, secrets: Buffer[], ended: boolean): { done: Buffer; rest: Buffer } {
  const parts: Buffer[] = [];
  let from = 0;
  let at = 0;
  while (at < bytes.length) {
    const next = nextCandidate(bytes, at, secrets);
    if (next === undefined) break;
    at = next;
    // A longer secret that may still be coming wins over a shorter one that is there.
    if (!ended && secrets.some((secret) => mayBeginAt(bytes, at, secret))) {
      parts.push(bytes.subarray(from, at));
      return { done: Buffer.concat(parts), rest: Buffer.from(bytes.subarray(at)) };
    }
    const found = secrets.find((secret) => bytes.subarray(at, at + secret.length).equals(secret));
    if (found === undefined) {
      at += 1;
      continue;
    }
    parts.push(bytes.subarray(from, at), Buffer.from(mask));
    at += found.length;
    from = at;
  }
  parts.push(bytes.subarray(from));
  return { done: Buffer.concat(parts), rest: Buffer.alloc(0) };
}

/** The next place where some secret's first byte stands. */
function nextCandidate(bytes: Buffer, from: number, secrets: Buffer[]): number | undefined {
  const places = secrets.map((secret) => bytes.indexOf(secret[0] as number, from)).filter((place) => place >= 0);
  return places.length === 0 ? undefined : Math.min(...places);
}

/** Whether the bytes end in the middle of what may be the secret. */
function mayBeginAt(bytes: Buffer, at: number, secret: Buffer): boolean {
  const there = bytes.length - at;
  return there < secret.length && bytes.subarray(at).equals(secret.subarray(0, there));
}
