import type { Window } from './desktop.ts';
import { patternTest } from './normalise.ts';

/** Choosing the window that a selector, a check or a replay works in. Pure; windows come front to back. */

/** Whether a window belongs to an application; image names are compared whatever their case. */
export function belongsTo(window: Window, app: string): boolean {
  return window.app !== '' && window.app.toLowerCase() === app.toLowerCase();
}

/** Windows that hold what a person works with: no menus, panels or desktop surfaces. */
export function workWindows(windows: readonly Window[]): Window[] {
  return windows.filter((window) => window.kind === 'normal' || window.kind === 'dialog');
}

/** Whether a title contains the text, with `*` for any run of characters. */
export function titleContains(window: Window, text: string): boolean {
  return patternTest(text, { anywhere: true })(window.title);
}

/** An application's window: the frontmost whose title contains the text, else its frontmost, those not minimized first. */
export function windowOfApp(windows: readonly Window[], app: string, title?: string): Window | undefined {
  const own = openFirst(workWindows(windows).filter((window) => belongsTo(window, app)));
  const named = title === undefined ? undefined : own.find((window) => titleContains(window, title));
  return named ?? own[0];
}

/** A window by its title alone: those of the preferred application first, then from the front. */
export function windowByTitle(windows: readonly Window[], title: string, preferredApp?: string): Window | undefined {
  const named = openFirst(workWindows(windows).filter((window) => titleContains(window, title)));
  const own = preferredApp === undefined ? undefined : named.find((window) => belongsTo(window, preferredApp));
  return own ?? named[0];
}

function openFirst(windows: Window[]): Window[] {
  return [
    ...windows.filter((window) => window.state !== 'minimized'),
    ...windows.filter((window) => window.state === 'minimized'),
  ];
}

/**
 * The window to read in a window's place: the modal dialog of its application that holds
 * it, or the one that holds that dialog; the window itself when nothing holds it.
 */
export function heldBy(windows: readonly Window[], window: Window): Window {
  const dialogs = workWindows(windows).filter((other) => other.modal && other.state !== 'minimized');
  const seen = new Set([window.id]);
  let held = window;
  for (;;) {
    const dialog = dialogs.find((other) => !seen.has(other.id) && holds(windows, other, held));
    if (dialog === undefined) return held;
    seen.add(dialog.id);
    held = dialog;
  }
}

/** A dialog without an owner holds all windows of its process but other dialogs. */
function holds(windows: readonly Window[], dialog: Window, window: Window): boolean {
  if (dialog.owner === undefined) return dialog.pid === window.pid && !window.modal;
  return owns(windows, window, dialog);
}

/** Whether a window is among the owners of another, whatever the chain. */
function owns(windows: readonly Window[], owner: Window, owned: Window): boolean {
  const seen = new Set<string>();
  let next = owned.owner;
  while (next !== undefined && !seen.has(next)) {
    if (next === owner.id) return true;
    seen.add(next);
    next = windows.find((window) => window.id === next)?.owner;
  }
  return false;
}

/** The open menus and lists of a window's application, which are windows of their own, front to back. */
export function openMenus(windows: readonly Window[], window: Window): Window[] {
  return windows.filter((other) => other.kind === 'menu' && other.pid === window.pid && other.id !== window.id);
}
