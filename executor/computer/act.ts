import type { PinnedStep } from '../../core/workflow/computer-schema.ts';
import { parseDuration } from '../../core/workflow/durations.ts';
import { chordProblem } from '../../core/workflow/keys.ts';
import type { Selector } from '../../core/workflow/selector.ts';
import type { Element, Pattern, Window } from '../../native/desktop.ts';
import { StepError } from '../action.ts';
import { centre, describeSelector, findElement, lookUntil, Miss, notFound, type Sight } from './find.ts';
import type { OperationResult } from './operations.ts';
import { patternOf, performPattern } from './patterns.ts';
import type { ActOperation } from './plan.ts';
import { sleep } from './time.ts';
import { takeFocus, typeInto } from './typing.ts';
import { bringForward, windowsSettle, windowToActIn } from './windows.ts';
import { holdDesktop, type OperationWork } from './work.ts';

/** Pinned steps of an act (spec: Pinned steps). */

const systems: Readonly<Record<string, string>> = { windows: 'windows', darwin: 'macos', linux: 'linux' };

/** The key under which a workflow file keeps the pins for a system. */
export function pinSystem(os: string): string {
  return systems[os] ?? os;
}

/** Runs an act's pinned steps: a cache hit by element when every step ran. */
export async function runAct(work: OperationWork, operation: ActOperation): Promise<OperationResult> {
  const steps = operation.recorded[pinSystem(work.system)];
  if (steps === undefined) {
    throw new StepError('the act cannot run without AI: there is no recording of it on this host');
  }
  for (const [index, step] of steps.entries()) {
    const pin = new Pin(work, operation, ` at step ${index + 1} of ${steps.length}`);
    await pin.run(step);
  }
  const count = steps.length === 1 ? '1 step' : `${steps.length} steps`;
  return { status: 'cache-hit', detail: `replayed ${count}`, via: 'element' };
}

/** What stands between the desktop and one pinned step: where it is, and how it names itself. */
class Pin {
  readonly #work: OperationWork;
  readonly #act: ActOperation;
  readonly #where: string;

  constructor(work: OperationWork, act: ActOperation, where: string) {
    this.#work = work;
    this.#act = act;
    this.#where = where;
  }

  async run(step: PinnedStep): Promise<void> {
    if ('wait' in step) return await this.#wait(step.wait);
    if ('click' in step) return await this.#click(step.click);
    if ('double_click' in step)
      return await this.#point(step.double_click, 'double_click', { button: 'left', count: 2 });
    if ('right_click' in step) return await this.#point(step.right_click, 'right_click', { button: 'right', count: 1 });
    if ('scroll' in step) return await this.#scroll(step.scroll.on, step.scroll.dy);
    if ('type' in step) return await this.#type(step.type.into, step.type.text);
    return await this.#key(step.key, step.focus);
  }

