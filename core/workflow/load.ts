import { problemFinder } from '../contract/check.ts';
import { actionRules } from './actions.ts';
import { referenceChecker } from './check-references.ts';
import { readConsts, readEnv, readParams, readSecrets } from './declared-values.ts';
import {
  type StepDocument,
  unsupportedHandlers,
  unsupportedRootKeys,
  unsupportedStepKeys,
  WorkflowDocument,
} from './document.ts';
import { fieldName } from './field-name.ts';
import { checkGraph } from './graph.ts';
import { isObject } from './json.ts';
import { checkLlm } from './llm.ts';
import { listedProperties } from './output-schema.ts';
import { checkShellReferences } from './shell-data.ts';
import { isPosixShell } from './shells.ts';
import { type LocatedProblem, readStream, type SourceDocument } from './stream.ts';
import { type FieldPath, handlerNames, type JsonObject, type Problem, type Step, type Workflow } from './types.ts';

/** What became of reading a workflow file: the workflow when nothing is wrong, and what was noticed. */
export interface Loaded {
  workflow?: Workflow;
  problems: LocatedProblem[];
  warnings: LocatedProblem[];
}

export interface LoadOptions {
  /**
   * `validate` asks for the rules of a stream that others may reuse: the first document
   * has no name. `start` takes a name there as the workflow's.
   */
  strictStream: boolean;
}

const findProblems = problemFinder(WorkflowDocument);

/**
 * Reads the text of a workflow file. Every problem that can be known before a run is
 * told, with line, column and field; a workflow comes back only when there is none.
 *
 * @param path absolute path of the file, which gives the workflow its name
 */
export function loadWorkflow(text: string, path: string, { strictStream }: LoadOptions): Loaded {
  const { documents, problems } = readStream(text);
  if (problems.length > 0) return { problems, warnings: [] };
  const streamProblems = checkStream(documents, strictStream);
  if (streamProblems.length > 0) return { problems: streamProblems, warnings: [] };

  const loaded = documents.map((document, position) => loadDocument(document, path, position > 0));
  const all = loaded.flatMap((one) => one.problems);
  const warnings = loaded.flatMap((one) => one.warnings);
  const [entry, ...locals] = loaded.map((one) => one.workflow);
  if (all.length > 0 || entry === undefined) return { problems: all, warnings };
  return { workflow: { ...entry, locals: locals.filter((local) => local !== undefined) }, problems: [], warnings };
}

function checkStream(documents: SourceDocument[], strict: boolean): LocatedProblem[] {
  if (documents.length === 0) return [{ message: 'yaml stream must contain at least one DAG document', path: [] }];
  const problems: LocatedProblem[] = [];
  const names = new Set<string>();
  for (const [position, document] of documents.entries()) {
    const title = position === 0 ? 'entrypoint document' : `document ${position + 1}`;
    const add = (message: string, path: FieldPath = []) =>
      problems.push({ message: `${title} ${message}`, path, ...document.locate(path) });
    const { value } = document;
    if (value === null || value === undefined) {
      add('must not be empty');
      continue;
    }
    if (!isObject(value)) {
      add('must be a mapping');
      continue;
    }
    if (value.steps === undefined) add('must define steps');
    else if (!Array.isArray(value.steps) || value.steps.length === 0)
      add('steps must be a non-empty sequence', ['steps']);
    if (position === 0) {
      if (strict && value.name !== undefined) add('must not define name', ['name']);
      continue;
    }
    if (value.name === undefined) add('must define name');
    else if (typeof value.name !== 'string' || value.name.trim() === '')
      add('name must be a non-empty string', ['name']);
    else if (names.has(value.name)) {
      problems.push({
        message: `DAG document name "${value.name}" must be unique`,
        path: ['name'],
        ...document.locate(['name']),
      });
    } else names.add(value.name);
  }
  return problems;
}

function loadDocument(source: SourceDocument, path: string, local: boolean): Loaded {
  const at = (problem: Problem): LocatedProblem => ({ ...problem, ...source.locate(problem.path) });
  const value = source.value as Record<string, unknown>;
  const unsupported = findUnsupported(value);
  if (unsupported.length > 0) return { problems: unsupported.map(at), warnings: [] };
  const shape = findProblems(value).map(({ path: place, message }) => ({
    path: place,
    message: fieldMessage(place, message, valueAt(value, place)),
  }));
  if (shape.length > 0) return { problems: shape.map(at), warnings: [] };

  const { workflow, problems, warnings } = build(value as WorkflowDocument, path, local);
  const checked = checkWorkflow(workflow);
  problems.push(...checked.problems);
  warnings.push(...checked.warnings);
  return { workflow, problems: problems.map(at), warnings: warnings.map(at) };
}

/** `field 'llm.temperature': temperature must be between 0.0 and 2.0 (value: 3)` */
function fieldMessage(path: FieldPath, message: string, value: unknown): string {
  if (path.length === 0) return message.replace(/^must not have the key (".*")$/, 'invalid keys: $1');
  const shown = value === null || typeof value !== 'object' ? ` (value: ${String(value)})` : '';
  return `field '${fieldName(path)}': ${message}${shown}`;
}

