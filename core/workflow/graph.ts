import type { Problem, Step } from './types.ts';

/** Checks that names are unique, that dependencies exist, and that none waits for itself. */
export function checkGraph(steps: Step[]): Problem[] {
  const problems = checkNames(steps);
  const byName = new Map(steps.flatMap((step) => [[step.key, step] as const, [step.name, step] as const]));
  for (const step of steps) {
    for (const name of step.depends) {
      if (byName.has(name)) continue;
      problems.push({
        path: [...step.path, 'depends'],
        message: `step ${step.name} depends on non-existent step ${name}`,
      });
    }
  }
  return problems.length > 0 ? problems : checkCycles(steps, byName);
}

function checkNames(steps: Step[]): Problem[] {
  const problems: Problem[] = [];
  const ids = new Set<string>();
  const names = new Set<string>();
  for (const step of steps) {
    if (step.id !== undefined && ids.has(step.id))
      problems.push({ path: [...step.path, 'id'], message: `duplicate step ID: ${step.id}` });
    else if (names.has(step.name))
      problems.push({ path: [...step.path, 'name'], message: `step name must be unique: "${step.name}"` });
    if (step.id !== undefined) ids.add(step.id);
    names.add(step.name);
  }
  const byId = new Map(steps.map((step) => [step.id, step]));
  for (const step of steps) {
    const clash = byId.get(step.name);
    if (clash !== undefined && clash !== step && step.id !== step.name) {
      problems.push({
        path: [...clash.path, 'id'],
        message: `step ID '${clash.id}' conflicts with another step's name`,
      });
    }
  }
  return problems;
}

/** Takes away, again and again, the steps that wait for nothing; what stays waits for itself. */
function checkCycles(steps: Step[], byName: Map<string, Step>): Problem[] {
  const waiting = new Map(steps.map((step) => [step, step.depends.length]));
  const dependents = new Map<Step, Step[]>();
  for (const step of steps) {
    for (const name of step.depends) {
      const other = byName.get(name) as Step;
      dependents.set(other, [...(dependents.get(other) ?? []), step]);
    }
  }
  const free = steps.filter((step) => step.depends.length === 0);
  for (let step = free.pop(); step !== undefined; step = free.pop()) {
    waiting.delete(step);
    for (const dependent of dependents.get(step) ?? []) {
      const left = (waiting.get(dependent) ?? 0) - 1;
      waiting.set(dependent, left);
      if (left === 0) free.push(dependent);
    }
  }
  const stuck = [...waiting.keys()];
  const [first] = stuck;
  if (first === undefined) return [];
  return [
    {
      path: [...first.path, 'depends'],
      message: `steps depend on each other in a circle: ${stuck.map(({ name }) => name).join(', ')}`,
    },
  ];
}
