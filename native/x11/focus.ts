import { setTimeout as sleep } from 'node:timers/promises';
import { CallError } from '../../core/contract/protocol.ts';
import type { XDisplay } from './display.ts';
import type { XId } from './libs.ts';
import type { Windows, XWindow } from './windows.ts';

/** SubstructureNotify and SubstructureRedirect: requests to the window manager. */
const toManager = (1 << 19) | (1 << 20);
const substructureNotify = 1 << 19;
/** EWMH: the request comes from a tool that acts for the person. */
const fromPager = 2;
const remove = 0;
const add = 1;

const changeMs = 2_000;
const pollMs = 10;
/** How long an application has to read what was sent to it. */
const answerMs = 1_000;
/** The wait for an application that does not tell when it has read. */
const silentMs = 60;

/** Which window has the focus and how large it is, as the window manager grants it. */
export class Focus {
  readonly #display: XDisplay;
  readonly #windows: Windows;

  constructor(display: XDisplay, windows: Windows) {
    this.#display = display;
    this.#windows = windows;
  }

  /** @throws CallError `wrong_focus`, naming the window that has the focus */
  assert(window: XWindow): void {
    const focused = this.#windows.focused();
    if (focused === this.#keysGoTo(window)) return;
    const front = focused === undefined ? undefined : this.#display.text(focused, '_NET_WM_NAME');
    throw new CallError(
      'wrong_focus',
      `keys would not go to "${window.shown.title}": ${front === undefined ? 'no window' : `"${front}"`} has the focus`,
      { window: window.shown.id, ...(focused !== undefined && { front: String(focused) }) },
    );
  }

  /**
   * Brings a window forward and waits until it has the focus.
   *
   * @throws CallError `focus_refused`, naming the dialog or window that keeps it
   */
  async raise(window: XWindow): Promise<void> {
    const display = this.#display;
    const time = display.serverTime();
    display.sendMessage(display.root, toManager, window.xid, '_NET_ACTIVE_WINDOW', [fromPager, time, 0, 0, 0]);
    if (await until(() => this.#hasFocus(window.xid))) return;
    const front = this.#windows.front();
    const dialog = front?.shown.modal && front.shown.owner === window.shown.id ? front.shown : undefined;
    throw new CallError(
      'focus_refused',
      dialog === undefined
        ? `the window "${window.shown.title}" did not get the focus within ${changeMs} ms; ${
            front === undefined ? 'no window has it' : `"${front.shown.title}" has it`
          }`
        : `the dialog "${dialog.title}" is open and keeps "${window.shown.title}" from being used`,
      { window: window.shown.id, ...(front !== undefined && { front: front.shown.id, title: front.shown.title }) },
    );
  }

  /** Shows a minimized window again, or gives a maximized one its size back. */
  async restore(window: XWindow): Promise<void> {
    const { state, title } = window.shown;
    if (state === 'minimized') {
      const time = this.#display.serverTime();
      const data = [fromPager, time, 0, 0, 0];
      this.#display.sendMessage(this.#display.root, toManager, window.xid, '_NET_ACTIVE_WINDOW', data);
    } else if (state === 'maximized') {
      this.#changeMaximized(window.xid, remove);
    }
    await this.#untilState(window, (now) => now !== state || state === 'normal', `restore "${title}"`);
  }

  async maximize(window: XWindow): Promise<void> {
    this.#changeMaximized(window.xid, add);
    await this.#untilState(window, (now) => now === 'maximized', `maximize "${window.shown.title}"`);
  }

  /**
   * Waits until an application has read all input that was sent to it before. Asked in
   * the way in which window managers ask whether it still answers, it answers in the
   * order in which it reads.
   */
  async settle(window: XWindow): Promise<void> {
    const display = this.#display;
    const target = this.#keysGoTo(window);
    const ping = display.atom('_NET_WM_PING');
    if (target === undefined || !display.values(target, 'WM_PROTOCOLS').includes(ping)) {
      await sleep(silentMs);
      return;
    }
    const time = display.serverTime();
    const { x, pointer, root } = display;
    x.XSelectInput(pointer, root, substructureNotify);
    try {
      display.sendMessage(target, 0, target, 'WM_PROTOCOLS', [ping, time, target, 0, 0]);
      await until(() => this.#answered(ping, time, target), answerMs, 1);
    } finally {
      x.XSelectInput(pointer, root, 0);
      display.sync();
      display.dropEvents();
    }
  }

  #answered(ping: XId, time: number, target: XId): boolean {
    for (;;) {
      const message = this.#display.nextClientMessage();
      if (message === undefined) return false;
      if (message.data[0] === ping && message.data[1] === time && message.data[2] === target) return true;
    }
  }

  /** An open menu takes the keys that its owner gets. */
  #keysGoTo(window: XWindow): XId | undefined {
    if (window.shown.kind !== 'menu') return window.xid;
    return window.shown.owner === undefined ? this.#windows.focused() : Number(window.shown.owner);
  }

  #hasFocus(window: XId): boolean {
    const active = this.#display.values(this.#display.root, '_NET_ACTIVE_WINDOW')[0];
    return active === window && this.#windows.focused() === window;
  }

  #changeMaximized(window: XId, action: number): void {
    const [vertical, horizontal] = ['VERT', 'HORZ'].map((side) =>
      this.#display.atom(`_NET_WM_STATE_MAXIMIZED_${side}`),
    ) as [XId, XId];
    const data = [action, vertical, horizontal, fromPager, 0];
    this.#display.sendMessage(this.#display.root, toManager, window, '_NET_WM_STATE', data);
  }

  async #untilState(window: XWindow, holds: (state: string) => boolean, what: string): Promise<void> {
    if (await until(() => holds(this.#windows.get(window.shown.id).shown.state))) return;
    throw new CallError('failed', `the window manager did not ${what} within ${changeMs} ms`, {
      window: window.shown.id,
    });
  }
}

async function until(holds: () => boolean, limitMs = changeMs, everyMs = pollMs): Promise<boolean> {
  const end = performance.now() + limitMs;
  while (!holds()) {
    if (performance.now() > end) return false;
    await sleep(everyMs);
  }
  return true;
}