function valueAt(value: unknown, path: FieldPath): unknown {
  return path.reduce<unknown>((inner, key) => (inner as Record<string | number, unknown> | undefined)?.[key], value);
}

function findUnsupported(value: Record<string, unknown>): Problem[] {
  const refuse = (path: FieldPath): Problem => ({
    path,
    message: `field '${fieldName(path)}': "${String(path.at(-1))}" is a key of Dagu that Dagu Desktop does not run`,
  });
  const problems = Object.keys(value)
    .filter((key) => unsupportedRootKeys.has(key))
    .map((key) => refuse([key]));
  for (const [path, step] of stepPlaces(value)) {
    for (const key of Object.keys(step)) if (unsupportedStepKeys.has(key)) problems.push(refuse([...path, key]));
  }
  if (isObject(value.handler_on)) {
    for (const key of Object.keys(value.handler_on)) {
      if (unsupportedHandlers.has(key)) problems.push(refuse(['handler_on', key]));
    }
  }
  return problems;
}

function stepPlaces(value: Record<string, unknown>): [FieldPath, Record<string, unknown>][] {
  const steps = Array.isArray(value.steps) ? value.steps.map((step, index) => [['steps', index], step] as const) : [];
  const handlers = isObject(value.handler_on)
    ? Object.entries(value.handler_on).map(([name, step]) => [['handler_on', name], step] as const)
    : [];
  return [...steps, ...handlers].flatMap(([path, step]) => (isObject(step) ? [[path, step]] : []));
}

interface Building {
  problems: Problem[];
  warnings: Problem[];
}

function build(document: WorkflowDocument, path: string, local: boolean): { workflow: Workflow } & Building {
  const building: Building = { problems: [], warnings: [] };
  const type = document.type ?? 'graph';
  if (type !== 'graph' && type !== 'chain') {
    building.problems.push({ path: ['type'], message: `invalid type: ${type} (must be one of: graph, chain)` });
  }
  const consts = readConsts(document);
  const steps = document.steps.map((step, index) => buildStep(step, ['steps', index], building));
  if (type === 'chain') chain(document.steps, steps, building);
  const handlers: Workflow['handlers'] = {};
  for (const name of handlerNames) {
    const handler = document.handler_on?.[name];
    if (handler !== undefined) handlers[name] = { ...buildStep(handler, ['handler_on', name], building), key: name };
  }
  const usesDesktop = [...steps, ...Object.values(handlers)].some((step) => actionRules[step.action]?.usesDesktop);
  const workflow: Workflow = {
    name: checkedName(document.name ?? stem(path), local || document.name !== undefined, building),
    path,
    type: type === 'chain' ? 'chain' : 'graph',
    params: readParams(document.params, building.problems),
    consts,
    env: readEnv(document.env),
    dotenv: [],
    preconditions: [],
    schedules: [],
    overlapPolicy: 'skip',
    catchupWindowMs: 0,
    secrets: readSecrets(document, building.problems),
    steps,
    handlers,
    artifacts: {
      enabled: document.artifacts?.enabled ?? (usesDesktop || document.artifacts?.dir !== undefined),
      ...(document.artifacts?.dir !== undefined && { dir: document.artifacts.dir }),
    },
    locals: [],
    ...(document.description !== undefined && { description: document.description }),
    ...(document.llm !== undefined && { llm: document.llm }),
    ...(document.working_dir !== undefined && { workingDir: document.working_dir }),
    ...(document.shell !== undefined && { shell: document.shell }),
    ...(document.timeout_sec !== undefined && { timeoutSec: document.timeout_sec }),
    ...(document.max_active_steps !== undefined && { maxActiveSteps: document.max_active_steps }),
  };
  return { workflow, ...building };
}

function checkedName(name: string, written: boolean, { problems }: Building): string {
  if (/^[-A-Za-z0-9._]{1,40}$/.test(name)) return name;
  if (written) {
    problems.push({ path: ['name'], message: `name "${name}" must be 1 to 40 letters, digits, '-', '.' or '_'` });
  }
  // A file may have any name; its workflow's name keeps what is allowed of it.
  return name.replaceAll(/[^-A-Za-z0-9._]+/g, '-').slice(0, 40) || 'workflow';
}

function stem(path: string): string {
  return (path.split(/[\\/]/).at(-1) ?? path).replace(/\.ya?ml$/i, '');
}

const reservedIds = new Set(['env', 'params', 'args', 'stdout', 'stderr', 'output', 'outputs']);