  #log(line: string): void {
    this.#work.log(`replay by element: ${line}`);
  }

  async #wait(duration: string): Promise<void> {
    this.#log(`wait ${duration}`);
    await sleep(parseDuration(duration) ?? 0, this.#work.time.signal);
  }

  async #click(written: Selector): Promise<void> {
    if (this.#act.direct && (await this.#clickByPattern(written))) return;
    await this.#point(written, 'click', { button: 'left', count: 1 });
  }

  /** Has the element act itself; false when it offers no pattern for a click. */
  async #clickByPattern(written: Selector): Promise<boolean> {
    const selector = this.#fill(written);
    const pattern = patternOf(selector.role);
    if (this.#needsDesktop(pattern)) await holdDesktop(this.#work);
    const { element, window } = await this.#find(selector, { pointer: false });
    if (!element.patterns.includes(pattern)) {
      this.#work.log(`${describeSelector(selector)} offers no ${pattern}; it is clicked instead`);
      return false;
    }
    this.#log(`${pattern} ${describeSelector(selector)}`);
    await performPattern(this.#work, element, { pattern, what: describeSelector(selector), where: this.#where });
    this.#work.apps.workedIn(window);
    return true;
  }

  #needsDesktop(pattern: Pattern): boolean {
    return pattern === 'focus' || this.#work.capabilities.patternNeedsDesktop;
  }

  async #point(
    written: Selector,
    kind: string,
    { button, count }: { button: 'left' | 'right'; count: number },
  ): Promise<void> {
    const selector = this.#fill(written);
    await holdDesktop(this.#work);
    const { element, window } = await this.#find(selector, { pointer: true });
    const point = centre(element);
    this.#log(`${kind} ${describeSelector(selector)} at ${point.x},${point.y}`);
    await this.#work.desktop.click({ point, button, count, modifiers: [] });
    this.#work.apps.workedIn(window);
  }

  async #scroll(written: Selector, dy: number): Promise<void> {
    const selector = this.#fill(written);
    await holdDesktop(this.#work);
    const { element, window } = await this.#find(selector, { pointer: true });
    this.#log(`scroll ${describeSelector(selector)} by ${dy}`);
    await this.#work.desktop.scroll({ point: centre(element), dx: 0, dy });
    this.#work.apps.workedIn(window);
  }

  async #type(written: Selector, text: string): Promise<void> {
    const selector = this.#fill(written);
    const direct = this.#act.direct;
    if (!direct || this.#needsDesktop('setValue')) await holdDesktop(this.#work);
    const what = describeSelector(selector);
    this.#log(`type ${JSON.stringify(text)} into ${what}`);
    const field = { what, where: this.#where, text: this.#work.variables.fill(text) };
    const find = (options: { pointer: boolean }) => this.#find(selector, options);
    const { window } = await typeInto(this.#work, find, { ...field, direct, showsText: !text.includes('%') });
    this.#work.apps.workedIn(window);
  }

  async #key(chord: string, focus: Selector | undefined): Promise<void> {
    const problem = chordProblem(chord);
    if (problem !== undefined) throw new StepError(`${problem}${this.#where}`);
    await holdDesktop(this.#work);
    const window = focus === undefined ? await this.#windowForKeys(chord) : await this.#focusFor(this.#fill(focus));
    const place = focus === undefined ? `"${window.title}"` : describeSelector(this.#fill(focus));
    this.#log(`key ${chord} in ${place}`);
    await this.#work.desktop.pressChord({ chord, window: window.id });
    this.#work.apps.workedIn(window);
  }

  async #focusFor(selector: Selector): Promise<Window> {
    const sight = await this.#find(selector, { pointer: false });
    await takeFocus(this.#work, sight, describeSelector(selector), this.#where);
    return sight.window;
  }

  async #windowForKeys(chord: string): Promise<Window> {
    await windowsSettle(this.#work);
    return await this.#until(`the window for key ${chord}`, async () => {
      const chosen = await windowToActIn(this.#work, {});
      if ('miss' in chosen) throw new Miss(chosen.miss);
      await bringForward(this.#work, chosen.window);
      return chosen.window;
    });
  }

  #fill(selector: Selector): Selector {
    return this.#work.variables.selector(selector, 'step');
  }

  /**
   * Finds the element and reads it again right before it is acted on: the one match, still
   * there and the same, usable, and, for the pointer, the one that lies at its centre.
   */
  async #find(selector: Selector, { pointer }: { pointer: boolean }): Promise<Sight> {
    return await this.#until(describeSelector(selector), async () => {
      const chosen = await windowToActIn(this.#work, selector);
      if ('miss' in chosen) throw new Miss(chosen.miss);
      if (this.#work.lease.isHeld) await bringForward(this.#work, chosen.window);
      const sight = await findElement(this.#work, chosen.window, selector);
      const element = await this.#work.desktop.readElement({ ref: sight.element.ref });
      checkUsable(sight, element);
      if (pointer) await this.#checkAtCentre(sight, element);
      return { ...sight, element };
    });
  }

  async #checkAtCentre(sight: Sight, element: Element): Promise<void> {
    const { found } = await this.#work.desktop.elementAt(centre(element));
    if (found !== undefined && isWithin(sight, found.ref)) return;
    const what = found === undefined ? 'no element' : describeSelector(found);
    throw new Miss(`${what} lies at its centre`);
  }

  async #until<T>(what: string, look: () => Promise<T>): Promise<T> {
    const { findWithinMs } = this.#act;
    try {
      return await lookUntil(this.#work, findWithinMs, look);
    } catch (error) {
      if (!(error instanceof Miss)) throw error;
      throw notFound(what, findWithinMs, this.#where, error.message);
    }
  }
}

/** Throws a Miss unless the element is still the one that was found and can be acted on. */
function checkUsable({ element: found, window }: Sight, now: Element): void {
  if (now.role !== found.role || now.name !== found.name) throw new Miss(`it changed to ${describeSelector(now)}`);
  if (!now.visible) throw new Miss('it is hidden');
  if (!now.enabled) throw new Miss('it is disabled');
  const { x, y } = centre(now);
  const { bounds } = window;
  const inside = x >= bounds.x && y >= bounds.y && x < bounds.x + bounds.width && y < bounds.y + bounds.height;
  if (!inside) throw new Miss('it lies outside its window');
}

/** Whether an element of the tree is the one that was found, or below it. */
function isWithin({ tree, element }: Sight, ref: string): boolean {
  let position = tree.elements.findIndex((other) => other.ref === ref);
  while (position >= 0) {
    const at = tree.elements[position];
    if (at?.ref === element.ref) return true;
    position = at?.parent ?? -1;
  }
  return false;
}
