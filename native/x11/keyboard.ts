import { setTimeout as sleep } from 'node:timers/promises';
import { CallError } from '../../core/contract/protocol.ts';
import { parseChord, UnknownKey } from '../../core/workflow/keys.ts';
import type { Devices } from './devices.ts';
import type { XDisplay } from './display.ts';
import type { Focus } from './focus.ts';
import { coreKeyboard, type Key, keysByKeysym, readKeymap, spareCodes } from './keymap.ts';
import { capsLockKeysym, keysymOfCharacter, keysymOfKey, shiftKeysym } from './keysyms.ts';
import type { XWindow } from './windows.ts';

const lockMask = 1 << 1;
/** Between two keys, in milliseconds: applications drop keys that come faster than they draw. */
const betweenKeysMs = 1;
const chordStepMs = 8;

/** What a text of a batch is typed with. */
interface Batch {
  characters: string[];
  /** Keysyms that no key has, by the spare key that gets them. */
  meanings: Map<number, number>;
}

/** Types text and presses chords, only while the window that they are for has the focus. */
export class Keyboard {
  readonly #display: XDisplay;
  readonly #devices: Devices;
  readonly #focus: Focus;

  constructor(display: XDisplay, devices: Devices, focus: Focus) {
    this.#display = display;
    this.#devices = devices;
    this.#focus = focus;
  }

  /**
   * Types text. Characters that no key gives are put on spare keys, as many at once
   * as there are, which get their own meaning back at the end.
   *
   * @throws CallError `wrong_focus` as soon as the window has not the focus; `no_lease`
   */
  async type(text: string, window: XWindow): Promise<void> {
    this.#devices.assertLease();
    this.#focus.assert(window);
    const characters = [...text.replaceAll('\r\n', '\n').replaceAll('\r', '\n')];
    await this.#inPlainState(async () => {
      const keymap = readKeymap(this.#display);
      const keys = keysByKeysym(keymap);
      try {
        for (const batch of batches(characters, keys, spareCodes(keymap))) await this.#typeBatch(batch, keys, window);
      } finally {
        this.#devices.giveBack();
      }
    });
  }

  /**
   * Presses the keys of a chord in their order and lets them up in reverse.
   *
   * @throws CallError `bad_key`, `wrong_focus`, `no_lease`
   */
  async press(chord: string, window: XWindow): Promise<void> {
    this.#devices.assertLease();
    const codes = this.#codesOf(chord);
    this.#focus.assert(window);
    await this.hold(codes, async () => undefined);
    await this.#focus.settle(window);
  }

  /** Codes of the keys to hold for modifiers by name. */
  modifierCodes(names: readonly string[]): number[] {
    return names.flatMap((name) => this.#codesOf(name));
  }

  /** Holds keys while something is done; they come up again whatever comes of it. */
  async hold(codes: readonly number[], during: () => Promise<void>): Promise<void> {
    const down: number[] = [];
    try {
      for (const code of codes) {
        down.push(code);
        this.#devices.key(code, true);
        await sleep(chordStepMs);
      }
      await during();
    } finally {
      for (const code of down.reverse()) this.#devices.key(code, false);
    }
  }

  #codesOf(chord: string): number[] {
    const keys = keysByKeysym(readKeymap(this.#display));
    const found = (name: string): Key => {
      const key = keys.get(keysymOfKey(name));
      if (key === undefined) throw new CallError('bad_key', `this keyboard has no key "${name}"`, { key: name });
      return key;
    };
    try {
      const names = parseChord(chord).keys;
      const pressed = names.map(found);
      const needsShift = pressed.some((key) => key.shift) && !names.includes('shift');
      return [...(needsShift ? [found('shift').code] : []), ...pressed.map((key) => key.code)];
    } catch (error) {
      if (error instanceof UnknownKey) throw new CallError('bad_key', error.message, { key: error.key });
      throw error;
    }
  }

  async #typeBatch(batch: Batch, keys: Map<number, Key>, window: XWindow): Promise<void> {
    if (batch.meanings.size > 0) {
      this.#devices.borrow(batch.meanings);
      // The application reads the new table when it gets to the notice, not before.
      await this.#focus.settle(window);
    }
    const borrowed = new Map([...batch.meanings].map(([code, keysym]) => [keysym, { code, shift: false }]));
    const shift = keys.get(shiftKeysym)?.code;
    for (const character of batch.characters) {
      this.#focus.assert(window);
      const keysym = keysymOfCharacter(character);
      const key = keys.get(keysym) ?? borrowed.get(keysym);
      if (key === undefined) continue; // not reached: each keysym of a batch has a key or a spare one
      if (key.shift && shift !== undefined) this.#devices.key(shift, true);
      try {
        this.#devices.key(key.code, true);
        this.#devices.key(key.code, false);
      } finally {
        if (key.shift && shift !== undefined) this.#devices.key(shift, false);
      }
      await sleep(betweenKeysMs);
    }
    await this.#focus.settle(window);
  }

  /** Caps Lock or a second layout would turn the keys into other characters. */
  async #inPlainState(run: () => Promise<void>): Promise<void> {
    const { x, pointer } = this.#display;
    const state = Buffer.alloc(32);
    x.XkbGetState(pointer, coreKeyboard, state);
    const [group = 0, lockedGroup = 0] = state;
    const capsLock = (this.#display.pointerMask() & lockMask) !== 0;
    if (group !== 0) x.XkbLockGroup(pointer, coreKeyboard, 0);
    if (capsLock) this.#tapCapsLock();
    try {
      await run();
    } finally {
      if (capsLock) this.#tapCapsLock();
      if (group !== 0) x.XkbLockGroup(pointer, coreKeyboard, lockedGroup);
      this.#display.sync();
    }
  }

  #tapCapsLock(): void {
    const key = keysByKeysym(readKeymap(this.#display)).get(capsLockKeysym);
    if (key === undefined) return;
    this.#devices.key(key.code, true);
    this.#devices.key(key.code, false);
  }
}

/**
 * Cuts text into parts that need no more spare keys than there are.
 *
 * @throws CallError `failed` when a character needs a spare key and the keyboard has none
 */
export function batches(
  characters: readonly string[],
  keys: ReadonlyMap<number, Key>,
  spare: readonly number[],
): Batch[] {
  const all: Batch[] = [];
  let batch: Batch = { characters: [], meanings: new Map() };
  let given = new Set<number>();
  for (const character of characters) {
    const keysym = keysymOfCharacter(character);
    if (!keys.has(keysym) && !given.has(keysym)) {
      if (spare.length === 0) {
        throw new CallError('failed', `this keyboard has no key for "${character}" and no spare key to put it on`);
      }
      if (given.size === spare.length) {
        all.push(batch);
        batch = { characters: [], meanings: new Map() };
        given = new Set();
      }
      batch.meanings.set(spare[given.size] as number, keysym);
      given.add(keysym);
    }
    batch.characters.push(character);
  }
  if (batch.characters.length > 0) all.push(batch);
  return all;
}
