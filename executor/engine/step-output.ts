import { closeSync, openSync, writeSync } from 'node:fs';
import type { Masker, MaskingStream } from '../../core/masking/masker.ts';
import { StepError } from '../action.ts';

/** The most that is kept of an output that becomes a value, in bytes (Dagu's max_output_size). */
export const maxCapturedBytes = 1024 * 1024;

/**
 * One output stream of a step: masked into its file, which is made at the first byte,
 * and, where the output becomes a value, kept as it is.
 */
export class StepOutput {
  readonly path: string;
  readonly #stream: MaskingStream;
  readonly #captured: Buffer[] = [];
  readonly #capture: boolean;
  #capturedBytes = 0;
  #file: number | undefined;

  constructor(path: string, masker: Masker, { capture }: { capture: boolean }) {
    this.path = path;
    this.#stream = masker.stream();
    this.#capture = capture;
  }

  /** Whether anything was written to the file. */
  get used(): boolean {
    return this.#file !== undefined;
  }

  write(chunk: Buffer | string): void {
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
    if (this.#capture) {
      this.#capturedBytes += bytes.length;
      if (this.#capturedBytes <= maxCapturedBytes) this.#captured.push(bytes);
    }
    this.#append(this.#stream.push(bytes));
  }

  /** What was written, as text; `undefined` when it is more than can be kept. */
  captured(): string | undefined {
    return this.#capturedBytes > maxCapturedBytes ? undefined : Buffer.concat(this.#captured).toString('utf8');
  }

  close(): void {
    this.#append(this.#stream.end());
    if (this.#file !== undefined) closeSync(this.#file);
  }

  #append(bytes: Buffer): void {
    if (bytes.length === 0) return;
    try {
      this.#file ??= openSync(this.path, 'a', 0o600);
      let written = 0;
      while (written < bytes.length) written += writeSync(this.#file, bytes, written);
    } catch (error) {
      throw new StepError(`${this.path} cannot be written: ${(error as Error).message}`, { cause: error });
    }
  }
}
