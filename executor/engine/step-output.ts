import { closeSync, openSync, writeSync } from 'node:fs';
import type { Masker } from '../../core/masking/masker.ts';
import type { MaskingStream } from '../../core/masking/masking-stream.ts';
import { StepError } from '../action.ts';
import type { OutputWatch } from './continue-on.ts';
import type { OutputCopy } from './output-copy.ts';

/** The most that is kept of an output that becomes a value, in bytes (Dagu's max_output_size). */
export const maxCapturedBytes = 1024 * 1024;

export interface StepOutputOptions {
  /** Whether the output becomes a value. */
  capture: boolean;
  /** Looks at what is written, unmasked. */
  watch?: OutputWatch | undefined;
}

/**
 * One output stream of one try at a step: masked to the end of its log file, which is made at
 * the first byte, and, where the output becomes a value, kept as it is.
 */
export class StepOutput {
  readonly path: string;
  readonly #stream: MaskingStream;
  readonly #options: StepOutputOptions;
  readonly #captured: Buffer[] = [];
  #capturedBytes = 0;
  #file: number | undefined;
  #copy: OutputCopy | undefined;

  constructor(path: string, masker: Masker, options: StepOutputOptions) {
    this.path = path;
    this.#stream = masker.stream();
    this.#options = options;
  }

  /** Gets all that the log file gets from now on, and is closed with it. */
  copyTo(copy: OutputCopy | undefined): void {
    this.#copy = copy;
  }

  write(chunk: Buffer | string): void {
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
    if (this.#options.capture) {
      this.#capturedBytes += bytes.length;
      if (this.#capturedBytes <= maxCapturedBytes) this.#captured.push(bytes);
    }
    this.#options.watch?.push(bytes);
    this.#append(this.#stream.push(bytes));
  }

  /** What was written, as text; `undefined` when it is more than can be kept. */
  captured(): string | undefined {
    return this.#capturedBytes > maxCapturedBytes ? undefined : Buffer.concat(this.#captured).toString('utf8');
  }

  close(): void {
    this.#append(this.#stream.end());
    this.#options.watch?.end();
    this.#copy?.close();
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }

  #append(bytes: Buffer): void {
    if (bytes.length === 0) return;
    this.#file ??= openForAppending(this.path, 0o600);
    writeAll(this.#file, bytes, this.path);
    this.#copy?.write(bytes);
  }
}

/** Opens a file for writing at its end, made where it is missing. Throws a {@link StepError}. */
export function openForAppending(path: string, mode: number): number {
  return orStepError(path, () => openSync(path, 'a', mode));
}

/** Throws a {@link StepError} when the disk takes no more. */
export function writeAll(file: number, bytes: Buffer, path: string): void {
  orStepError(path, () => {
    for (let written = 0; written < bytes.length; ) written += writeSync(file, bytes, written);
  });
}

export function orStepError<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw new StepError(`${path} cannot be written: ${(error as Error).message}`, { cause: error });
  }
}
