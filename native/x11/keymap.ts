import type { XDisplay } from './display.ts';

/** A key of the keyboard, and whether Shift is held with it to get a keysym. */
export interface Key {
  code: number;
  shift: boolean;
}

/** The table that gives each key of the keyboard its meanings, at the time of reading. */
export interface Keymap {
  first: number;
  count: number;
  /** Keysyms of one key, of which 0 and 1 are without and with Shift. */
  perKey: number;
  keysyms: number[];
}

export function readKeymap(display: XDisplay): Keymap {
  const { x, pointer } = display;
  const out = Buffer.alloc(16);
  x.XDisplayKeycodes(pointer, out.subarray(0, 4), out.subarray(4, 8));
  const first = out.readInt32LE(0);
  const count = out.readInt32LE(4) - first + 1;
  const list = x.XGetKeyboardMapping(pointer, first, count, out.subarray(8, 12));
  const perKey = out.readInt32LE(8);
  if (list === null) return { first, count: 0, perKey, keysyms: [] };
  const bytes = Buffer.alloc(count * perKey * 8);
  x.memcpy(bytes, list, bytes.length);
  x.XFree(list);
  const keysyms = Array.from({ length: count * perKey }, (_, index) => Number(bytes.readBigUInt64LE(index * 8)));
  return { first, count, perKey, keysyms };
}

/** Keys by the keysym that they give. */
export function keysByKeysym({ first, count, perKey, keysyms }: Keymap): Map<number, Key> {
  const keys = new Map<number, Key>();
  for (const level of [0, 1]) {
    for (let index = 0; index < count; index++) {
      const keysym = keysyms[index * perKey + level] ?? 0;
      if (keysym !== 0 && !keys.has(keysym)) keys.set(keysym, { code: first + index, shift: level === 1 });
    }
  }
  return keys;
}

/** Codes of the keys that mean nothing, which can be borrowed to type other characters. */
export function spareCodes({ first, count, perKey, keysyms }: Keymap): number[] {
  const codes: number[] = [];
  for (let index = 0; index < count; index++) {
    if (keysyms.slice(index * perKey, (index + 1) * perKey).every((keysym) => keysym === 0)) codes.push(first + index);
  }
  return codes;
}

/**
 * Gives keys a meaning, or takes it away with keysym 0, all in one request: each
 * request has every application and the window manager read the keyboard again.
 */
export function assignKeys(display: XDisplay, keymap: Keymap, meanings: ReadonlyMap<number, number>): void {
  if (meanings.size === 0) return;
  const { first, perKey, keysyms } = keymap;
  for (const [code, keysym] of meanings) {
    for (let level = 0; level < perKey; level++) {
      keysyms[(code - first) * perKey + level] = level < 2 ? keysym : 0;
    }
  }
  const low = Math.min(...meanings.keys());
  const high = Math.max(...meanings.keys());
  const table = keysyms.slice((low - first) * perKey, (high - first + 1) * perKey);
  const bytes = Buffer.from(BigUint64Array.from(table, BigInt).buffer);
  display.x.XChangeKeyboardMapping(display.pointer, low, perKey, bytes, high - low + 1);
  display.sync();
}
