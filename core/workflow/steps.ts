import { actionRules } from './actions.ts';
import { readApproval } from './approval.ts';
import { readEnv } from './declared-values.ts';
import { type Execution, readExecution } from './execution.ts';
import { type Findings, shapeCheck } from './findings.ts';
import { readForeach } from './foreach.ts';
import { isObject } from './json.ts';
import { invalidSchema, listedProperties } from './output-schema.ts';
import { readContinueOn, readRetryPolicy } from './policies.ts';
import { readPreconditions } from './preconditions.ts';
import { withoutRefused } from './refused-keys.ts';
import { namePattern } from './shapes.ts';
import { StepDocument } from './step-document.ts';
import { readDeclaredOutputs, readOutput, readTarget } from './step-outputs.ts';
import { maxSteps } from './stream.ts';
import type { FieldPath, HandlerName, JsonObject, Step, Workflow } from './types.ts';

const checkShape = shapeCheck(StepDocument, Object.keys(StepDocument.properties));
const reservedIds = new Set(['env', 'params', 'args', 'stdout', 'stderr', 'output', 'outputs']);
const utf8 = new TextEncoder();

/** Reads the steps of a document. What is wrong with a field is told, and the step goes on without it. */
export class StepReader {
  /** Set where ids, names or dependencies could not be read: what follows from their absence is no problem of the file. */
  hasBrokenNames = false;
  /** The bodies of `foreach` steps, which get the settings of the workflow around them. */
  readonly bodies: Workflow[] = [];
  /** Where a step asks for workers. */
  workerSelector: unknown;
  readonly #findings: Findings;
  readonly #makeBody: (steps: Step[]) => Workflow;
  readonly #count: { steps: number };

  /** @param count how many steps of the file were read so far */
  constructor(findings: Findings, count: { steps: number }, makeBody: (steps: Step[]) => Workflow) {
    this.#findings = findings;
    this.#count = count;
    this.#makeBody = makeBody;
  }

  /** The steps of a list, in the order written; an entry may be a list itself, which is a group. */
  readList(list: readonly unknown[], path: FieldPath, type: Workflow['type']): Step[] {
    const steps: Step[] = [];
    let before: string[] = [];
    for (const [index, entry] of list.entries()) {
      const group = this.#readEntry(entry, [...path, index], { before: steps.length }, type);
      if (type === 'chain') for (const step of group) step.depends = before;
      if (group.length > 0) before = group.map(({ key }) => key);
      for (const step of group) steps.push(step);
    }
    if (steps.length === 0 && list.every(isEmptyGroup)) this.#findings.field(path, 'steps must hold at least one step');
    return steps;
  }

  /** The step of a handler, which is named by it. */
  readHandler(value: unknown, name: HandlerName): Step | undefined {
    const path = ['handler_on', name];
    if (Array.isArray(value)) {
      this.#findings.field(path, 'a handler is one step, not a list');
      return undefined;
    }
    const step = this.#readStep(value, path, name);
    if (step === undefined) return undefined;
    for (const field of ['depends', 'approval'] as const) {
      if (isObject(value) && field in value)
        this.#findings.field([...path, field], `a handler cannot have ${field}; remove it`);
    }
    const { approval: _, ...rest } = step;
    return { ...rest, key: name, depends: [] };
  }

  /** @param position how many steps of the list come before, for the name of one that has none */
  #readEntry(entry: unknown, path: FieldPath, position: { before: number }, type: Workflow['type']): Step[] {
    if (Array.isArray(entry)) {
      return entry.flatMap((item, index) => this.#readEntry(item, [...path, index], position, type));
    }
    position.before += 1;
    const step = this.#readStep(entry, path, `step-${position.before}`);
    if (step === undefined) return [];
    if (type === 'chain' && isObject(entry) && entry.depends !== undefined && entry.depends !== null) {
      const message = `step '${step.name}': depends field is not allowed for DAGs with type 'chain'; use type 'graph' for explicit dependencies`;
      this.#findings.problem([...path, 'depends'], message);
    }
    return [step];
  }

