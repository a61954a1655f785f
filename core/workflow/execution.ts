import { actionRules } from './actions.ts';
import { didYouMean } from './did-you-mean.ts';
import { fieldName } from './field-name.ts';
import type { Findings } from './findings.ts';
import { isObject } from './json.ts';
import { isActionOfDagu } from './refused-keys.ts';
import type { StepDocument } from './step-document.ts';
import type { FieldPath, JsonObject, Step } from './types.ts';
import { quoteWord, splitWords } from './words.ts';

/** What a step does: `run`, an action with its input, or a loop; old ways to say so become the new ones. */
export type Execution = Pick<Step, 'action' | 'run' | 'with' | 'shell' | 'shellArgs'>;

/** A step as its document says it, and where that stands. */
interface Written {
  document: StepDocument;
  /** Fields that were left out, since their shape is wrong: nothing is said of their absence. */
  broken: ReadonlySet<string>;
  path: FieldPath;
  findings: Findings;
}

/** Which fields say what a step does, in the order in which they are preferred. */
const selectors = ['foreach', 'run', 'action', 'call', 'command', 'script', 'type', 'messages'] as const;

/** Reads what a step does. Old forms that run are told as warnings, those that do not as problems. */
export function readExecution(written: Written): Execution {
  const { document, broken, path, findings } = written;
  const given = selectors.filter((field) => document[field] !== undefined);
  checkSelectors(given, written);
  const input = readWith(written);
  switch (given[0]) {
    case 'foreach':
      takeOldFields(written, 'foreach', []);
      return { action: 'foreach', run: [], with: input };
    case 'run':
      return shellStep([document.run ?? []].flat(), input, written);
    case 'action':
      return actionStep(input, written);
    case 'call':
      return oldCall(input, written);
    case 'command':
    case 'script':
      return oldCommand(input, written);
    case 'type':
      return oldType(input, written);
    case 'messages':
      return chatStep(input, written, 'messages');
    default:
      if (!selectors.some((field) => broken.has(field))) {
        findings.problem(path, `${fieldName(path)} must have run or action`);
      }
      return { action: 'run', run: [], with: {} };
  }
}

/** Only one field may say what a step does; an old `type` or `messages` belongs to one of them. */
function checkSelectors(given: readonly (typeof selectors)[number][], { path, findings }: Written): void {
  const [first, ...others] = given.filter((field) => field !== 'type' && field !== 'messages');
  const other = others.find((field) => !(first === 'command' && field === 'script'));
  if (first === undefined || other === undefined) return;
  const isCommand = (field: string) => field === 'run' || field === 'command' || field === 'script';
  const message =
    isCommand(first) && isCommand(other)
      ? 'run, command and script cannot be used together'
      : `${first} cannot be used together with ${other}`;
  findings.problem([...path, first], message);
}

function readWith({ document, path, findings }: Written): JsonObject {
  const { with: input } = document;
  if (input === undefined || isObject(input)) return input ?? {};
  findings.field([...path, 'with'], 'with must be an object');
  return {};
}

/** Old fields, with where their values belong now. */
const oldFields = {
  shell: 'with.shell',
  shell_args: 'with.shell_args',
  params: 'with.params of dag.run',
  type: 'action',
  config: 'with',
  llm: 'with',
  messages: 'with.messages of chat.completion',
} as const;
type OldField = keyof typeof oldFields;

/** Tells which of the old fields are given: as old those that a form takes, as wrong the others. */
function takeOldFields({ document, path, findings }: Written, form: string, taken: readonly OldField[]): void {
  for (const [field, instead] of Object.entries(oldFields) as [OldField, string][]) {
    if (document[field] === undefined || field === form) continue;
    if (taken.includes(field)) findings.deprecated([...path, field], instead);
    else findings.field([...path, field], `${field} has no effect beside ${form}; remove it`);
  }
}

function actionStep(input: JsonObject, written: Written): Execution {
  const { action } = written.document;
  if (typeof action !== 'string') {
    written.findings.field([...written.path, 'action'], 'action must be a string');
    return { action: '', run: [], with: input };
  }
  if (action === 'chat.completion') return chatStep(input, written, 'action');
  if (action === 'dag.run') return { action, run: [], with: { ...oldParams(written, 'action'), ...input } };
  if (!Object.hasOwn(actionRules, action)) refuseAction(action, written);
  takeOldFields(written, 'action', []);
  return { action, run: [], with: input };
}

