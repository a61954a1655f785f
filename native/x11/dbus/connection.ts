import { createConnection, type Socket } from 'node:net';
import { decodeMessage, encodeCall, type Incoming, type Method, messageSize, messageTypes, method } from './wire.ts';

/** A program on the bus, or the bus itself, refused a call or did not answer it. */
export class BusError extends Error {
  /** The error's D-Bus name, or `timeout`, or `closed`. */
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.name = 'BusError';
    this.code = code;
  }
}

const hello = method('org.freedesktop.DBus', 'Hello');
const hasOwner = (name: string) => method('org.freedesktop.DBus', 'NameHasOwner', 's', name);
const pidOf = (name: string) => method('org.freedesktop.DBus', 'GetConnectionUnixProcessID', 's', name);
const sweepMs = 50;
const connectMs = 5_000;

interface Pending {
  resolve(body: unknown[]): void;
  reject(error: BusError): void;
  called: Method;
  deadline: number;
}

/**
 * A connection to a D-Bus bus that makes method calls. Calls made in one go leave in
 * one write and are answered as they come.
 */
export class BusConnection {
  readonly #socket: Socket;
  readonly #pending = new Map<number, Pending>();
  #serial = 1;
  #outgoing: Buffer[] = [];
  #incoming: Buffer = Buffer.alloc(0);
  #sweeper: NodeJS.Timeout | undefined;
  #closedWith: string | undefined;

  private constructor(socket: Socket) {
    this.#socket = socket;
  }

  /**
   * Connects to the first address of a list that answers. With `peer` the other side is
   * one program rather than a bus.
   *
   * @throws BusError `closed` when none does
   */
  static async open(addresses: string, { peer } = { peer: false }): Promise<BusConnection> {
    let failure: BusError | undefined;
    for (const address of addresses.split(';')) {
      const path = socketPath(address);
      if (path === undefined) continue;
      try {
        const connection = new BusConnection(await authenticate(path));
        connection.#listen();
        if (!peer) await connection.bus(hello);
        return connection;
      } catch (error) {
        failure = new BusError('closed', `no connection to the bus at ${address}: ${(error as Error).message}`);
      }
    }
    throw failure ?? new BusError('closed', `no bus address that can be used here: ${addresses}`);
  }

  get isOpen(): boolean {
    return this.#closedWith === undefined;
  }

  /**
   * Calls a method of an object and gives the values that it returns.
   *
   * @throws BusError
   */
  call(destination: string, path: string, called: Method, timeoutMs: number): Promise<unknown[]> {
    return new Promise((resolve, reject) => {
      if (this.#closedWith !== undefined) return reject(new BusError('closed', this.#closedWith));
      const serial = this.#serial;
      this.#serial = serial === 0xffffffff ? 1 : serial + 1;
      this.#pending.set(serial, { resolve, reject, called, deadline: performance.now() + timeoutMs });
      this.#sweeper ??= setInterval(() => this.#sweep(), sweepMs);
      if (this.#outgoing.push(encodeCall(destination, path, called, serial)) === 1) {
        process.nextTick(() => this.#flush());
      }
    });
  }

  /** Calls the bus itself. */
  bus(called: Method): Promise<unknown[]> {
    return this.call('org.freedesktop.DBus', '/org/freedesktop/DBus', called, connectMs);
  }

  /** Whether a program is there under a name; asking does not start it. */
  async has(name: string): Promise<boolean> {
    return (await this.bus(hasOwner(name)))[0] === true;
  }

  /** The process behind a name on the bus. */
  async processOf(name: string): Promise<number> {
    return (await this.bus(pidOf(name)))[0] as number;
  }

  close(): void {
    this.#end('the connection was closed');
    this.#socket.destroy();
  }

  #listen(): void {
    this.#socket.on('data', (bytes: Buffer) => this.#receive(bytes));
    this.#socket.on('error', (error) => this.#end(error.message));
    this.#socket.on('close', () => this.#end('the bus closed the connection'));
  }

  #flush(): void {
    const messages = this.#outgoing;
    this.#outgoing = [];
    if (this.#closedWith === undefined) this.#socket.write(Buffer.concat(messages));
  }

  #receive(bytes: Buffer): void {
    const all = this.#incoming.length === 0 ? bytes : Buffer.concat([this.#incoming, bytes]);
    let at = 0;
    try {
      for (;;) {
        const size = messageSize(all, at);
        if (size === undefined || all.length - at < size) break;
        this.#answer(decodeMessage(all, at, size));
        at += size;
      }
    } catch (error) {
      this.#end((error as Error).message);
      this.#socket.destroy();
      return;
    }
    this.#incoming = all.subarray(at);
  }

  #answer(message: Incoming): void {
    const waiting = this.#pending.get(message.replySerial);
    if (waiting === undefined) return; // a signal, or too late
    this.#remove(message.replySerial);
    if (message.type === messageTypes.error) {
      const text = message.body()[0];
      const code = message.errorName ?? 'error';
      waiting.reject(new BusError(code, `${waiting.called.member}: ${typeof text === 'string' ? text : code}`));
    } else {
      waiting.resolve(message.body());
    }
  }

  #remove(serial: number): void {
    this.#pending.delete(serial);
    if (this.#pending.size > 0) return;
    clearInterval(this.#sweeper);
    this.#sweeper = undefined;
  }

  #sweep(): void {
    const now = performance.now();
    for (const [serial, { deadline, reject, called }] of this.#pending) {
      if (deadline > now) continue;
      this.#remove(serial);
      reject(new BusError('timeout', `${called.member}: no answer in time`));
    }
  }

  #end(reason: string): void {
    if (this.#closedWith !== undefined) return;
    this.#closedWith = reason;
    for (const [serial, { reject }] of this.#pending) {
      this.#remove(serial);
      reject(new BusError('closed', reason));
    }
  }
}

/** Path of a bus' socket; undefined for a kind of address that this does not connect to. */
export function socketPath(address: string): string | undefined {
  const [kind, rest = ''] = address.split(/:(.*)/s);
  if (kind !== 'unix') return undefined;
  const values = new Map(rest.split(',').map((pair) => pair.split(/=(.*)/s).slice(0, 2) as [string, string]));
  const path = values.get('path');
  if (path !== undefined) return decodeURIComponent(path);
  const abstract = values.get('abstract');
  return abstract === undefined ? undefined : `\0${decodeURIComponent(abstract)}`;
}

/** Connects and says who this is, as the kernel confirms it. */
function authenticate(path: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = createConnection(path);
    const fail = (error: Error) => {
      socket.destroy();
      reject(error);
    };
    socket.setTimeout(connectMs, () => fail(new Error('it did not answer')));
    socket.once('error', fail);
    const user = Buffer.from(String(process.getuid?.() ?? 0)).toString('hex');
    socket.write(`\0AUTH EXTERNAL ${user}\r\n`);
    let answer = '';
    socket.on('data', function listen(bytes: Buffer) {
      answer += bytes.toString('latin1');
      if (!answer.includes('\r\n')) return;
      socket.off('data', listen);
      socket.setTimeout(0);
      if (!answer.startsWith('OK ')) return fail(new Error(`it refused this user: ${answer.trim()}`));
      socket.write('BEGIN\r\n');
      resolve(socket);
    });
  });
}
