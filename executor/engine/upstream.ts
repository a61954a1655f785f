import type { Step } from '../../core/workflow/types.ts';

/** Tells which steps come before which by their dependencies, direct or through others. */
export class Upstream {
  readonly #byName: ReadonlyMap<string, Step>;
  /** The steps before the one that was asked for last: kept for all steps, they could fill the memory. */
  #last: { step: Step; before: ReadonlySet<Step> } | undefined;

  constructor(steps: readonly Step[]) {
    this.#byName = new Map(steps.flatMap((step) => [[step.name, step] as const, [step.key, step] as const]));
  }

  isBefore(other: Step, step: Step): boolean {
    if (this.#last?.step !== step) this.#last = { step, before: this.#stepsBefore(step) };
    return this.#last.before.has(other);
  }

  #stepsBefore(step: Step): ReadonlySet<Step> {
    const before = new Set<Step>();
    const open = [...step.depends];
    for (let name = open.pop(); name !== undefined; name = open.pop()) {
      const other = this.#byName.get(name);
      if (other === undefined || before.has(other)) continue;
      before.add(other);
      open.push(...other.depends);
    }
    return before;
  }
}
