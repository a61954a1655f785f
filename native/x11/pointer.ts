import { setTimeout as sleep } from 'node:timers/promises';
import type { Point } from '../desktop.ts';
import type { Devices } from './devices.ts';
import type { Keyboard } from './keyboard.ts';

const buttons = { left: 1, middle: 2, right: 3 } as const;
export type Button = keyof typeof buttons;

const wheel = { up: 4, down: 5, left: 6, right: 7 } as const;
/** Between the steps of a click, in milliseconds: applications react to the pointer before the button. */
const stepMs = 30;
/** Between wheel notches, in milliseconds. */
const notchMs = 15;

/** The pointer and its buttons. Each call needs the lease. */
export class Pointer {
  readonly #devices: Devices;
  readonly #keyboard: Keyboard;

  constructor(devices: Devices, keyboard: Keyboard) {
    this.#devices = devices;
    this.#keyboard = keyboard;
  }

  move({ x, y }: Point): void {
    this.#devices.move(x, y);
  }

  async click(point: Point, button: Button, count: number, modifiers: readonly string[]): Promise<void> {
    this.#devices.assertLease();
    const held = this.#keyboard.modifierCodes(modifiers);
    this.move(point);
    await sleep(stepMs);
    await this.#keyboard.hold(held, async () => {
      for (let time = 0; time < count; time++) {
        await this.#press(buttons[button], stepMs / 2);
        await sleep(stepMs);
      }
    });
  }

  /** Positive `dx` is to the right, positive `dy` down, in notches of the wheel. */
  async scroll(point: Point, dx: number, dy: number): Promise<void> {
    this.move(point);
    await sleep(stepMs);
    const turns = [
      { notches: Math.abs(dy), button: dy > 0 ? wheel.down : wheel.up },
      { notches: Math.abs(dx), button: dx > 0 ? wheel.right : wheel.left },
    ];
    for (const { notches, button } of turns) {
      for (let notch = 0; notch < notches; notch++) {
        await this.#press(button, 0);
        await sleep(notchMs);
      }
    }
  }

  async #press(button: number, heldMs: number): Promise<void> {
    this.#devices.button(button, true);
    try {
      if (heldMs > 0) await sleep(heldMs);
    } finally {
      this.#devices.button(button, false);
    }
  }
}
