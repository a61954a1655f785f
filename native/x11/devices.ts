import { CallError } from '../../core/contract/protocol.ts';
import type { DesktopLease, Down } from '../lease.ts';
import type { XDisplay } from './display.ts';
import { assignKeys } from './keymap.ts';

/**
 * The display's keyboard and pointer buttons. What goes down is noted beside the
 * lease before it does, so that it comes up again whatever happens to this process.
 */
export class Devices {
  readonly #display: XDisplay;
  readonly #lease: DesktopLease;
  readonly #keys = new Set<number>();
  readonly #buttons = new Set<number>();
  #borrowed: readonly number[] = [];
  /** How often all input was stopped, and how often when the act that is going on was asked for. */
  #stops = 0;
  #askedAt = -1;

  constructor(display: XDisplay, lease: DesktopLease) {
    this.#display = display;
    this.#lease = lease;
  }

  /** @throws CallError `no_lease` */
  assertLease(): void {
    if (!this.#lease.isHeld) {
      throw new CallError('no_lease', 'input needs the desktop: take the lease first');
    }
  }

  /** A ticket for an act of input that is asked for now and may have to wait for others. */
  ask(): number {
    this.assertLease();
    return this.#stops;
  }

  /** Begins an act, which {@link releaseAll} ends, also when that came while it waited. */
  begin(ticket: number): void {
    this.#askedAt = ticket;
    this.#assertGoing();
  }

  key(code: number, down: boolean): void {
    this.#change(this.#keys, code, down, () => {
      this.#display.x.XTestFakeKeyEvent(this.#display.pointer, code, down ? 1 : 0, 0);
    });
  }

  button(button: number, down: boolean): void {
    this.#change(this.#buttons, button, down, () => {
      this.#display.x.XTestFakeButtonEvent(this.#display.pointer, button, down ? 1 : 0, 0);
    });
  }

  move(x: number, y: number): void {
    this.#assertGoing();
    this.#display.x.XTestFakeMotionEvent(this.#display.pointer, -1, Math.round(x), Math.round(y), 0);
    this.#display.sync();
  }

  /** Gives spare keys a meaning each, by code. Those that were borrowed before keep theirs unless given another. */
  borrow(meanings: ReadonlyMap<number, number>): void {
    this.#assertGoing();
    this.#borrowed = [...new Set([...this.#borrowed, ...meanings.keys()])];
    this.#note();
    assignKeys(this.#display, meanings);
  }

  /** Takes the meaning of all borrowed keys away again. */
  giveBack(): void {
    if (this.#borrowed.length === 0) return;
    assignKeys(this.#display, new Map(this.#borrowed.map((code) => [code, 0])));
    this.#borrowed = [];
    this.#note();
  }

  /** Stops the act that is going on and those that wait, and lets up all that this process has down, the latest first. */
  releaseAll(): void {
    this.#stops++;
    if (this.#keys.size + this.#buttons.size === 0) return;
    this.#letUp({ keys: [...this.#keys].reverse(), buttons: [...this.#buttons].reverse(), borrowed: [] });
    this.#keys.clear();
    this.#buttons.clear();
    this.#note();
  }

  /** Puts right what a process that died while it held the lease left behind. */
  tidyUp(left: Down): void {
    this.#letUp(left);
    assignKeys(this.#display, new Map(left.borrowed.map((code) => [code, 0])));
  }

  #change(set: Set<number>, code: number, down: boolean, send: () => void): void {
    if (down) this.#assertGoing();
    // A stop let it up already.
    if (!down && !set.has(code)) return;
    // Noted before it goes down, and forgotten after it came up: never the other way round.
    if (down) {
      set.add(code);
      this.#note();
    }
    send();
    this.#display.sync();
    if (!down) {
      set.delete(code);
      this.#note();
    }
  }

  #assertGoing(): void {
    this.assertLease();
    if (this.#askedAt !== this.#stops) throw new CallError('failed', 'the input was stopped before all of it was sent');
  }

  #letUp({ keys, buttons }: Down): void {
    const { x, pointer } = this.#display;
    for (const button of buttons) x.XTestFakeButtonEvent(pointer, button, 0, 0);
    for (const key of keys) x.XTestFakeKeyEvent(pointer, key, 0, 0);
    this.#display.sync();
  }

  #note(): void {
    if (!this.#lease.isHeld) return;
    this.#lease.note({ keys: [...this.#keys], buttons: [...this.#buttons], borrowed: this.#borrowed });
  }
}
