import { describe, expect, it } from 'vitest';
import { decodeMessage, encodeCall, messageSize, method, splitSignature, WireError } from './wire.ts';

/** A reply to call 7 as a bus sends it, with a body of one type; the body is aligned to eight bytes. */
function reply(signature: string, body: readonly number[]): Buffer {
  const header = [
    ...[0x6c, 2, 1, 1],
    ...[body.length, 0, 0, 0],
    ...[9, 0, 0, 0],
    ...[14 + signature.length, 0, 0, 0],
    // reply serial
    ...[5, 1, 0x75, 0, 7, 0, 0, 0],
    // signature
    ...[8, 1, 0x67, 0, signature.length, ...Buffer.from(signature), 0],
  ];
  while (header.length % 8 !== 0) header.push(0);
  return Buffer.from([...header, ...body]);
}

function decode(signature: string, body: readonly number[]): unknown[] {
  const bytes = reply(signature, body);
  expect(messageSize(bytes, 0)).toBe(bytes.length);
  const message = decodeMessage(bytes, 0, bytes.length);
  expect(message).toMatchObject({ type: 2, replySerial: 7, errorName: undefined });
  return message.body();
}

describe('a call', () => {
  it('is written as the specification says', () => {
    const called = method('a.b', 'Do', 's', 'hé');
    const bytes = encodeCall('c.d', '/x', called, 258);
    expect([...bytes]).toEqual([
      ...[0x6c, 1, 0, 1],
      ...[8, 0, 0, 0],
      ...[2, 1, 0, 0],
      ...[67, 0, 0, 0],
      ...[6, 1, 0x73, 0, 3, 0, 0, 0, ...Buffer.from('c.d\0'), 0, 0, 0, 0],
      ...[2, 1, 0x73, 0, 3, 0, 0, 0, ...Buffer.from('a.b\0'), 0, 0, 0, 0],
      ...[3, 1, 0x73, 0, 2, 0, 0, 0, ...Buffer.from('Do\0'), 0, 0, 0, 0, 0],
      ...[8, 1, 0x67, 0, 1, 0x73, 0, 0],
      ...[1, 1, 0x6f, 0, 2, 0, 0, 0, ...Buffer.from('/x\0'), 0, 0, 0, 0, 0],
      ...[3, 0, 0, 0, ...Buffer.from('hé\0')],
    ]);
  });

  it('is the same to another destination but for that', () => {
    const called = method('a.b', 'Do');
    const [one, other] = ['c.d', 'c.e'].map((name) => encodeCall(name, '/x', called, 1)) as [Buffer, Buffer];
    expect(one.indexOf('c.d')).toBe(other.indexOf('c.e'));
    expect(other.includes('c.d')).toBe(false);
  });

  it('writes nested values', () => {
    expect([...method('a', 'B', 'v', { signature: 'd', value: 1 }).body]).toEqual([
      ...[1, 0x64, 0, 0, 0, 0, 0, 0],
      ...[0, 0, 0, 0, 0, 0, 0xf0, 0x3f],
    ]);
    expect([...method('a', 'B', 'a(ub)', [[5, true]]).body]).toEqual([
      ...[8, 0, 0, 0, 0, 0, 0, 0],
      ...[5, 0, 0, 0, 1, 0, 0, 0],
    ]);
  });

  it('refuses arguments that do not fit its signature', () => {
    expect(() => method('a', 'B', 'ss', 'one')).toThrow('1 arguments for "ss"');
  });
});

describe('an answer', () => {
  it.each<[string, number[], unknown[]]>([
    ['i', [0xfe, 0xff, 0xff, 0xff], [-2]],
    ['b', [1, 0, 0, 0], [true]],
    ['s', [3, 0, 0, 0, 0x61, 0xc3, 0xa9, 0], ['aé']],
    ['au', [8, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0x80], [[1, 0x80000000]]],
    ['(iiii)', [1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 0xff, 0xff, 0xff, 0xff], [[1, 2, 3, -1]]],
    ['a{sv}', [16, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0x6b, 0, 1, 0x69, 0, 0, 0, 0, 7, 0, 0, 0], [[['k', 7]]]],
    ['ad', [8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xf0, 0x3f], [[1]]],
    ['a(so)', [0, 0, 0, 0, 0, 0, 0, 0], [[]]],
  ])('of type %s is read', (signature, body, expected) => {
    expect(decode(signature, body)).toEqual(expected);
  });

  it('that is an error tells its name', () => {
    const name = 'org.x.Gone';
    const bytes = Buffer.from([
      ...[0x6c, 3, 1, 1, 0, 0, 0, 0, 9, 0, 0, 0, 27, 0, 0, 0],
      ...[5, 1, 0x75, 0, 7, 0, 0, 0],
      ...[4, 1, 0x73, 0, name.length, 0, 0, 0, ...Buffer.from(name), 0, 0, 0, 0, 0, 0],
    ]);
    expect(decodeMessage(bytes, 0, bytes.length)).toMatchObject({ type: 3, replySerial: 7, errorName: name });
  });

  it('is waited for until all of it is there', () => {
    expect(messageSize(Buffer.alloc(15), 0)).toBeUndefined();
    expect(messageSize(reply('i', [1, 0, 0, 0]), 0)).toBe(36);
  });

  it('whose lengths cannot be is refused', () => {
    const bytes = reply('i', [1, 0, 0, 0]);
    bytes.writeUInt32LE(0xfffffff0, 4);
    expect(() => messageSize(bytes, 0)).toThrow(WireError);
    expect(() => decode('au', [200, 0, 0, 0])).toThrow(WireError);
  });
});

describe('splitSignature', () => {
  it('cuts between complete types', () => {
    expect(splitSignature('sa{s(iu)}aau(v)')).toEqual(['s', 'a{s(iu)}', 'aau', '(v)']);
  });

  it('refuses one that does not end', () => {
    expect(() => splitSignature('(ii')).toThrow(WireError);
  });
});
