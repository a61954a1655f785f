import koffi from 'koffi';
import { CallError } from '../../core/contract/protocol.ts';
import type { XDisplay } from './display.ts';

export const coreKeyboard = 0x100;
const keyTypes = 1 << 0;
const keySyms = 1 << 1;
const firstGroup = 1 << 0;
/** The first of XKB's types: no modifier matters. */
const oneLevel = Buffer.alloc(4);

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
 * Gives keys one meaning each, whatever modifier is held, or takes it away with keysym
 * 0, all in one request: each request has every application and the window manager
 * read the keyboard again. The other keys are sent back as they came, in XKB's own
 * form; the older form would flatten their levels and groups.
 *
 * @throws CallError `failed` when the server has no XKB
 */
export function assignKeys(display: XDisplay, meanings: ReadonlyMap<number, number>): void {
  if (meanings.size === 0) return;
  const { x, pointer } = display;
  const map = x.XkbGetMap(pointer, keyTypes | keySyms, coreKeyboard);
  if (map === null) throw new CallError('failed', 'this X server does not tell how its keyboard is laid out');
  for (const [code, keysym] of meanings) {
    x.XkbChangeTypesOfKey(map, code, keysym === 0 ? 0 : 1, firstGroup, oneLevel, null);
    if (keysym !== 0) koffi.encode(x.XkbResizeKeySyms(map, code, 1), 'ulong', keysym);
  }
  const [low, high] = [Math.min(...meanings.keys()), Math.max(...meanings.keys())];
  // XkbMapChangesRec: what changed, the range of codes (twice: of the map, of the keysyms)
  const changes = Buffer.alloc(32);
  changes.writeUInt16LE(keySyms, 0);
  changes.set([low, high, 0, 0, low, high - low + 1], 2);
  x.XkbChangeMap(pointer, map, changes);
  x.XkbFreeKeyboard(map, keyTypes | keySyms, 1);
  display.sync();
}
