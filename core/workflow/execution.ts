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
      return { action: 'foreach', run: [], with: input };
    case 'run':
      return shellStep([document.run ?? []].flat(), input, written);
    case 'action':
      return actionStep(input, written);
    case 'call':
      findings.deprecated([...path, 'call'], 'action: dag.run with with.dag');
      return { action: 'dag.run', run: [], with: { dag: document.call ?? '', ...oldParams(written), ...input } };
    case 'command':
    case 'script':
      return oldCommand(input, written);
    case 'type':
      return oldType(input, written);
    case 'messages':
      return oldChat(input, written);
    default:
      if (!selectors.some((field) => broken.has(field))) {
        findings.problem(path, `${fieldName(path)} must have run or action`);
      }
      return { action: 'run', run: [], with: {} };
  }
}

function checkSelectors(given: readonly (typeof selectors)[number][], { path, findings }: Written): void {
  const isAlone = (field: string) => !(field === 'type' || field === 'messages');
  const [first, ...others] = given.filter(isAlone);
  const other = others.find((field) => !(first === 'command' && field === 'script'));
  if (first === undefined || other === undefined) return;
  const isOld = (field: string) => field === 'run' || field === 'command' || field === 'script';
  const message =
    isOld(first) && isOld(other)
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

function actionStep(input: JsonObject, written: Written): Execution {
  const { document, path, findings } = written;
  const { action } = document;
  const place = [...path, 'action'];
  if (typeof action !== 'string') {
    findings.field(place, 'action must be a string');
    return { action: '', run: [], with: input };
  }
  if (!Object.hasOwn(actionRules, action)) {
    const known = Object.keys(actionRules);
    if (isActionOfDagu(action))
      findings.problem(place, `action "${action}" is an action of Dagu that Dagu Desktop does not run`);
    else findings.problem(place, `unknown action "${action}"${didYouMean(action, known)} (known: ${known.join(', ')})`);
  }
  for (const field of ['shell', 'shell_args', 'config'] as const) {
    if (document[field] !== undefined)
      findings.field([...path, field], `${field} has no effect beside action; remove it`);
  }
  const isChat = action === 'chat.completion';
  if (!isChat && document.llm !== undefined)
    findings.field([...path, 'llm'], 'llm belongs to a chat.completion step; use with');
  const old = action === 'dag.run' ? oldParams(written) : { ...(isChat && oldLlm(written)), ...refuseParams(written) };
  return { action, run: [], with: { ...old, ...input } };
}

function shellStep(run: string[], input: JsonObject, written: Written): Execution {
  const { path, findings } = written;
  for (const key of Object.keys(input)) {
    if (key === 'shell' || key === 'shell_args') continue;
    const message = `run accepts only with.shell and with.shell_args, not with.${key}`;
    findings.problem([...path, 'with', key], message);
  }
  refuseParams(written);
  for (const field of ['llm', 'config'] as const) {
    if (written.document[field] !== undefined)
      findings.field([...path, field], `${field} has no effect beside run; remove it`);
  }
  return { action: 'run', run, with: input, ...stepShell(input, written) };
}

function stepShell(input: JsonObject, { document, path, findings }: Written): Pick<Step, 'shell' | 'shellArgs'> {
  for (const field of ['shell', 'shell_args'] as const) {
    if (document[field] !== undefined) findings.deprecated([...path, field], `with.${field}`);
  }
  const shell = textList(input.shell, [...path, 'with', 'shell'], findings) ?? document.shell;
  const args = textList(input.shell_args, [...path, 'with', 'shell_args'], findings) ?? document.shell_args;
  return readShell(shell, args);
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
  const [program, ...own] =
    typeof shell === 'string' ? [shell] : (shell ?? []).map((word, at) => (at === 0 ? quoteWord(word) : word));
  const all = [...own, ...(typeof args === 'string' ? splitWords(args) : (args ?? []))];
  return { ...(program !== undefined && { shell: program }), ...(all.length > 0 && { shellArgs: all }) };
}

/** `command` with `script` is an interpreter with what it runs; each alone is `run`. */
function oldCommand(input: JsonObject, written: Written): Execution {
  const { document, path, findings } = written;
  const { command, script } = document;
  if (command !== undefined) findings.deprecated([...path, 'command'], script === undefined ? 'run' : 'with.shell');
  if (script !== undefined) findings.deprecated([...path, 'script'], 'run');
  const step = shellStep([script ?? command ?? ''], input, written);
  return script === undefined || command === undefined ? step : { ...step, ...readShell(command, undefined) };
}

const chatTypes = new Set(['chat', 'llm']);
const dagTypes = new Set(['dag', 'subworkflow', 'sub', 'sub-dag']);
const shellTypes = new Set(['', 'command', 'shell']);

/** `type` alone names what a step does; beside another field it is looked at there. */
function oldType(input: JsonObject, written: Written): Execution {
  const { document, path, findings } = written;
  const type = document.type ?? '';
  if (chatTypes.has(type)) return oldChat(input, written);
  const message =
    shellTypes.has(type) || dagTypes.has(type)
      ? `type "${type}" says nothing to run; use run, or action: dag.run`
      : `step type "${type}" is one of Dagu that Dagu Desktop does not run`;
  findings.problem([...path, 'type'], message);
  return { action: 'run', run: [], with: {} };
}

function oldChat(input: JsonObject, written: Written): Execution {
  const { document, path, findings } = written;
  if (document.type !== undefined) findings.deprecated([...path, 'type'], 'action: chat.completion');
  refuseParams(written);
  return { action: 'chat.completion', run: [], with: { ...oldLlm(written), ...input } };
}

/** Old fields of a chat step, as parts of `with`. */
function oldLlm({ document, path, findings }: Written): JsonObject {
  const { llm, config, messages } = document;
  for (const field of ['llm', 'config'] as const)
    if (document[field] !== undefined) findings.deprecated([...path, field], 'with');
  if (messages !== undefined) findings.deprecated([...path, 'messages'], 'with.messages of chat.completion');
  return {
    ...(config as JsonObject | undefined),
    ...(llm as JsonObject | undefined),
    ...(messages !== undefined && { messages: messages as JsonObject }),
  };
}

function oldParams({ document, path, findings }: Written): JsonObject {
  if (document.params === undefined) return {};
  findings.deprecated([...path, 'params'], 'with.params of dag.run');
  return { params: document.params as JsonObject };
}

function refuseParams({ document, path, findings }: Written): JsonObject {
  if (document.params !== undefined)
    findings.field([...path, 'params'], 'params belongs to a dag.run step; remove it, or use env');
  return {};
}