function refuseAction(action: string, { path, findings }: Written): void {
  const known = Object.keys(actionRules);
  const message = isActionOfDagu(action)
    ? `action "${action}" is an action of Dagu that Dagu Desktop does not run`
    : `unknown action "${action}"${didYouMean(action, known)} (known: ${known.join(', ')})`;
  findings.problem([...path, 'action'], message);
}

/** A chat step; the old fields `llm`, `config` and `messages` are parts of its input. */
function chatStep(input: JsonObject, written: Written, form: string): Execution {
  const { document, path, findings } = written;
  if (form !== 'action') findings.deprecated([...path, form], 'action: chat.completion');
  takeOldFields(written, form, ['llm', 'config', ...(form === 'action' ? [] : (['type'] as const)), 'messages']);
  const { llm, config, messages } = document as { llm?: JsonObject; config?: JsonObject; messages?: JsonObject };
  const old = { ...config, ...llm, ...(messages !== undefined && { messages }) };
  return { action: 'chat.completion', run: [], with: { ...old, ...input } };
}

function shellStep(run: string[], input: JsonObject, written: Written, form = 'run'): Execution {
  const { document, path, findings } = written;
  for (const key of Object.keys(input)) {
    if (key === 'shell' || key === 'shell_args') continue;
    const message = `run accepts only with.shell and with.shell_args, not with.${key}`;
    findings.problem([...path, 'with', key], message);
  }
  const isShellType = shellTypes.has(document.type ?? '');
  takeOldFields(written, form, ['shell', 'shell_args', ...(isShellType ? (['type'] as const) : [])]);
  const at = (field: string): FieldPath => [...path, 'with', field];
  const shell = textList(input.shell, at('shell'), findings) ?? document.shell;
  const args = textList(input.shell_args, at('shell_args'), findings) ?? document.shell_args;
  return { action: 'run', run, with: input, ...readShell(shell, args) };
}

function textList(value: unknown, path: FieldPath, findings: Findings): string | string[] | undefined {
  if (value === undefined || typeof value === 'string') return value;
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value;
  findings.field(path, `${path.at(-1)} must be a string or a list of strings`);
  return undefined;
}

/** A shell, or another interpreter: a text as it is written, whose words the run parts; arguments in lists stay apart. */
export function readShell(
  shell: string | string[] | undefined,
  args: string | string[] | undefined,
): { shell?: string; shellArgs?: string[] } {
  const [first, ...own] = typeof shell === 'string' ? [shell] : (shell ?? []);
  const program = typeof shell === 'string' || first === undefined ? first : quoteWord(first);
  const all = [...own, ...(typeof args === 'string' ? splitWords(args) : (args ?? []))];
  return { ...(program !== undefined && { shell: program }), ...(all.length > 0 && { shellArgs: all }) };
}

/** `command` with `script` is an interpreter with what it runs; each alone is `run`. */
function oldCommand(input: JsonObject, written: Written): Execution {
  const { document, path, findings } = written;
  const { command, script } = document;
  if (command !== undefined) findings.deprecated([...path, 'command'], script === undefined ? 'run' : 'with.shell');
  if (script !== undefined) findings.deprecated([...path, 'script'], 'run');
  const step = shellStep([script ?? command ?? ''], input, written, command === undefined ? 'script' : 'command');
  return script === undefined || command === undefined ? step : { ...step, ...readShell(command, undefined) };
}

function oldCall(input: JsonObject, written: Written): Execution {
  const { document, path, findings } = written;
  findings.deprecated([...path, 'call'], 'action: dag.run with with.dag');
  return { action: 'dag.run', run: [], with: { dag: document.call ?? '', ...oldParams(written, 'call'), ...input } };
}

function oldParams(written: Written, form: string): JsonObject {
  const isDagType = dagTypes.has(written.document.type ?? '');
  takeOldFields(written, form, ['params', ...(isDagType ? (['type'] as const) : [])]);
  const { params } = written.document as { params?: JsonObject };
  return params === undefined ? {} : { params };
}

const chatTypes = new Set(['chat', 'llm']);
const dagTypes = new Set(['dag', 'subworkflow', 'sub', 'sub-dag']);
const shellTypes = new Set(['', 'command', 'shell']);

/** `type` without a field that it goes with names what a step does. */
function oldType(input: JsonObject, written: Written): Execution {
  const { type = '' } = written.document;
  if (chatTypes.has(type)) return chatStep(input, written, 'type');
  const message =
    shellTypes.has(type) || dagTypes.has(type)
      ? `type "${type}" says nothing to run; use run, or action: dag.run`
      : `step type "${type}" is one of Dagu that Dagu Desktop does not run`;
  written.findings.problem([...written.path, 'type'], message);
  return { action: 'run', run: [], with: {} };
}
