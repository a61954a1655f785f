/**
 * The part of D-Bus' wire format that a client of method calls needs
 * (dbus.freedesktop.org/doc/dbus-specification.html). Little endian only, which is
 * what a bus on the same machine speaks here.
 */

export const messageTypes = { call: 1, reply: 2, error: 3, signal: 4 } as const;
const fieldCodes = {
  path: 1,
  interface: 2,
  member: 3,
  errorName: 4,
  replySerial: 5,
  destination: 6,
  signature: 8,
} as const;

/** A message broke the format: the stream cannot be read any further. */
export class WireError extends Error {
  constructor(message: string) {
    super(`D-Bus: ${message}`);
    this.name = 'WireError';
  }
}

/** Writes values one after another with the padding that their types need. */
class Writer {
  #buffer = Buffer.alloc(256);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  result(): Buffer {
    return Buffer.from(this.#buffer.subarray(0, this.#length));
  }

  align(size: number): void {
    this.#reserve(size);
    while (this.#length % size !== 0) this.#buffer[this.#length++] = 0;
  }

  byte(value: number): void {
    this.#reserve(1);
    this.#buffer[this.#length++] = value;
  }

  uint32(value: number): void {
    this.align(4);
    this.#reserve(4);
    this.#length = this.#buffer.writeUInt32LE(value, this.#length);
  }

  int32(value: number): void {
    this.align(4);
    this.#reserve(4);
    this.#length = this.#buffer.writeInt32LE(value, this.#length);
  }

  double(value: number): void {
    this.align(8);
    this.#reserve(8);
    this.#length = this.#buffer.writeDoubleLE(value, this.#length);
  }

  string(text: string): void {
    const size = Buffer.byteLength(text);
    this.uint32(size);
    this.#text(text, size);
  }

  signature(text: string): void {
    this.byte(text.length);
    this.#text(text, text.length);
  }

  /** Fills in the length of an array whose items were written since `start`. */
  setLength(at: number, start: number): void {
    this.#buffer.writeUInt32LE(this.#length - start, at);
  }

  #text(text: string, size: number): void {
    this.#reserve(size + 1);
    this.#buffer.write(text, this.#length);
    this.#length += size;
    this.#buffer[this.#length++] = 0;
  }

