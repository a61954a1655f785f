import { randomBytes } from 'node:crypto';

const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** A new run's id: a UUID of version 7, which sorts by time, as 22 digits of base 62. */
export function newRunId(now = Date.now(), random = randomBytes(10)): string {
  const bytes = Buffer.alloc(16);
  bytes.writeUIntBE(now, 0, 6);
  random.copy(bytes, 6);
  bytes[6] = 0x70 | ((bytes[6] as number) & 0x0f);
  bytes[8] = 0x80 | ((bytes[8] as number) & 0x3f);
  let value = BigInt(`0x${bytes.toString('hex')}`);
  let id = '';
  while (id.length < 22) {
    id = digits[Number(value % 62n)] + id;
    value /= 62n;
  }
  return id;
}
