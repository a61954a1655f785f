const keptBuffers = 6;

/**
 * Memory for pictures, used again and again: the system takes longer to hand out
 * fresh memory of that size than a picture takes to fill it.
 */
export class PixelPool {
  readonly #free: Buffer[] = [];

  /** So many bytes, with whatever was in them. */
  take(size: number): Buffer {
    const index = this.#free.findIndex((buffer) => buffer.length === size);
    return index < 0 ? Buffer.allocUnsafeSlow(size) : (this.#free.splice(index, 1)[0] as Buffer);
  }

  /** Takes memory back that nobody looks at any more; the longest unused goes. */
  give(buffer: Buffer): void {
    this.#free.unshift(buffer);
    this.#free.splice(keptBuffers);
  }

  clear(): void {
    this.#free.length = 0;
  }
}
