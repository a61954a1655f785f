import type { Role } from '../../core/workflow/selector.ts';
import type { Element, Pattern } from '../../native/desktop.ts';
import { StepError } from '../action.ts';
import type { OperationWork } from './work.ts';

/** Elements that act themselves, under `input: direct` (spec: Replay cache). */

const byRole: Partial<Record<Role, Pattern>> = {
  checkbox: 'toggle',
  radio: 'select',
  list_item: 'select',
  tab: 'select',
  cell: 'select',
  combo_box: 'expand',
  text_field: 'focus',
};

/** The pattern that stands for a plain click on an element. */
export function patternOf(role: Role): Pattern {
  return byRole[role] ?? 'invoke';
}

const participles: Record<Pattern, string> = {
  invoke: 'invoked',
  toggle: 'toggled',
  select: 'selected',
  expand: 'opened',
  focus: 'focused',
  setValue: 'set',
};

/** Performs a pattern; a refusal fails the step: `button "Save" could not be invoked at step 2 of 5: …`. */
export async function performPattern(
  work: OperationWork,
  { ref }: Element,
  { pattern, what, where }: { pattern: Pattern; what: string; where: string },
): Promise<void> {
  const { outcome, reason = 'it gave no reason' } = await work.desktop.perform({ ref, pattern });
  if (outcome === 'refused') {
    throw new StepError(`${what} could not be ${participles[pattern]}${where}: ${reason}`);
  }
  if (outcome === 'unconfirmed')
    work.log(`${what} was ${participles[pattern]}; nothing read back tells what came of it`);
}
