import { listed } from './check-references.ts';
import { contextFields } from './context-fields.ts';
import type { LocatedReference } from './references.ts';
import { itemReferences, rootReferences, stepReferences } from './resolved-fields.ts';
import { StepOrder } from './step-order.ts';
import type { FieldPath, Foreach, Step, Workflow } from './types.ts';

/** Why a reference has no value; where several reasons hold, the first of this order is told. */
export const noticeReasons = [
  /** No value of this kind can be read in this field. */
  'namespace_unavailable',
  'unknown_step_id',
  'self_reference',
  'unknown_output_name',
  /** The step does not wait for the one whose output it names. */
  'missing_dependency',
  /** The run's context, or the item of a `foreach`, has no such field. */
  'unknown_field',
  /** Whether there is a value shows when the workflow runs. */
  'no_value',
] as const;
export type NoticeReason = (typeof noticeReasons)[number];

/** A reference that stays as it is written, since it has no value. No error: runs and exit codes do not change. */
export interface Notice {
  path: FieldPath;
  /** The reference as it is written. */
  source: string;
  reason: NoticeReason;
  /** A `defect` has no value in any run, and is always told; `runtime` is told to who asks for unresolved references. */
  class: 'defect' | 'runtime';
  /** A sentence that begins with the reference. */
  message: string;
}

/** All that can be noticed in a workflow before it runs, with the bodies of its `foreach` steps. */
export function findNotices(workflow: Workflow): Notice[] {
  const env = new Set(workflow.env.map(([name]) => name));
  for (const { name } of [...workflow.secrets, ...workflow.params]) env.add(name);
  for (const { variable } of contextFields.values()) if (variable !== undefined) env.add(variable);
  const optional = workflow.params.filter((param) => !param.required || param.default !== undefined);
  const inspector = new Inspector(new Set(optional.map(({ name }) => name)), env);
  return [
    ...inspector.inspect(rootReferences(workflow), {}),
    ...inspector.inspectSteps(levelOf(workflow.steps), []),
    ...Object.values(workflow.handlers).flatMap((step) => inspector.inspectStep(step, { step })),
  ];
}

/** The steps of a workflow, or of a `foreach` body with the step around it. */
interface Level {
  steps: readonly Step[];
  byId: ReadonlyMap<string, Step>;
  order: StepOrder;
  around?: { level: Level; step: Step };
}

function levelOf(steps: readonly Step[]): Level {
  const byId = new Map(steps.flatMap((step) => (step.id === undefined ? [] : [[step.id, step] as const])));
  return { steps, byId, order: new StepOrder(steps) };
}

/** What can be read in a field. */
interface Place {
  step?: Step;
  /** Undefined where no outputs can be read: outside of steps, and in handlers. */
  level?: Level;
  /** All steps of the level have ended. */
  isAfter?: true;
  /** Names of the items of the `foreach` steps around. */
  items?: readonly string[];
}

type Finding = Pick<Notice, 'reason' | 'class'> & { because: string };

function defect(reason: NoticeReason, because: string): Finding {
  return { reason, class: 'defect', because };
}

function runtime(because: string): Finding {
  return { reason: 'no_value', class: 'runtime', because };
}

class Inspector {
  /** Parameters that have a value if nobody gives one. */
  readonly #given: ReadonlySet<string>;
  readonly #env: Set<string>;

  constructor(given: ReadonlySet<string>, env: Set<string>) {
    this.#given = given;
    this.#env = env;
  }

  inspectSteps(level: Level, items: readonly string[]): Notice[] {
    for (const { output } of level.steps) if (output !== undefined) this.#env.add(output);
    return level.steps.flatMap((step) => [
      ...this.inspectStep(step, { step, level, items }),
      ...(step.foreach === undefined ? [] : this.#inspectForeach(step, step.foreach, level, items)),
    ]);
  }

  inspectStep(step: Step, place: Place): Notice[] {
    return this.inspect(stepReferences(step), place);
  }

  #inspectForeach(step: Step, { body, as }: Foreach, level: Level, items: readonly string[]): Notice[] {
    const inside = { ...levelOf(body.steps), around: { level, step } };
    const names = [...items, as];
    const { key, collect } = itemReferences(step);
    return [
      ...this.inspect(key, { step, level, items: names }),
      ...this.inspect(collect, { step, level: inside, isAfter: true, items: names }),
      ...this.inspectSteps(inside, names),
    ];
  }

