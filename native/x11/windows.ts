import { readlinkSync } from 'node:fs';
import { basename } from 'node:path';
import { CallError } from '../../core/contract/protocol.ts';
import type { Bounds, Window } from '../desktop.ts';
import type { XDisplay } from './display.ts';
import type { WindowAttributes, XId } from './libs.ts';

/** Where a window is on the display. */
export interface Place {
  xid: XId;
  /** The child of the root window that holds it: the window manager's frame, or itself. */
  frame: XId;
  frameAttributes: WindowAttributes;
  /** All of the frame, shadows included. */
  outside: Bounds;
  /** What a person takes for the window. */
  bounds: Bounds;
}

/** A window as the port shows it, with what the driver needs of it. */
export interface XWindow extends Place {
  /** The area that the application draws, within the frame. */
  client: Bounds;
  shown: Window;
}

const viewable = 2;

const menuTypes = [
  '_NET_WM_WINDOW_TYPE_MENU',
  '_NET_WM_WINDOW_TYPE_DROPDOWN_MENU',
  '_NET_WM_WINDOW_TYPE_POPUP_MENU',
  '_NET_WM_WINDOW_TYPE_COMBO',
];
const sideTypes = [
  '_NET_WM_WINDOW_TYPE_DESKTOP',
  '_NET_WM_WINDOW_TYPE_DOCK',
  '_NET_WM_WINDOW_TYPE_TOOLTIP',
  '_NET_WM_WINDOW_TYPE_NOTIFICATION',
  '_NET_WM_WINDOW_TYPE_SPLASH',
  '_NET_WM_WINDOW_TYPE_TOOLBAR',
  '_NET_WM_WINDOW_TYPE_UTILITY',
  '_NET_WM_WINDOW_TYPE_DND',
];

/** The windows of a display, by the window manager's lists and the server's stacking. */
export class Windows {
  readonly #display: XDisplay;
  #ignored = new Set<XId>();
  /** The window manager's frame around a window, by window. */
  readonly #frames = new Map<XId, XId>();

  constructor(display: XDisplay) {
    this.#display = display;
  }

  /** Windows that no list shows from now on, in place of those set before. */
  ignore(windows: readonly XId[]): void {
    this.#ignored = new Set(windows);
  }

  get ignored(): ReadonlySet<XId> {
    return this.#ignored;
  }

