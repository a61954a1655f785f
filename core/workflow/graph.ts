import { StepOrder } from './step-order.ts';
import type { Problem, Step } from './types.ts';

/**
 * Checks that names are unique, that dependencies exist, and that none waits for itself.
 * `depends` and `rewindTo` then hold keys of steps. Steps may share one list of
 * dependencies, which is looked at once: all takes time in proportion to the file.
 *
 * @param outer ids and names of the steps around a `foreach` body, which its own may not repeat
 */
export function linkSteps(steps: readonly Step[], outer: ReadonlySet<string> = new Set()): Problem[] {
  const problems = checkNames(steps, outer);
  const byName = new Map(steps.flatMap((step) => [[step.name, step] as const, [step.key, step] as const]));
  const linked = new Map<string[], string[]>();
  for (const step of steps) {
    const { depends, path, name } = step;
    for (const other of depends) {
      if (byName.has(other)) continue;
      problems.push({ path: [...path, 'depends'], message: `step ${name} depends on non-existent step ${other}` });
    }
    const keys = linked.get(depends) ?? [...new Set(depends.flatMap((other) => byName.get(other)?.key ?? []))];
    linked.set(depends, keys);
    step.depends = keys;
  }
  return [...problems, ...checkCycles(steps), ...linkRewinds(steps, byName, problems.length > 0)];
}

/** A step without a name is called by its place, in a body as outside of it. */
function isGivenName({ id, name }: Step): boolean {
  return id === undefined && /^step-\d+$/.test(name);
}

function checkNames(steps: readonly Step[], outer: ReadonlySet<string>): Problem[] {
  const problems: Problem[] = [];
  const ids = new Map<string, Step>();
  const names = new Set<string>();
  for (const step of steps) {
    const { id, name, path, key } = step;
    if (id !== undefined && ids.has(id)) problems.push({ path: [...path, 'id'], message: `duplicate step ID: ${id}` });
    else if (names.has(name))
      problems.push({ path: [...path, 'name'], message: `step name must be unique: "${name}"` });
    else if ((outer.has(key) || outer.has(name)) && !isGivenName(step)) {
      const message = `step "${outer.has(key) ? key : name}" has the name of a step outside of its foreach`;
      problems.push({ path: [...path, id === undefined ? 'name' : 'id'], message });
    }
    names.add(name);
    if (id !== undefined && !ids.has(id)) ids.set(id, step);
  }
  for (const { id, name } of steps) {
    const clash = ids.get(name);
    if (clash === undefined || id === name) continue;
    problems.push({ path: [...clash.path, 'id'], message: `step ID '${clash.id}' conflicts with another step's name` });
  }
  return problems;
}

/** A step, or a list of dependencies, which steps may share. */
type Node = Step | readonly string[];

/** Steps that wait for one another in a circle, and the lists between them; empty where there are none. */
function findCircle(steps: readonly Step[]): Node[] {
  const byKey = new Map(steps.map((step) => [step.key, step]));
  const before = (node: Node): readonly Node[] =>
    isStep(node) ? [node.depends] : node.flatMap((key) => byKey.get(key) ?? []);
  const states = new Map<Node, 'open' | 'done'>();
  const open: { node: Node; waitsFor: readonly Node[]; next: number }[] = [];
  const enter = (node: Node) => {
    states.set(node, 'open');
    open.push({ node, waitsFor: before(node), next: 0 });
  };
  for (const step of steps) {
    if (!states.has(step)) enter(step);
    for (let top = open.at(-1); top !== undefined; top = open.at(-1)) {
      const other = top.waitsFor[top.next];
      top.next += 1;
      if (other === undefined) {
        states.set(top.node, 'done');
        open.pop();
      } else if (states.get(other) === 'open') {
        const nodes = open.map(({ node }) => node);
        return nodes.slice(nodes.indexOf(other));
      } else if (!states.has(other)) enter(other);
    }
  }
  return [];
}

function isStep(node: Node): node is Step {
  return !Array.isArray(node);
}

const maxNamed = 10;

function checkCycles(steps: readonly Step[]): Problem[] {
  const circle = findCircle(steps).filter(isStep);
  const [first] = circle;
  if (first === undefined) return [];
  const names = circle.slice(0, maxNamed).map(({ name }) => name);
  const more = circle.length > maxNamed ? ` and ${circle.length - maxNamed} more` : '';
  const message = `steps depend on each other in a circle: ${names.join(', ')}${more}`;
  return [{ path: [...first.path, 'depends'], message }];
}

/** A push-back begins at the step itself, or at one before it. */
function linkRewinds(steps: readonly Step[], byName: ReadonlyMap<string, Step>, isBroken: boolean): Problem[] {
  const order = new StepOrder(steps);
  return steps.flatMap((step) => {
    const name = step.approval?.rewindTo;
    if (step.approval === undefined || name === undefined) return [];
    const other = byName.get(name);
    step.approval.rewindTo = other?.key ?? name;
    const path = [...step.path, 'approval', 'rewind_to'];
    if (other === undefined) return [{ path, message: `approval.rewind_to names no step: "${name}"` }];
    if (isBroken || other === step || order.isBefore(other, step)) return [];
    return [{ path, message: `approval.rewind_to must be the step itself or one that it depends on, not "${name}"` }];
  });
}
