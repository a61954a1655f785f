import type { UpcomingMoment } from '../core/contract/api.ts';
import { CallError } from '../core/contract/protocol.ts';
import type { ParamField, TrustState, WorkflowFile, WorkflowPlan } from '../core/contract/workflow-file.ts';
import type { WorkflowContent } from '../core/process/workflow-content.ts';
import type { Workflow } from '../core/workflow/types.ts';
import type { StartableWorkflow } from './scheduler.ts';
import type { Trust } from './trust.ts';
import { scheduleEntries, workflowPlan } from './workflow-plan.ts';
import type { FolderFile, WorkflowsFolder } from './workflows-folder.ts';

/** A file of the folder that has no error, as it is now. */
export interface FoundWorkflow {
  workflow: Workflow;
  content: WorkflowContent;
  trust: TrustState;
}

/** The workflows of the watched folder, each with whether it may run. */
export class Catalog {
  readonly #folder: Pick<WorkflowsFolder, 'path' | 'list' | 'find'>;
  readonly #trust: Pick<Trust, 'statesOf'>;

  constructor(folder: Pick<WorkflowsFolder, 'path' | 'list' | 'find'>, trust: Pick<Trust, 'statesOf'>) {
    this.#folder = folder;
    this.#trust = trust;
  }

  /** The folder's absolute path. */
  get folder(): string {
    return this.#folder.path;
  }

  /** The files as a page lists them. */
  async files(now = new Date()): Promise<WorkflowFile[]> {
    const files = await this.#folder.list();
    const states = await this.#states(files);
    return files.map((file, index) => listed(file, states[index] as TrustState, now));
  }

  /** The workflow at a path, read afresh. Codes `not_found`, `broken`. */
  async find(path: string): Promise<FoundWorkflow> {
    const file = await this.#folder.find(path);
    const [trust = 'new'] = await this.#states([file]);
    const { workflow, content, problem } = file;
    if (workflow !== undefined && content !== undefined) return { workflow, content, trust };
    throw new CallError('broken', `${file.file} has an error: ${problem?.message}`);
  }

  /** What the file at a path will do. Codes `not_found`, `broken`. */
  async plan(path: string, now = new Date()): Promise<WorkflowPlan> {
    const { workflow, content, trust } = await this.find(path);
    return workflowPlan(workflow, content, { trust, now });
  }

  /** The workflows that may run by themselves; none while the folder cannot be read. */
  async startable(): Promise<StartableWorkflow[]> {
    const files = await this.#folder.list();
    const states = await this.#states(files);
    return files.flatMap(({ path, workflow, content }, index) => {
      if (workflow === undefined || content === undefined || states[index] !== 'allowed') return [];
      const { name, schedules, overlapPolicy, catchupWindowMs } = workflow;
      return [{ path, name, schedules, overlapPolicy, catchupWindowMs, hash: content.hash, text: content.text }];
    });
  }

  /** What the schedules do next, soonest first. */
  async upcoming(now = new Date()): Promise<UpcomingMoment[]> {
    const files = await this.files(now);
    return files
      .flatMap(({ path, name, trust, schedules }) => schedules.map((entry) => ({ path, name, trust, entry })))
      .sort((one, other) => timeOf(one) - timeOf(other));
  }

  #states(files: readonly FolderFile[]): Promise<TrustState[]> {
    return this.#trust.statesOf(files.map(({ path, content }) => ({ path, hash: content?.hash ?? '' })));
  }
}

function timeOf({ entry: { next } }: UpcomingMoment): number {
  return next === undefined ? Number.POSITIVE_INFINITY : Date.parse(next);
}

function listed({ path, file, workflow, problem }: FolderFile, trust: TrustState, now: Date): WorkflowFile {
  if (workflow === undefined) {
    const name = file.replace(/\.ya?ml$/i, '');
    const nothing = { params: [], missingParams: [], schedules: [] };
    return { path, file, name, ...nothing, trust, ...(problem !== undefined && { problem }) };
  }
  const { name, description, params, schedules, maxActiveRuns } = workflow;
  return {
    path,
    file,
    name,
    params: params.map(paramField),
    missingParams: missingParams(workflow),
    schedules: scheduleEntries(schedules, now),
    trust,
    ...(description !== undefined && { description }),
    ...(maxActiveRuns !== undefined && { maxActiveRuns }),
  };
}

/** Names of required parameters that have no default. */
export function missingParams({ params }: Workflow): string[] {
  return params.filter((param) => param.required && param.default === undefined).map(({ name }) => name);
}

function paramField(param: Workflow['params'][number]): ParamField {
  const { name, type, required, ...rest } = param;
  const { default: standard, description, enum: choices, minimum, maximum, minLength, maxLength, pattern } = rest;
  return {
    name,
    type,
    required,
    ...(standard !== undefined && { default: standard }),
    ...(description !== undefined && { description }),
    ...(choices !== undefined && { enum: choices }),
    ...(minimum !== undefined && { minimum }),
    ...(maximum !== undefined && { maximum }),
    ...(minLength !== undefined && { minLength }),
    ...(maxLength !== undefined && { maxLength }),
    ...(pattern !== undefined && { pattern }),
  };
}
