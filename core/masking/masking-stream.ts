import { digitsBefore, type Window } from './base64.ts';
import type { Finder } from './finder.ts';
import type { Match } from './patterns.ts';
import { mask } from './sealed.ts';

/**
 * Masks bytes chunk by chunk, also a secret that is cut by a border between chunks: the bytes at the
 * end that may begin a secret wait for the next chunk. It keeps no more than the longest secret takes.
 */
export class MaskingStream {
  readonly #finder: () => Finder | undefined;
  #kept: Buffer = Buffer.alloc(0);
  /** How many of the kept bytes a mask stands for that was shown. */
  #hidden = 0;
  /** Base64 digits directly before the kept bytes. */
  #digits = 0;

  /** The finder is asked for with each chunk, since secrets may be added meanwhile; there is none without secrets. */
  constructor(finder: () => Finder | undefined) {
    this.#finder = finder;
  }

  /** The bytes that can be shown so far. */
  push(chunk: Buffer): Buffer {
    return this.#mask(this.#kept.length === 0 ? chunk : Buffer.concat([this.#kept, chunk]), false);
  }

  /** The bytes that waited, when no more come. */
  end(): Buffer {
    return this.#mask(this.#kept, true);
  }

  #mask(bytes: Buffer, ended: boolean): Buffer {
    const finder = this.#finder();
    if (finder === undefined) return bytes;
    const window: Window = { bytes, before: this.#digits, ended };
    const settled = finder.settled(window);
    const { shown, hidden } = maskMatches(bytes, finder.find(window), { to: settled, hidden: this.#hidden });
    this.#digits = digitsBefore(window, settled);
    this.#kept = Buffer.from(bytes.subarray(settled));
    this.#hidden = hidden;
    return shown;
  }
}

/**
 * The bytes up to a place, one mask for each secret, or for secrets that overlap. `hidden` is how many of
 * the first bytes belong to a mask that was shown before; the result tells how many beyond the place do.
 */
export function maskMatches(
  bytes: Buffer,
  matches: readonly Match[],
  { to, hidden }: { to: number; hidden: number },
): { shown: Buffer; hidden: number } {
  const parts: Buffer[] = [];
  let end = hidden;
  for (const match of matches) {
    if (match.start >= to) break;
    if (match.start >= end) parts.push(bytes.subarray(end, match.start), maskBytes);
    end = Math.max(end, match.end);
  }
  if (parts.length === 0 && end === 0) return { shown: bytes.subarray(0, to), hidden: 0 };
  if (end < to) parts.push(bytes.subarray(end, to));
  return { shown: Buffer.concat(parts), hidden: Math.max(0, end - to) };
}

const maskBytes = Buffer.from(mask);
