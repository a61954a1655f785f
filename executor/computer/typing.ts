import type { Element } from '../../native/desktop.ts';
import { StepError } from '../action.ts';
import { centre, type Sight } from './find.ts';
import { failedWith } from './port.ts';
import { isMaskedText, showsTyped } from './readback.ts';
import { sleep } from './time.ts';
import { holdDesktop, type OperationWork } from './work.ts';

/** How long a field may take to get the focus, or to show what was typed. */
const settleMs = 2_000;
const pollMs = 50;
/** At most as many characters outside ASCII as are sent at once: each batch may remap keys. */
const batchLength = 16;

interface Typing {
  what: string;
  where: string;
  text: string;
  /** The field may set its value itself. */
  direct: boolean;
  /** The text is no secret: a failure may show what the field holds. */
  showsText: boolean;
}

/**
 * Puts a text in the place of what a field holds, and reads it back (spec: Elements; a
 * pin's `type` replaces). Returns where it was typed.
 */
export async function typeInto(
  work: OperationWork,
  find: (options: { pointer: boolean }) => Promise<Sight>,
  typing: Typing,
): Promise<Sight> {
  if (typing.direct) {
    const sight = await find({ pointer: false });
    if (await setValue(work, sight.element, typing)) return sight;
  }
  await holdDesktop(work);
  const sight = await find({ pointer: true });
  await clickToFocus(work, sight, typing);
  const before = await work.desktop.readElement({ ref: sight.element.ref });
  await replaceByKeys(work, sight, typing);
  await checkShown(work, before, typing);
  return sight;
}

/** Sets the field's value through the element; false when keys have to do it. */
async function setValue(work: OperationWork, element: Element, { what, text }: Typing): Promise<boolean> {
  if (!element.patterns.includes('setValue')) {
    work.log(`${what} does not take a value; it is typed instead`);
    return false;
  }
  const { outcome, reason } = await work.desktop.perform({ ref: element.ref, pattern: 'setValue', value: text });
  if (outcome === 'confirmed') return true;
  if (outcome === 'unconfirmed') {
    const after = await work.desktop.readElement({ ref: element.ref });
    if (after.secret || after.value === text) return true;
  }
  work.log(`${what} did not take the value (${reason ?? 'it reads back otherwise'}); it is typed instead`);
  return false;
}

async function clickToFocus(work: OperationWork, sight: Sight, { what, where }: Typing): Promise<void> {
  await work.desktop.click({ point: centre(sight.element), button: 'left', count: 1, modifiers: [] });
  if (await getsFocus(work, sight.element)) return;
  throw new StepError(`${what} could not take the focus${where}: the keyboard stays elsewhere after a click on it`);
}

/** Gives an element the keyboard without acting on it: through its pattern, since a click would press a button. */
export async function takeFocus(work: OperationWork, { element }: Sight, what: string, where: string): Promise<void> {
  if (element.focused) return;
  const failed = (reason: string) => new StepError(`${what} could not take the focus${where}: ${reason}`);
  if (!element.patterns.includes('focus')) throw failed('it offers no way to focus it');
  const { outcome, reason = 'it gave no reason' } = await work.desktop.perform({ ref: element.ref, pattern: 'focus' });
  if (outcome === 'refused') throw failed(reason);
  if (!(await getsFocus(work, element))) throw failed('the keyboard stays elsewhere');
}

async function getsFocus(work: OperationWork, { ref }: Element): Promise<boolean> {
  return await comesTrue(work, async () => (await work.desktop.readElement({ ref })).focused);
}

async function comesTrue(work: OperationWork, test: () => Promise<boolean>): Promise<boolean> {
  for (let waited = 0; ; waited += pollMs) {
    if (await test()) return true;
    if (waited >= settleMs) return false;
    await sleep(pollMs, work.time.signal);
  }
}

/** Selects what the field holds and types over it, only while the field keeps the focus. */
async function replaceByKeys(work: OperationWork, { element, window }: Sight, typing: Typing): Promise<void> {
  const keepsFocus = async () => {
    const { focused } = await work.desktop.readElement({ ref: element.ref });
    if (!focused) throw lostFocus(typing);
  };
  try {
    await work.desktop.pressChord({ chord: work.system === 'darwin' ? 'cmd+a' : 'ctrl+a', window: window.id });
    if (typing.text === '') {
      await keepsFocus();
      await work.desktop.pressChord({ chord: 'backspace', window: window.id });
    }
    for (const text of batches(typing.text)) {
      await keepsFocus();
      await work.desktop.typeText({ text, window: window.id });
    }
  } catch (error) {
    if (failedWith(error, 'wrong_focus', 'stale_element')) throw lostFocus(typing, error.message);
    throw error;
  }
}

function lostFocus({ what, where }: Typing, reason?: string): StepError {
  const why = reason === undefined ? '' : `: ${reason}`;
  return new StepError(`${what} lost the focus while it was typed into${where}${why}`);
}

/** The text in the parts that are sent at once: single characters, and runs of those that remap keys. */
function batches(text: string): string[] {
  return text.replace(/\r\n?/g, '\n').match(new RegExp(`[^\\p{ASCII}]{1,${batchLength}}|.`, 'gsu')) ?? [];
}

/** Throws unless the field comes to show the text. What cannot be read is not checked. */
async function checkShown(
  work: OperationWork,
  before: Element,
  { what, where, text, showsText }: Typing,
): Promise<void> {
  if (before.secret || before.value === undefined) return;
  let shown = '';
  try {
    const holds = await comesTrue(work, async () => {
      shown = (await work.desktop.readElement({ ref: before.ref })).value ?? '';
      return showsTyped(shown, text);
    });
    if (holds || isMaskedText(shown)) return;
  } catch (error) {
    if (!failedWith(error, 'stale_element')) throw error;
    if (!text.endsWith('\n')) throw new StepError(`${what} was gone before it could be read back${where}`);
    work.log(`${what} is gone after Enter; what was typed is not checked`);
    return;
  }
  if (shown === '' && before.value === '') {
    work.log(`${what} shows nothing before and after; what was typed is not checked`);
    return;
  }
  const instead = showsText ? `it shows ${JSON.stringify(shown)}` : 'it shows something else';
  throw new StepError(`${what} does not show what was typed into it${where}: ${instead}`);
}