function buildStep(document: StepDocument, path: FieldPath, { problems, warnings }: Building): Step {
  const add = (field: string, message: string) => problems.push({ path: [...path, field], message });
  const { id } = document;
  if (id !== undefined) {
    if (!/^[A-Za-z][A-Za-z0-9_]*$/.test(id) || id.length > 40) {
      add(
        'id',
        `invalid step ID format: "${id}" must match ^[A-Za-z][A-Za-z0-9_]*$, 40 characters at most (use '_' instead of '-')`,
      );
    }
    if (reservedIds.has(id.toLowerCase())) add('id', `step ID '${id}' is a reserved word`);
  }
  for (const old of ['command', 'script'] as const) {
    if (document[old] !== undefined) {
      warnings.push({
        path: [...path, old],
        message: `Deprecated DAG syntax: ${fieldName([...path, old])} is deprecated; use run`,
      });
    }
  }
  const run = [document.run, document.command, document.script].flat().filter((text) => text !== undefined);
  const forms = [document.run, document.command, document.script].filter((form) => form !== undefined);
  if (forms.length > 1) add('run', 'run, command and script cannot be used together');
  if (run.length > 0 && document.action !== undefined) add('run', 'run cannot be used together with action');
  if (run.length === 0 && document.action === undefined) {
    problems.push({ path, message: `${fieldName(path)} must have run or action` });
  }
  if (document.action !== undefined && actionRules[document.action] === undefined) {
    add('action', `unknown action "${document.action}" (known: ${Object.keys(actionRules).join(', ')})`);
  }
  const input = (document.with ?? {}) as JsonObject;
  const shell = shellOf(document, input, path, problems);
  const name = document.name ?? id ?? `step-${Number(path.at(-1)) + 1 || String(path.at(-1))}`;
  const step: Step = {
    key: id ?? name,
    name,
    action: document.action ?? 'run',
    run,
    with: input,
    depends: document.depends === undefined ? [] : [document.depends].flat(),
    env: readEnv(document.env),
    continueOn: readContinueOn(document.continue_on),
    preconditions: [],
    outputNames: [],
    path,
    ...(id !== undefined && { id }),
    ...(document.description !== undefined && { description: document.description }),
    ...(document.working_dir !== undefined && { workingDir: document.working_dir }),
    ...(shell !== undefined && { shell }),
    ...(document.output !== undefined && { output: document.output }),
    ...(document.output_schema !== undefined && { outputSchema: document.output_schema as JsonObject }),
    ...(document.timeout_sec !== undefined && { timeoutSec: document.timeout_sec }),
  };
  step.outputNames = outputNames(step);
  return step;
}

function shellOf(document: StepDocument, input: JsonObject, path: FieldPath, problems: Problem[]): string | undefined {
  if (document.action !== undefined) return undefined;
  for (const key of Object.keys(input)) {
    if (key !== 'shell')
      problems.push({ path: [...path, 'with', key], message: `run accepts only with.shell, not with.${key}` });
  }
  const shell = document.shell ?? input.shell;
  return typeof shell === 'string' ? shell : undefined;
}

function readContinueOn(value: StepDocument['continue_on']): Step['continueOn'] {
  const rest = { exitCodes: [], outputs: [], markSuccess: false };
  if (value === undefined) return { failure: false, skipped: false, ...rest };
  if (typeof value === 'string') return { failure: value === 'failed', skipped: value === 'skipped', ...rest };
  return { failure: value.failure ?? false, skipped: value.skipped ?? false, ...rest };
}

function outputNames(step: Step): string[] {
  const rules = actionRules[step.action];
  if (rules !== undefined) return rules.outputNames(step);
  const properties = listedProperties(step.outputSchema);
  return step.output === undefined ? properties : [step.output, ...properties];
}

/** In a chain each step follows the one before it. */
function chain(documents: StepDocument[], steps: Step[], { problems }: Building): void {
  for (const [index, step] of steps.entries()) {
    if (documents[index]?.depends !== undefined) {
      problems.push({
        path: [...step.path, 'depends'],
        message: `step '${step.name}': depends field is not allowed for DAGs with type 'chain'; use type 'graph' for explicit dependencies`,
      });
    }
    const previous = steps[index - 1];
    if (previous !== undefined) step.depends = [previous.key];
  }
}

/** Rules that span steps: names, dependencies, references, and each action's own. */
function checkWorkflow(workflow: Workflow): Building {
  const problems = checkGraph(workflow.steps);
  const warnings: Problem[] = [];
  const checkReferences = referenceChecker(workflow);
  if (workflow.llm !== undefined) problems.push(...checkLlm(workflow.llm, ['llm']));
  if (workflow.shell !== undefined && !isPosixShell(workflow.shell)) {
    problems.push(shellProblem(['shell'], workflow.shell));
  }
  for (const step of [...workflow.steps, ...Object.values(workflow.handlers)]) {
    problems.push(...(actionRules[step.action]?.check(step, workflow) ?? []));
    if (step.shell !== undefined && !isPosixShell(step.shell)) {
      problems.push(shellProblem([...step.path, 'shell'], step.shell));
    }
    problems.push(...checkReferences(step));
    const path = [...step.path, 'run'];
    for (const notes of step.run.map(checkShellReferences)) {
      const inField = (message: string): Problem => ({ path, message: `field '${fieldName(path)}': ${message}` });
      problems.push(...notes.problems.map(inField));
      warnings.push(...notes.warnings.map(inField));
    }
  }
  return { problems, warnings };
}

function shellProblem(path: FieldPath, shell: string): Problem {
  return {
    path,
    message: `field '${fieldName(path)}': shell "${shell}" is not supported; use sh, bash, zsh, dash or ksh`,
  };
}
