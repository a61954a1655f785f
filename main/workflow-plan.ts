import { basename } from 'node:path';
import type { PlannedStep, ScheduleEntry, TrustState, WorkflowPlan } from '../core/contract/workflow-file.ts';
import { stepsOf, type WorkflowContent } from '../core/process/workflow-content.ts';
import { handlerNames, type Json, type Schedule, type Step, type Workflow } from '../core/workflow/types.ts';
import { BadSchedule, expressionOf, nextMoment } from './schedule-times.ts';

/** Where the models of a provider are, when the file names no address of its own. */
const providerHosts: Record<string, string> = {
  openai: 'api.openai.com',
  anthropic: 'api.anthropic.com',
  gemini: 'generativelanguage.googleapis.com',
  google: 'generativelanguage.googleapis.com',
  openrouter: 'openrouter.ai',
  zai: 'api.z.ai',
  zhipu: 'api.z.ai',
  zhipuai: 'api.z.ai',
  glm: 'api.z.ai',
  opencode: 'opencode.ai',
};

/**
 * What a workflow will do when it runs, for the person who is to allow it: from the file
 * itself, and from all that belongs to its content. What a reference stands for is known where
 * it is a parameter's default or a constant.
 */
export function workflowPlan(
  workflow: Workflow,
  { hash, workflows, present, anyWorkflow }: WorkflowContent,
  { trust, now }: { trust: TrustState; now: Date },
): WorkflowPlan {
  const all = [...workflows.values()].flatMap((one) => [one, ...one.locals]);
  return {
    path: workflow.path,
    file: basename(workflow.path),
    name: workflow.name,
    trust,
    hash,
    steps: all.flatMap((one) => plannedSteps(one, one === workflow ? undefined : one.name)),
    hosts: distinct(all.flatMap(hostsOf)),
    applications: distinct(all.flatMap((one) => stepsOf(one).flatMap(applicationsOf))),
    secrets: distinct(all.flatMap(({ secrets }) => secrets.map(({ name }) => name))),
    schedules: scheduleEntries(workflow.schedules, now),
    includes: present.slice(1),
    anyWorkflow,
    ...(workflow.description !== undefined && { description: workflow.description }),
  };
}

/** The entries of a schedule with when each comes next. */
export function scheduleEntries(schedules: readonly Schedule[], now: Date): ScheduleEntry[] {
  return schedules.map((schedule) => {
    const entry = { does: schedule.does, expression: expressionOf(schedule) };
    try {
      const next = nextMoment(schedule, now);
      return { ...entry, ...(next !== undefined && { next: next.toISOString() }) };
    } catch (error) {
      if (error instanceof BadSchedule) return { ...entry, problem: error.message };
      throw error;
    }
  });
}

function plannedSteps(workflow: Workflow, name: string | undefined): PlannedStep[] {
  const handlers = handlerNames.flatMap((handler) => {
    const step = workflow.handlers[handler];
    return step === undefined ? [] : [{ ...plannedStep(step), handler }];
  });
  const own = workflow.steps.flatMap((step) => [
    plannedStep(step),
    ...(step.foreach === undefined ? [] : plannedSteps(step.foreach.body, undefined)),
  ]);
  return [...own, ...handlers].map((step) => (name === undefined ? step : { workflow: name, ...step }));
}

function plannedStep({ key, action, description, run, with: input }: Step): PlannedStep {
  const texts = [description, ...instructionsOf(input)].filter((text) => text !== undefined);
  return { step: key, action, commands: [...run], texts };
}

/** What a step is told to do in words: prompts, and the operations of a computer step. */
function instructionsOf(input: Step['with']): string[] {
  const { prompt, instruction, dag } = input;
  const own = [prompt, instruction, dag].filter((text) => typeof text === 'string');
  const operations = Array.isArray(input.do) ? input.do : [];
  return [...own, ...operations.flatMap(operationText)];
}

function operationText(operation: Json): string[] {
  if (typeof operation !== 'object' || operation === null || Array.isArray(operation)) return [];
  const { act, extract, launch, ask } = operation;
  return [
    textIn(launch, 'command'),
    textIn(act, 'instruction'),
    textIn(extract, 'instruction'),
    textIn(ask, 'prompt'),
  ].filter((text) => text !== undefined);
}

function textIn(value: Json | undefined, key: string): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const inner = value[key];
  return typeof inner === 'string' ? inner : undefined;
}

function hostsOf(workflow: Workflow): string[] {
  const fill = (text: string) => filled(text, workflow);
  const texts = stepsOf(workflow).flatMap((step) => [...step.run, ...textsIn(step.with)]);
  const models = [workflow.llm, ...stepsOf(workflow).flatMap((step) => [step.with.llm, step.with])];
  return [...models.flatMap((model) => modelHosts(model, fill)), ...texts.flatMap((text) => urlHosts(fill(text)))];
}

/** The hosts of an `llm` block, or of the part of a step's input that is like one. */
function modelHosts(block: unknown, fill: (text: string) => string): string[] {
  if (typeof block !== 'object' || block === null) return [];
  const { provider, base_url: url, model } = block as Record<string, unknown>;
  if (typeof url === 'string') return urlHosts(fill(url));
  const own = typeof provider === 'string' ? [providerHosts[fill(provider)] ?? ''] : [];
  return [...own, ...(Array.isArray(model) ? model.flatMap((one) => modelHosts(one, fill)) : [])].filter(Boolean);
}

function urlHosts(text: string): string[] {
  const found = text.matchAll(/\b(?:https?|wss?|ftp):\/\/(?:[^\s/@"']*@)?([^\s/"'`<>|;&)]+)/gi);
  return [...found].map(([, host = '']) => host.toLowerCase());
}

/** Programs: what is opened, and whose windows and elements are named. */
function applicationsOf(step: Step): string[] {
  if (!step.action.startsWith('computer.')) return [];
  const { visible } = step.with;
  const shown = Array.isArray(visible) ? visible.filter((name) => typeof name === 'string') : [];
  return [...shown, ...namedApplications(step.with)];
}

function namedApplications(value: Json): string[] {
  if (typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) return value.flatMap(namedApplications);
  return Object.entries(value).flatMap(([key, inner]) => {
    if (key === 'app' && typeof inner === 'string') return [inner];
    const launched = key === 'launch' ? textIn(inner, 'command') : undefined;
    return launched === undefined ? namedApplications(inner) : [launched.split(/\s+/)[0] as string];
  });
}

function textsIn(value: Json): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(textsIn);
}

function filled(text: string, { params, consts }: Workflow): string {
  return text.replaceAll(/\$\{(params|consts)\.([A-Za-z]\w*)\}/g, (reference, kind: string, name: string) =>
    kind === 'consts'
      ? (consts[name] ?? reference)
      : (params.find((param) => param.name === name)?.default ?? reference),
  );
}

function distinct(texts: string[]): string[] {
  return [...new Set(texts)].sort();
}