  /** Front to back: application windows, minimized ones included, and open menus and the like. */
  list(): XWindow[] {
    return this.all().filter((window) => !this.#ignored.has(window.xid));
  }

  /** As {@link list}, with the ignored windows. */
  all(): XWindow[] {
    const display = this.#display;
    const clients = display.values(display.root, '_NET_CLIENT_LIST');
    const managed = new Map<XId, XId>();
    for (const client of clients) managed.set(this.#frameOf(client), client);
    const found: XWindow[] = [];
    for (const child of (display.tree(display.root)?.children ?? []).reverse()) {
      const client = managed.get(child);
      const window = client === undefined ? this.#popup(child) : this.#read(client, child);
      if (window !== undefined) found.push(window);
    }
    const known = new Set(found.map((window) => window.xid));
    for (const window of found) this.#setOwner(window, known);
    return found;
  }

  /** @throws CallError `no_window` when it is closed or ignored */
  get(id: string): XWindow {
    const xid = Number(id);
    const window = this.#ignored.has(xid) ? undefined : this.#find(xid);
    if (window === undefined) throw noWindow(id);
    return window;
  }

  #find(xid: XId): XWindow | undefined {
    if (!Number.isInteger(xid)) return undefined;
    const clients = new Set(this.#display.values(this.#display.root, '_NET_CLIENT_LIST'));
    const window = clients.has(xid) ? this.#read(xid, this.#frameOf(xid)) : this.#popup(xid);
    if (window !== undefined) this.#setOwner(window, clients);
    return window;
  }

  #setOwner({ xid, shown }: XWindow, known: ReadonlySet<XId>): void {
    const owner = this.#display.values(xid, 'WM_TRANSIENT_FOR')[0];
    if (owner !== undefined && known.has(owner)) shown.owner = String(owner);
  }

  /** The window that has a window's elements: an open menu's hang in the tree of the window that it belongs to. */
  withElements(window: XWindow): XWindow {
    if (window.shown.kind !== 'menu') return window;
    const { owner, pid } = window.shown;
    const list = this.list().filter(({ shown }) => shown.kind !== 'menu');
    return (
      list.find(({ shown }) => shown.id === owner) ?? list.find(({ shown }) => shown.pid === pid && pid !== 0) ?? window
    );
  }

  /** The window that keys go to. */
  front(): XWindow | undefined {
    const focus = this.focused();
    return focus === undefined ? undefined : this.list().find((window) => window.xid === focus);
  }

  /** The application window that holds the server's focus. */
  focused(): XId | undefined {
    const display = this.#display;
    const clients = new Set(display.values(display.root, '_NET_CLIENT_LIST'));
    // The focus may be on a child that an application uses to catch keys.
    for (let window: XId | undefined = display.inputFocus(); window !== undefined && window > 1; ) {
      if (clients.has(window)) return window;
      window = display.tree(window)?.parent;
    }
    return undefined;
  }

  #frameOf(client: XId): XId {
    let window = client;
    for (;;) {
      const parent = this.#display.tree(window)?.parent;
      if (parent === undefined || parent === 0 || parent === this.#display.root) return window;
      window = parent;
    }
  }

  /**
   * Where a window is, without all else that is known of it.
   *
   * @throws CallError `no_window`
   */
  place(id: string): Place {
    const xid = Number(id);
    const isThere = Number.isInteger(xid) && xid !== this.#display.root && !this.#ignored.has(xid);
    const place = isThere ? (this.#placeInKnownFrame(xid) ?? this.#placeOf(xid, this.#frameOf(xid))) : undefined;
    if (place === undefined) throw noWindow(id);
    if (place.frame !== xid) this.#frames.set(xid, place.frame);
    return place;
  }

  /** A frame goes with its window, so one that is there is still the window's; looking it up costs more than using it. */
  #placeInKnownFrame(xid: XId): Place | undefined {
    const frame = this.#frames.get(xid);
    const place = frame === undefined ? undefined : this.#placeOf(xid, frame);
    if (place === undefined) this.#frames.delete(xid);
    return place;
  }

  #placeOf(xid: XId, frame: XId): Place | undefined {
    const found = this.#display.geometry(frame);
    if (found === undefined) return undefined;
    const { bounds: outside, attributes: frameAttributes } = found;
    const bounds = withoutShadow(outside, this.#display.values(xid, '_GTK_FRAME_EXTENTS'));
    return { xid, frame, frameAttributes, outside, bounds };
  }

  #read(client: XId, frame: XId): XWindow | undefined {
    const display = this.#display;
    const inside = display.geometry(client);
    const place = this.#placeOf(client, frame);
    if (inside === undefined || place === undefined) return undefined;
    const states = new Set(display.values(client, '_NET_WM_STATE'));
    const has = (state: string) => states.has(display.atom(`_NET_WM_STATE_${state}`));
    const pid = display.values(client, '_NET_WM_PID')[0] ?? 0;
    return {
      ...place,
      client: inside.bounds,
      shown: {
        id: String(client),
        title: display.text(client, '_NET_WM_NAME') ?? display.text(client, 'WM_NAME') ?? '',
        app: imageName(pid),
        pid,
        bounds: place.bounds,
        kind: this.#kind(client),
        state: has('HIDDEN') ? 'minimized' : has('MAXIMIZED_VERT') && has('MAXIMIZED_HORZ') ? 'maximized' : 'normal',
        modal: has('MODAL'),
      },
    };
  }

  /** A window that the window manager does not manage: a menu, a list of choices, a tooltip. */
  #popup(window: XId): XWindow | undefined {
    const display = this.#display;
    const attributes = display.attributes(window);
    if (attributes?.map_state !== viewable || attributes.override_redirect === 0) return undefined;
    // What says neither what it is nor whose, or is a dot, is a helper that nobody sees.
    const named = ['_NET_WM_WINDOW_TYPE', 'WM_CLASS'].some((name) => display.property(window, name) !== undefined);
    if (!named || attributes.width * attributes.height <= 1) return undefined;
    return this.#read(window, window);
  }

  #kind(window: XId): Window['kind'] {
    const display = this.#display;
    const types = display.values(window, '_NET_WM_WINDOW_TYPE');
    const is = (name: string) => types.includes(display.atom(name));
    if (menuTypes.some(is)) return 'menu';
    if (is('_NET_WM_WINDOW_TYPE_DIALOG')) return 'dialog';
    if (sideTypes.some(is)) return 'other';
    if (types.length === 0 && display.values(window, 'WM_TRANSIENT_FOR').length > 0) return 'dialog';
    return 'normal';
  }
}

function noWindow(id: string): CallError {
  return new CallError('no_window', `there is no window ${id} any more`, { window: id });
}

/** A window that draws its own frame tells how much of it is shadow. */
function withoutShadow(bounds: Bounds, [left = 0, right = 0, top = 0, bottom = 0]: number[]): Bounds {
  return {
    x: bounds.x + left,
    y: bounds.y + top,
    width: bounds.width - left - right,
    height: bounds.height - top - bottom,
  };
}

/** Name of a process' program without its ending; empty where it cannot be read. */
export function imageName(pid: number): string {
  if (pid === 0) return '';
  try {
    return basename(readlinkSync(`/proc/${pid}/exe`))
      .replace(/ \(deleted\)$/, '')
      .replace(/\.(bin|exe)$/, '');
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    // The process ended, or belongs to somebody else.
    if (code === 'ENOENT' || code === 'EACCES' || code === 'EPERM' || code === 'ESRCH') return '';
    throw error;
  }
}
