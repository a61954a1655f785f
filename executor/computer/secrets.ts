import { type StepContext, StepError } from '../action.ts';
import type { Plan } from './plan.ts';

/** Shorter values turn up in texts by chance. */
const shortestSecret = 4;

/**
 * Fails the step when a text that a model may see holds a declared secret's value
 * (spec: Variables and secrets). Exact checks never reach a model.
 */
export function refuseSecretsInTexts({ operations, variables, visible }: Plan, secrets: StepContext['secrets']): void {
  const byName = [...secrets]
    .filter(({ value }) => value !== '')
    .sort((left, right) => (left.name < right.name ? -1 : 1));
  for (const [index, operation] of operations.entries()) {
    if (operation.kind !== 'act' && operation.kind !== 'extract') continue;
    const held = byName.find(
      ({ value }) => [...value].length >= shortestSecret && operation.instruction.includes(value),
    );
    if (held === undefined) continue;
    throw new StepError(
      `do[${index}].${operation.kind} contains the value of secret ${held.name}, which would be sent to the model; pass it in with.variables and reference it as %name%`,
    );
  }
  for (const name of visible) {
    const held = byName.find(({ value }) => variables[name]?.includes(value));
    if (held === undefined) continue;
    throw new StepError(
      `with.visible lists ${name}, whose value contains the value of secret ${held.name}, which would be sent to the model; take it out of with.visible`,
    );
  }
}
