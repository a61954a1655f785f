import { fieldName } from './field-name.ts';
import { type Reference, referencesIn } from './references.ts';
import type { Problem, Step, Workflow } from './types.ts';

/**
 * Checks the references of a workflow's steps. One that can never have a value is a
 * mistake: it would reach the step as the text that stands in the file.
 */
export function referenceChecker(workflow: Workflow): (step: Step) => Problem[] {
  const params = new Set(workflow.params.map(({ name }) => name));
  const byId = new Map(workflow.steps.map((step) => [step.id, step]));
  const byName = new Map(workflow.steps.flatMap((step) => [[step.key, step] as const, [step.name, step] as const]));

  const whyNot = (step: Step, [namespace, name = '', , output = '']: Reference): string | undefined => {
    if (namespace === 'params' && name !== '' && !params.has(name)) {
      return `\${params.${name}} names no parameter of this workflow${known([...params])}`;
    }
    if (namespace === 'consts' && !Object.hasOwn(workflow.consts, name)) {
      return `\${consts.${name}} names no constant of this workflow${known(Object.keys(workflow.consts))}`;
    }
    if (namespace !== 'steps') return undefined;
    const source = `\${steps.${name}.outputs.${output}}`;
    const other = byId.get(name);
    if (step.id === name) return `${source} is an output of the step itself`;
    if (other === undefined) {
      return `${source} names no step id${known([...byId.keys()].filter((id) => id !== undefined))}`;
    }
    if (!other.outputNames.includes(output)) {
      return `${source} names no output of step "${name}"${known(other.outputNames)}`;
    }
    if (isUpstream(other, step, byName)) return undefined;
    return `${source} needs "depends: ${other.key}", or the value may not be there yet`;
  };

  return (step) => {
    const fields = { run: step.run, with: step.with, env: step.env, working_dir: step.workingDir };
    return Object.entries(fields).flatMap(([field, value]) =>
      referencesIn(value).flatMap((reference) => {
        const reason = whyNot(step, reference);
        const path = [...step.path, field];
        return reason === undefined ? [] : [{ path, message: `field '${fieldName(path)}': ${reason}` }];
      }),
    );
  };
}

/** Whether a step has ended when another begins. A handler runs after the steps, and may look at each. */
function isUpstream(other: Step, step: Step, byName: ReadonlyMap<string, Step>): boolean {
  if (step.path[0] === 'handler_on') return true;
  const seen = new Set<Step>();
  const queue = [step];
  for (let at = queue.pop(); at !== undefined; at = queue.pop()) {
    for (const name of at.depends) {
      const before = byName.get(name);
      if (before === other) return true;
      if (before === undefined || seen.has(before)) continue;
      seen.add(before);
      queue.push(before);
    }
  }
  return false;
}

function known(names: string[]): string {
  return names.length === 0 ? '' : ` (there ${names.length === 1 ? 'is' : 'are'}: ${names.join(', ')})`;
}
