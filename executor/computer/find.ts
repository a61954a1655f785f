import { formatDuration } from '../../core/workflow/durations.ts';
import type { Selector } from '../../core/workflow/selector.ts';
import type { Element, ElementTree, Point, Window } from '../../native/desktop.ts';
import { showPattern } from '../../native/normalise.ts';
import { match } from '../../native/selector.ts';
import { openMenus } from '../../native/window-choice.ts';
import { StepError } from '../action.ts';
import { failedWith } from './port.ts';
import { sleep } from './time.ts';
import type { OperationWork } from './work.ts';

/** How often a thing that is waited for is looked at again. */
export const lookAgainMs = 250;

/** As many elements as one read of a window gives. */
const mostElements = 5000;

/** Something did not come to be found, for a reason that may pass. */
export class Miss extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = 'Miss';
  }
}

/** Codes of failures that another look may be without: the window or the element went away or is not there yet. */
const passing = ['stale_element', 'no_window', 'no_elements', 'focus_refused', 'unsupported'] as const;

/**
 * Looks until a look succeeds or the wait is over: a {@link Miss} and a passing failure
 * of the desktop are looked at again every quarter second. The wait counts as the
 * operation's time. Throws a Miss with the last reason.
 *
 * @param withinMs 0 looks once
 */
export async function lookUntil<T>(work: OperationWork, withinMs: number, look: () => Promise<T>): Promise<T> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    try {
      return await look();
    } catch (error) {
      if (!(error instanceof Miss) && !failedWith(error, ...passing)) throw error;
      if (performance.now() + lookAgainMs > deadline) throw new Miss(error.message);
    }
    await sleep(lookAgainMs, work.time.signal);
  }
}

/** The elements of a window; throws a Miss where there are none to read. */
export async function readElements(work: OperationWork, window: Window): Promise<ElementTree> {
  if (!work.capabilities.elements) throw new Miss('this desktop lets no program read the elements of a window');
  try {
    return await work.desktop.elements({ window: window.id, maxElements: mostElements });
  } catch (error) {
    if (failedWith(error, 'no_elements')) throw new Miss(`"${window.title}" exposes no elements`);
    throw error;
  }
}

/** An element, with the window and the reading that it was found in. */
export interface Sight {
  element: Element;
  window: Window;
  tree: ElementTree;
}

/**
 * The one element of a window that a selector matches; an open menu or list of the
 * window's application, which is a window of its own, is searched with it. Throws a Miss.
 */
export async function findElement(work: OperationWork, window: Window, selector: Selector): Promise<Sight> {
  const { windows } = await work.desktop.windows();
  const tree = await readElements(work, window);
  const sights: Sight[] = [];
  const own = match(tree, selector);
  for (const element of own.matches) sights.push({ element, window, tree });
  for (const menu of openMenus(windows, window)) {
    const inMenu = await menuElements(work, menu);
    if (inMenu === undefined) continue;
    for (const element of match(inMenu, selector).matches) {
      // Some toolkits show a menu's items below their window as well.
      if (!sights.some((sight) => sight.element.ref === element.ref)) {
        sights.push({ element, window: menu, tree: inMenu });
      }
    }
  }
  const [only] = sights;
  if (only !== undefined && sights.length === 1) return only;
  throw new Miss(sights.length === 0 ? (own.miss?.reason ?? 'it is not there') : `${sights.length} elements match`);
}

async function menuElements(work: OperationWork, menu: Window): Promise<ElementTree | undefined> {
  try {
    return await work.desktop.elements({ window: menu.id, maxElements: mostElements });
  } catch (error) {
    // A tooltip has no elements, and a menu may have closed since.
    if (failedWith(error, 'no_elements', 'no_window')) return undefined;
    throw error;
  }
}

/** The point that a pointer acts at on an element. */
export function centre({ bounds }: Element): Point {
  return { x: Math.floor(bounds.x + bounds.width / 2), y: Math.floor(bounds.y + bounds.height / 2) };
}

/** An element as messages name it: `button "Save"`. */
export function describeSelector({ role, name, id, near }: Selector): string {
  if (name) return `${role} ${JSON.stringify(showPattern(name))}`;
  if (id) return `${role} ${JSON.stringify(id)}`;
  return near === undefined
    ? role
    : `${role} ${near.side} of ${JSON.stringify(near.label)}`.replace(/(below|above) of/, '$1');
}

/** The failure of a search: `button "Save" was not found within 10s at step 2 of 5: it is not there`. */
export function notFound(what: string, withinMs: number, where: string, reason: string): StepError {
  const wait = withinMs === 0 ? '' : ` within ${formatDuration(withinMs)}`;
  return new StepError(`${what} was not found${wait}${where}: ${reason}`);
}