  inspect(references: LocatedReference[], place: Place): Notice[] {
    return references.flatMap((found) => {
      const finding = this.#find(found, place);
      if (finding === undefined) return [];
      const { because, ...rest } = finding;
      return [{ path: found.path, source: found.source, ...rest, message: `${found.source} ${because}` }];
    });
  }

  #find({ reference }: LocatedReference, place: Place): Finding | undefined {
    const [namespace, name = ''] = reference;
    switch (namespace) {
      case 'steps':
        return findOutput(name, reference[3] ?? '', place);
      case 'foreach':
        return findItem(reference, place.items ?? []);
      case 'context':
        return findContext(reference.slice(1).join('.'), place);
      case 'params':
        return name === '' || this.#given.has(name) ? undefined : runtime('has a value only where a start gives it');
      case 'env':
        if (this.#env.has(name) || place.step?.env.some(([own]) => own === name)) return undefined;
        return runtime('is not set in this file; it may come from outside');
      default:
        return undefined;
    }
  }
}

function findOutput(id: string, output: string, { step, level, isAfter }: Place): Finding | undefined {
  if (level === undefined || step === undefined) {
    const where = step === undefined ? 'a field outside of the steps' : 'a handler';
    return defect('namespace_unavailable', `cannot be read in ${where}; outputs of steps are for the steps after them`);
  }
  const found = findLevel(id, level, step);
  if (found === undefined) return defect('unknown_step_id', `names no step id${listed(idsOf(level))}`);
  const { producer, reader, order, isOwn } = found;
  if (producer === reader) return defect('self_reference', 'is an output of the step itself');
  if (!producer.outputNames.includes(output) && producer.hasOtherOutputs !== true) {
    return defect('unknown_output_name', `names no output of step "${id}"${listed(producer.outputNames)}`);
  }
  if ((isOwn && isAfter === true) || order.isBefore(producer, reader)) return undefined;
  return defect('missing_dependency', `needs "depends: ${producer.key}", or the value may not be there yet`);
}

/** The step of an id, in the level or one around it, with the step there that reads its output. */
function findLevel(
  id: string,
  level: Level,
  step: Step,
): { producer: Step; reader: Step; order: StepOrder; isOwn: boolean } | undefined {
  let reader = step;
  for (let at: Level | undefined = level; at !== undefined; at = at.around?.level) {
    const producer = at.byId.get(id);
    if (producer !== undefined) return { producer, reader, order: at.order, isOwn: at === level };
    reader = at.around?.step ?? reader;
  }
  return undefined;
}

function idsOf({ byId, around }: Level): string[] {
  return [...byId.keys(), ...(around === undefined ? [] : idsOf(around.level))];
}

function findItem([, name = '', field]: readonly string[], items: readonly string[]): Finding | undefined {
  if (items.length === 0) return defect('namespace_unavailable', 'has a value only in the body of a foreach step');
  const isKnown = items.includes(name) || (field === undefined && (name === 'index' || name === 'key'));
  return isKnown ? undefined : defect('unknown_field', `names no item${listed(['index', 'key', ...items])}`);
}

function findContext(field: string, { step, level }: Place): Finding | undefined {
  const known = contextFields.get(field);
  if (known === undefined)
    return defect('unknown_field', `names no field of the context${listed(contextFields.keys())}`);
  const isOfStep = /^(?:step|paths\.step_\w+)\b/.test(field);
  if (isOfStep && step === undefined) return defect('namespace_unavailable', 'has a value only in a step');
  if (known.available === 'always') return undefined;
  if (field === 'step.id' && level !== undefined && step?.id !== undefined) return undefined;
  return runtime(`has a value in some runs alone: ${known.meaning}`);
}
