/**
 * A two-way stream of messages to one other process or thread, whatever carries
 * it: Node's IPC, Electron's message ports, a worker, or memory in a test.
 * Messages are structured-cloned, so bytes travel as Uint8Array.
 */
export interface Channel {
  /** Sends one message; silently dropped when the other side is gone, which `onClose` reports. */
  send(message: unknown): void;
  onMessage(listener: (message: unknown) => void): void;
  /** Called once, with a reason in words, when the other side can no longer be reached. */
  onClose(listener: (reason: string) => void): void;
  /** Ends this side; the other side sees a close. */
  close(): void;
}

/** Two channels that are each other's ends, for tests and for a driver in the same process. */
export function channelPair(): [Channel, Channel] {
  const left = new MemoryChannel();
  const right = new MemoryChannel();
  left.peer = right;
  right.peer = left;
  return [left, right];
}

class MemoryChannel implements Channel {
  peer: MemoryChannel | undefined;
  readonly #messages: ((message: unknown) => void)[] = [];
  readonly #closes: ((reason: string) => void)[] = [];
  #open = true;

  send(message: unknown): void {
    const copy = structuredClone(message);
    queueMicrotask(() => this.peer?.receive(copy));
  }

  receive(message: unknown): void {
    if (!this.#open) return;
    for (const listener of this.#messages) listener(message);
  }

  onMessage(listener: (message: unknown) => void): void {
    this.#messages.push(listener);
  }

  onClose(listener: (reason: string) => void): void {
    this.#closes.push(listener);
  }

  close(): void {
    this.end('closed');
    this.peer?.end('the other side closed');
  }

  end(reason: string): void {
    if (!this.#open) return;
    this.#open = false;
    for (const listener of this.#closes) listener(reason);
  }
}