  #reserve(size: number): void {
    // Padding is at most seven bytes more.
    if (this.#length + size + 8 <= this.#buffer.length) return;
    const larger = Buffer.alloc((this.#length + size + 8) * 2);
    this.#buffer.copy(larger, 0, 0, this.#length);
    this.#buffer = larger;
  }
}

/** A value to write with its type, where a variant is asked for. */
export interface Variant {
  signature: string;
  value: unknown;
}

/** One method with its arguments, ready to be sent to any object of any program. */
export interface Method {
  interface: string;
  member: string;
  signature: string;
  body: Buffer;
  /** The header's fields but for the path, by destination. */
  readonly headers: Map<string, Buffer>;
}

/** Prepares a call; keep and reuse what does not change, it saves most of the work. */
export function method(interfaceName: string, member: string, signature = '', ...args: unknown[]): Method {
  const writer = new Writer();
  const types = splitSignature(signature);
  if (types.length !== args.length) throw new TypeError(`${member}: ${args.length} arguments for "${signature}"`);
  for (const [index, type] of types.entries()) writeValue(writer, type, args[index]);
  return { interface: interfaceName, member, signature, body: writer.result(), headers: new Map() };
}

/** A whole method call. */
export function encodeCall(destination: string, path: string, called: Method, serial: number): Buffer {
  let fields = called.headers.get(destination);
  if (fields === undefined) {
    fields = staticFields(destination, called);
    called.headers.set(destination, fields);
  }
  // Paths are ASCII. The path comes last, so that what stands before it never changes.
  const pathEnd = 16 + fields.length + 8 + path.length + 1;
  const bodyStart = (pathEnd + 7) & ~7;
  const message = Buffer.alloc(bodyStart + called.body.length);
  message[0] = 0x6c; // 'l'
  message[1] = messageTypes.call;
  message[3] = 1;
  message.writeUInt32LE(called.body.length, 4);
  message.writeUInt32LE(serial, 8);
  message.writeUInt32LE(pathEnd - 16, 12);
  message.set(fields, 16);
  const at = 16 + fields.length;
  message[at] = fieldCodes.path;
  message[at + 1] = 1;
  message[at + 2] = 0x6f; // 'o'
  message.writeUInt32LE(path.length, at + 4);
  message.write(path, at + 8, 'latin1');
  message.set(called.body, bodyStart);
  return message;
}

/** Header fields that stay the same for a method and a destination, padded to eight bytes. */
function staticFields(destination: string, { interface: interfaceName, member, signature }: Method): Buffer {
  const writer = new Writer();
  const field = (code: number, type: string, value: string) => {
    writer.align(8);
    writer.byte(code);
    writer.signature(type);
    if (type === 'g') writer.signature(value);
    else writer.string(value);
  };
  field(fieldCodes.destination, 's', destination);
  field(fieldCodes.interface, 's', interfaceName);
  field(fieldCodes.member, 's', member);
  if (signature !== '') field(fieldCodes.signature, 'g', signature);
  writer.align(8);
  return writer.result();
}

type Write = (writer: Writer, value: never, type: string) => void;

const writers: Record<string, Write> = {
  s: (writer, value: string) => writer.string(value),
  o: (writer, value: string) => writer.string(value),
  g: (writer, value: string) => writer.signature(value),
  i: (writer, value: number) => writer.int32(value),
  u: (writer, value: number) => writer.uint32(value),
  b: (writer, value: boolean) => writer.uint32(value ? 1 : 0),
  y: (writer, value: number) => writer.byte(value),
  d: (writer, value: number) => writer.double(value),
  v: (writer, { signature, value }: Variant) => {
    writer.signature(signature);
    writeValue(writer, signature, value);
  },
  a: (writer, items: unknown[], type) => writeArray(writer, type.slice(1), items),
  '(': (writer, fields: unknown[], type) => {
    writer.align(8);
    for (const [index, inner] of splitSignature(type.slice(1, -1)).entries()) writeValue(writer, inner, fields[index]);
  },
};

function writeValue(writer: Writer, type: string, value: unknown): void {
  const write = writers[type[0] as string];
  if (write === undefined) throw new TypeError(`D-Bus: the type "${type}" is not written here`);
  write(writer, value as never, type);
}

function writeArray(writer: Writer, type: string, items: readonly unknown[]): void {
  writer.uint32(0);
  const at = writer.length - 4;
  if ('({dxt'.includes(type[0] as string)) writer.align(8);
  const start = writer.length;
  for (const item of items) writeValue(writer, type, item);
  writer.setLength(at, start);
}

/** What a client needs of a message that arrived. */
export interface Incoming {
  type: number;
  replySerial: number;
  errorName: string | undefined;
  /** Reads the body; arrays and structs are arrays, variants their values, dictionaries arrays of pairs. */
  body(): unknown[];
}

/** Size of the message at the start of the bytes; undefined while too few arrived to tell. */
export function messageSize(bytes: Buffer, at: number): number | undefined {
  if (bytes.length - at < 16) return undefined;
  if (bytes[at] !== 0x6c) throw new WireError('a message of another byte order');
  const fields = bytes.readUInt32LE(at + 12);
  const body = bytes.readUInt32LE(at + 4);
  if (fields > maxSize || body > maxSize) throw new WireError('a message larger than messages may be');
  return 16 + ((fields + 7) & ~7) + body;
}

const maxSize = 128 * 1024 * 1024;

/** Reads the whole message of `size` bytes at a place; its body only when asked for. */
export function decodeMessage(bytes: Buffer, start: number, size: number): Incoming {
  const end = start + 16 + bytes.readUInt32LE(start + 12);
  let replySerial = 0;
  let errorName: string | undefined;
  let signature = '';
  let at = start + 16;
  while (at < end) {
    const code = bytes[at];
    const type = bytes[at + 2];
    at += 4;
    if (type === 0x75 /* u */) {
      if (code === fieldCodes.replySerial) replySerial = bytes.readUInt32LE(at);
      at += 4;
    } else if (type === 0x67 /* g */) {
      const length = bytes[at] as number;
      if (code === fieldCodes.signature) signature = bytes.toString('latin1', at + 1, at + 1 + length);
      at += length + 2;
    } else {
      const length = bytes.readUInt32LE(at);
      if (code === fieldCodes.errorName) errorName = bytes.toString('latin1', at + 4, at + 4 + length);
      at += length + 5;
    }
    // Fields are aligned to eight bytes from the message's start.
    at = start + ((at - start + 7) & ~7);
  }
  return {
    type: bytes[start + 1] as number,
    replySerial,
    errorName,
    body: () => {
      if (signature === '') return [];
      const from = start + ((end - start + 7) & ~7);
      const reader = new Reader(bytes.subarray(from, start + size));
      return compiled(signature).map((read) => read(reader));
    },
  };
}

class Reader {
  readonly bytes: Buffer;
  at = 0;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }

  align(size: number): void {
    this.at = (this.at + size - 1) & ~(size - 1);
  }

  uint32(): number {
    this.align(4);
    const value = this.bytes.readUInt32LE(this.at);
    this.at += 4;
    return value;
  }

  text(length: number): string {
    const value = this.bytes.toString('utf8', this.at, this.at + length);
    this.at += length + 1;
    return value;
  }
}

type Read = (reader: Reader) => unknown;

const compiledSignatures = new Map<string, Read[]>();

function compiled(signature: string): Read[] {
  let readers = compiledSignatures.get(signature);
  if (readers === undefined) {
    readers = splitSignature(signature).map(compile);
    compiledSignatures.set(signature, readers);
  }
  return readers;
}

function compile(type: string): Read {
  switch (type[0]) {
    case 'y':
      return (reader) => reader.bytes[reader.at++];
    case 'b':
      return (reader) => reader.uint32() !== 0;
    case 'n':
    case 'q':
      return (reader) => {
        reader.align(2);
        reader.at += 2;
        return type === 'n' ? reader.bytes.readInt16LE(reader.at - 2) : reader.bytes.readUInt16LE(reader.at - 2);
      };
    case 'i':
      return (reader) => reader.uint32() | 0;
    case 'u':
    case 'h':
      return (reader) => reader.uint32();
    case 'x':
    case 't':
    case 'd':
      return readEight(type);
    case 's':
    case 'o':
      return (reader) => reader.text(reader.uint32());
    case 'g':
      return (reader) => reader.text(reader.bytes[reader.at++] as number);
    case 'v':
      return (reader) => {
        const signature = reader.text(reader.bytes[reader.at++] as number);
        return compiled(signature)[0]?.(reader);
      };
    case 'a':
      return compileArray(type.slice(1));
    case '(':
    case '{': {
      const fields = splitSignature(type.slice(1, -1)).map(compile);
      return (reader) => {
        reader.align(8);
        return fields.map((read) => read(reader));
      };
    }
    default:
      throw new WireError(`the type "${type}" is not known`);
  }
}

function readEight(type: string): Read {
  return (reader) => {
    reader.align(8);
    reader.at += 8;
    const { bytes, at } = reader;
    if (type === 'd') return bytes.readDoubleLE(at - 8);
    return Number(type === 'x' ? bytes.readBigInt64LE(at - 8) : bytes.readBigUInt64LE(at - 8));
  };
}

function compileArray(type: string): Read {
  const read = compile(type);
  const alignment = '({dxt'.includes(type[0] as string) ? 8 : 1;
  return (reader) => {
    const length = reader.uint32();
    reader.align(alignment);
    const end = reader.at + length;
    if (end > reader.bytes.length) throw new WireError('an array runs past its message');
    const items: unknown[] = [];
    while (reader.at < end) items.push(read(reader));
    return items;
  };
}

/** The complete types that a signature lists. */
export function splitSignature(signature: string): string[] {
  const types: string[] = [];
  let start = 0;
  while (start < signature.length) {
    const end = typeEnd(signature, start);
    types.push(signature.slice(start, end));
    start = end;
  }
  return types;
}

function typeEnd(signature: string, at: number): number {
  const type = signature[at];
  if (type === 'a') return typeEnd(signature, at + 1);
  if (type !== '(' && type !== '{') return at + 1;
  const close = type === '(' ? ')' : '}';
  let end = at + 1;
  while (signature[end] !== close) {
    if (end >= signature.length) throw new WireError(`the signature "${signature}" does not end`);
    end = typeEnd(signature, end);
  }
  return end + 1;
}
