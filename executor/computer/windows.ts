import type { Selector } from '../../core/workflow/selector.ts';
import type { Window } from '../../native/desktop.ts';
import { showPattern } from '../../native/normalise.ts';
import { belongsTo, heldBy, windowByTitle, windowOfApp } from '../../native/window-choice.ts';
import { failedWith } from './port.ts';
import { protectedReason } from './protect.ts';
import { sleep } from './time.ts';
import { holdDesktop, type OperationWork } from './work.ts';

/** A look at the windows: front to back, the one with the keyboard first. */
export interface WindowView {
  windows: Window[];
  front: Window | undefined;
}

export async function lookAtWindows({ desktop, apps }: OperationWork): Promise<WindowView> {
  const { windows } = await desktop.windows();
  const { found: front } = await desktop.frontWindow();
  apps.learn(windows);
  if (front === undefined) return { windows, front };
  return { windows: [front, ...windows.filter((window) => window.id !== front.id)], front };
}

/** A window, or why there is none to work in. */
export type Chosen = { window: Window } | { miss: string };

/** The texts of a selector that choose its window. */
export type WindowWish = Pick<Selector, 'app' | 'window'>;

/**
 * The window that an action works in: of the application that its selector names, else
 * the one its title names, else of the application that the step works in, else the one
 * in front. A modal dialog that holds the window is taken in its place.
 */
export async function windowToActIn(work: OperationWork, wish: WindowWish): Promise<Chosen> {
  let view = await lookAtWindows(work);
  let chosen = chooseByWish(view, wish, work.apps.working);
  if (chosen === undefined) {
    // Only one that holds the desktop knows what is in front when it acts.
    if (!work.lease.isHeld) {
      await holdDesktop(work);
      view = await lookAtWindows(work);
    }
    chosen = view.front === undefined ? { miss: 'no window is in front' } : { window: view.front };
  }
  if ('miss' in chosen) return chosen;
  const window = heldBy(view.windows, chosen.window);
  return work.isProtected(window) ? { miss: protectedReason(window) } : { window };
}

function chooseByWish(
  { windows }: WindowView,
  { app, window: title }: WindowWish,
  working: string | undefined,
): Chosen | undefined {
  if (app !== undefined && app !== '') {
    const window = windowOfApp(windows, app, title);
    return window === undefined ? { miss: `no window of "${app}" is open` } : { window };
  }
  if (title !== undefined && title !== '') {
    const window = windowByTitle(windows, title, working);
    return window === undefined ? { miss: `no window has "${showPattern(title)}" in its title` } : { window };
  }
  const window = working === undefined ? undefined : windowOfApp(windows, working);
  return window === undefined ? undefined : { window };
}

/**
 * The window that a check or an extract reads: of the application that it names or the
 * step works in, where it is; else, holding the desktop, the one in front (spec: Where
 * steps run). A modal dialog is read in the place of the window that it holds.
 */
export async function windowToRead(work: OperationWork, wish: WindowWish): Promise<Chosen> {
  let view = await lookAtWindows(work);
  const app = wish.app || work.apps.working;
  const own = app === undefined ? undefined : windowOfApp(view.windows, app, wish.window);
  if (own !== undefined && own.state !== 'minimized') return { window: heldBy(view.windows, own) };
  if (!work.lease.isHeld) {
    await holdDesktop(work);
    view = await lookAtWindows(work);
  }
  if (view.front === undefined) return { miss: 'no window is in front' };
  if (wish.app && !belongsTo(view.front, wish.app)) return { miss: `no window of "${wish.app}" is in front` };
  return { window: heldBy(view.windows, view.front) };
}

/**
 * Brings a window forward where it is not in front, which needs the desktop; true when it
 * was moved, so that what was seen before counts no longer.
 */
export async function bringForward(work: OperationWork, window: Window): Promise<boolean> {
  const { found: front } = await work.desktop.frontWindow();
  if (front?.id === window.id && window.state !== 'minimized') return false;
  if (window.state === 'minimized') await work.desktop.restore({ window: window.id });
  await work.desktop.raise({ window: window.id });
  work.log(`brought "${window.title}" forward`);
  return true;
}

const settlePauseMs = 300;
const longestSettleMs = 3_000;

/**
 * Waits until no window opens, closes or comes forward, three seconds at most: keys that
 * name no element go to the window in front, which what came before them may be closing.
 */
export async function windowsSettle(work: OperationWork): Promise<void> {
  const look = async () => JSON.stringify((await lookAtWindows(work)).windows.map(({ id, title }) => [id, title]));
  const deadline = performance.now() + longestSettleMs;
  let before = await look();
  while (performance.now() < deadline) {
    await sleep(settlePauseMs, work.time.signal);
    const now = await look();
    if (now === before) return;
    before = now;
  }
}

/** Maximizes the window in front, once in an attempt (spec: Window size). */
export async function maximizeFront(work: OperationWork): Promise<void> {
  const { found: front } = await work.desktop.frontWindow();
  if (!work.plan.maximize || front === undefined || work.sized.has(front.id)) return;
  work.sized.add(front.id);
  if (front.kind !== 'normal' || front.state !== 'normal' || work.isProtected(front)) return;
  try {
    await work.desktop.maximize({ window: front.id });
    work.log(`maximized "${front.title}"`);
  } catch (error) {
    // A window that cannot grow is operated at the size it has.
    if (!failedWith(error, 'failed', 'unsupported', 'no_window')) throw error;
    work.log(`"${front.title}" was not maximized: ${error.message}`);
  }
}