  #readStep(value: unknown, path: FieldPath, defaultName: string): Step | undefined {
    this.#count.steps += 1;
    if (this.#count.steps > maxSteps) {
      if (this.#count.steps === maxSteps + 1) {
        this.#findings.problem(path, `the file has more than ${maxSteps} steps; split it into files of their own`);
      }
      return undefined;
    }
    const findings = this.#findings;
    if (typeof value === 'string') {
      findings.deprecated(path, 'run');
      return this.#build({ run: value }, new Set(), path, defaultName);
    }
    if (!isObject(value)) {
      findings.field(path, 'a step must be a mapping, a text, or a list of steps');
      return undefined;
    }
    const written = withoutNulls(value);
    const given = withoutRefused(written, 'step', path, findings);
    const broken = new Set(checkShape(given, path, findings));
    const known = Object.fromEntries(Object.entries(given).filter(([key]) => !broken.has(key))) as StepDocument;
    // A refused key may have been what the step does.
    if (given !== written) broken.add('run');
    if (['id', 'name', 'depends'].some((key) => broken.has(key))) this.hasBrokenNames = true;
    return this.#build(known, broken, path, defaultName);
  }

  #build(document: StepDocument, broken: ReadonlySet<string>, path: FieldPath, defaultName: string): Step {
    const findings = this.#findings;
    const at = (...rest: FieldPath): FieldPath => [...path, ...rest];
    const { id, description, working_dir, output_schema, timeout_sec, retry_policy, approval } = document;
    const execution = readExecution({ document, broken, path, findings });
    const name = document.name ?? id ?? defaultName;
    const declared = readDeclaredOutputs(document.outputs, id, at('outputs'), findings);
    const stdout = readTarget(document.stdout, 'stdout', at('stdout'), findings);
    const stderr = readTarget(document.stderr, 'stderr', at('stderr'), findings);
    this.#checkNames(document, path);
    if (output_schema !== undefined && execution.action !== 'chat.completion') {
      const problem = invalidSchema(output_schema as JsonObject);
      if (problem !== undefined)
        findings.field(at('output_schema'), `output_schema is not a valid JSON Schema: ${problem}`);
    }
    this.#checkWorkers(document.worker_selector, execution, at('worker_selector'));
    const step: Step = {
      key: id ?? name,
      name,
      ...execution,
      depends: typeof document.depends === 'string' ? [document.depends] : (document.depends ?? []),
      env: readEnv(document.env),
      continueOn: readContinueOn(document.continue_on, at('continue_on'), findings),
      preconditions: readPreconditions(document.preconditions, at('preconditions'), findings),
      outputNames: [],
      path,
      ...(id !== undefined && { id }),
      ...(description !== undefined && { description }),
      ...(working_dir !== undefined && { workingDir: working_dir }),
      ...readOutput(document.output, at('output'), findings),
      ...(declared !== undefined && { declaredOutputs: declared }),
      ...(output_schema !== undefined && { outputSchema: output_schema as JsonObject }),
      ...(stdout !== undefined && { stdout }),
      ...(stderr !== undefined && { stderr }),
      ...(timeout_sec !== undefined && { timeoutSec: timeout_sec }),
      ...(retry_policy !== undefined && { retryPolicy: readRetryPolicy(retry_policy, at('retry_policy'), findings) }),
      ...(approval !== undefined && { approval: readApproval(approval, at('approval'), findings) }),
    };
    if (document.foreach !== undefined) this.#readLoop(document, step);
    step.outputNames = outputNames(step);
    return step;
  }

  #checkNames({ id, name }: StepDocument, path: FieldPath): void {
    const add = (field: string, message: string) => this.#findings.problem([...path, field], message);
    if (id !== undefined) {
      if (!new RegExp(namePattern).test(id) || id.length > 40) {
        add(
          'id',
          `invalid step ID format: "${id}" must match ${namePattern}, 40 characters at most (use '_' instead of '-')`,
        );
      }
      if (reservedIds.has(id.toLowerCase())) add('id', `step ID '${id}' is a reserved word`);
    }
    if (name === undefined) return;
    if (name.trim() === '') add('name', 'a step name must not be empty');
    if (utf8.encode(name).length > 255) add('name', 'a step name must have at most 255 bytes');
  }

  #checkWorkers(selector: unknown, { action }: Execution, path: FieldPath): void {
    if (selector === undefined) return;
    if (action === 'dag.run') this.workerSelector ??= selector;
    else this.#findings.field(path, `action "${action}" does not support worker_selector field`);
  }

  #readLoop(document: StepDocument, step: Step): void {
    const path = [...step.path, 'foreach'];
    const read = readForeach(document.foreach, path, this.#findings);
    for (const field of ['with', 'outputs', 'output_schema', 'stdout', 'stderr'] as const) {
      if (document[field] === undefined) continue;
      this.#findings.field(
        [...step.path, field],
        `${field} has no effect beside foreach; give it to a step of the body`,
      );
    }
    if (read === undefined) return;
    const body = this.#makeBody(this.readList(read.steps, [...path, 'steps'], 'graph'));
    this.bodies.push(body);
    step.foreach = { ...read.loop, body };
  }
}

function isEmptyGroup(entry: unknown): boolean {
  return Array.isArray(entry) && entry.every(isEmptyGroup);
}

/** A key without a value is as if it were not there. */
export function withoutNulls<T extends object>(value: T): T {
  const entries = Object.entries(value);
  return entries.some(([, inner]) => inner === null)
    ? (Object.fromEntries(entries.filter(([, inner]) => inner !== null)) as T)
    : value;
}

/** Names that a step publishes, each once. */
function outputNames(step: Step): string[] {
  const rules = Object.hasOwn(actionRules, step.action) ? actionRules[step.action] : undefined;
  const own = rules === undefined ? listedProperties(step.outputSchema) : rules.outputNames(step);
  return [
    ...new Set([
      ...(step.output === undefined ? [] : [step.output]),
      ...own,
      ...Object.keys(step.outputMap ?? {}),
      ...(step.declaredOutputs ?? []).map(({ name }) => name),
      ...Object.keys(step.stdout?.outputs ?? {}),
      ...Object.keys(step.stderr?.outputs ?? {}),
      ...Object.keys(step.foreach?.collect ?? {}),
      ...(step.approval?.input ?? []),
    ]),
  ];
}
