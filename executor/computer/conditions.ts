import { mapSelectorTexts, type Selector, selectorJson } from '../../core/workflow/selector.ts';
import type { Window } from '../../native/desktop.ts';
import { containsText, showPattern } from '../../native/normalise.ts';
import { match } from '../../native/selector.ts';
import { titleContains } from '../../native/window-choice.ts';
import { StepError } from '../action.ts';
import { lookAgainMs, Miss, readElements } from './find.ts';
import type { Check } from './plan.ts';
import { failedWith } from './port.ts';
import { sleep } from './time.ts';
import { windowToRead } from './windows.ts';
import type { OperationWork, Work } from './work.ts';

/** Exact checks: they read elements, take no screenshot and call no model (spec: Conditions). */

export interface CheckResult {
  holds: boolean;
  /** Why it holds or not. */
  reason: string;
}

/** How long an exact `when` keeps looking that says nothing of its own. */
const whenMs = 2_000;

/** What a check looks for, with its values in place. */
type Sought = { text: string } | { element: Selector } | { window: string };

/** Looks whether a `when` holds. */
export async function checkWhen(work: OperationWork, check: Check): Promise<CheckResult> {
  return await lookFor(work, check, check.withinMs ?? whenMs);
}

/** Looks for what an `expect` says until it is there; throws a StepError when it does not come. */
export async function runExpect(work: OperationWork, check: Check): Promise<CheckResult> {
  const result = await lookFor(work, check, check.withinMs ?? Number.POSITIVE_INFINITY);
  if (!result.holds) throw new StepError(`expectation not met: ${result.reason}`);
  return result;
}

/** The check in words, for its event. Throws a StepError when a value that it needs is missing. */
export function checkSubject(work: Work, check: Check): string {
  return inWords(fill(work, check), work.context);
}

/** The check in words with its placeholders as the file writes them. */
export function checkAsWritten({ context }: Work, { test }: Check): string {
  return inWords(test, context);
}

/** Values are masked before they are quoted, which may change them. */
function inWords(sought: Sought, context: Work['context']): string {
  if ('text' in sought) return `text ${JSON.stringify(context.mask(sought.text))}`;
  if ('window' in sought) return `window ${JSON.stringify(showPattern(context.mask(sought.window)))}`;
  return `element ${maskedJson(context, sought.element)}`;
}

function maskedJson({ mask }: Work['context'], selector: Selector): string {
  return showPattern(selectorJson(mapSelectorTexts(selector, (text) => mask(text))));
}

async function lookFor(work: OperationWork, check: Check, withinMs: number): Promise<CheckResult> {
  if (!work.capabilities.elements) {
    throw new StepError('this desktop lets no program read the elements of a window, which an exact check needs');
  }
  const sought = fill(work, check);
  // The last look comes before the operation's time is up, so that its reason is told.
  const deadline = performance.now() + Math.min(withinMs, work.time.remainingMs - lookAgainMs);
  for (;;) {
    const result = await look(work, sought);
    if (result.holds || performance.now() + lookAgainMs > deadline) return result;
    await sleep(lookAgainMs, work.time.signal);
  }
}

function fill({ variables }: Work, { test }: Check): Sought {
  if ('text' in test) return { text: variables.sought(test.text) };
  if ('window' in test) return { window: variables.soughtTitle(test.window) };
  return { element: variables.selector(test.element, 'check') };
}

async function look(work: OperationWork, sought: Sought): Promise<CheckResult> {
  const wish = 'element' in sought ? sought.element : 'window' in sought ? { window: sought.window } : {};
  const chosen = await windowToRead(work, wish);
  if ('miss' in chosen) return { holds: false, reason: chosen.miss };
  const { window } = chosen;
  try {
    const result = 'window' in sought ? checkTitle(window, sought.window) : await checkElements(work, window, sought);
    // What is found in front is where the step works from now on.
    if (result.holds && work.lease.isHeld) work.apps.workedIn(window);
    return result;
  } catch (error) {
    if (error instanceof Miss) return { holds: false, reason: error.message };
    if (failedWith(error, 'no_window')) return { holds: false, reason: `"${window.title}" was closed` };
    throw error;
  }
}

function checkTitle(window: Window, title: string): CheckResult {
  const shown = JSON.stringify(window.title);
  if (titleContains(window, title)) return { holds: true, reason: `the window ${shown} is in front` };
  return { holds: false, reason: `${shown} is in front, not ${JSON.stringify(showPattern(title))}` };
}

async function checkElements(
  work: OperationWork,
  window: Window,
  sought: { text: string } | { element: Selector },
): Promise<CheckResult> {
  const tree = await readElements(work, window);
  if ('element' in sought) {
    const shown = maskedJson(work.context, sought.element);
    const { matches, miss } = match(tree, sought.element);
    if (miss === undefined) return { holds: true, reason: `${shown} is there` };
    const more = matches.length > 1 || miss.reason.startsWith('container') ? `; ${miss.reason}` : '';
    return { holds: false, reason: `${shown} is not there${more}` };
  }
  const quoted = JSON.stringify(work.context.mask(sought.text));
  const shows = tree.elements.some(
    ({ visible, name, value }) => visible && [name, value ?? ''].some((shown) => containsText(shown, sought.text)),
  );
  if (shows) return { holds: true, reason: `the window shows ${quoted}` };
  const cut = tree.cut === undefined ? '' : '; only a part of the window could be read';
  return { holds: false, reason: `no element of ${JSON.stringify(window.title)} shows ${quoted}${cut}` };
}
