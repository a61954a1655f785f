import { readFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { loadWorkflowText } from '../../core/process/workflow-file.ts';
import type { RunState } from '../../core/store/shapes.ts';
import { maxFileBytes } from '../../core/workflow/stream.ts';
import { handlerNames, type Step, type Workflow } from '../../core/workflow/types.ts';
import { StepError } from '../action.ts';
import { handlerKey } from './handlers.ts';

/** A workflow with the text of the file that it is in. */
export interface SourcedWorkflow {
  workflow: Workflow;
  source: string;
}

/**
 * Finds the workflows that steps name: among the documents of the step's own file, else beside
 * that file, else in the folder of workflows. A name is that of a file, with or without its
 * `.yaml` or `.yml`.
 */
export class WorkflowFinder {
  readonly #folder: string;
  readonly #checkAllowed: () => Promise<void>;

  /**
   * @param folder the folder of workflows
   * @param checkAllowed throws where files have changed since they were allowed to run
   */
  constructor(folder: string, checkAllowed: () => Promise<void>) {
    this.#folder = folder;
    this.#checkAllowed = checkAllowed;
  }

  /** Throws a {@link StepError} when there is none, or it has an error. */
  async find(name: string, { workflow, source }: SourcedWorkflow): Promise<SourcedWorkflow> {
    const local = workflow.locals.find((one) => one.name === name);
    if (local !== undefined) return { workflow: local, source };
    const found = await this.#read(name, dirname(workflow.path));
    // After it was read: what runs is what was checked.
    await this.#checkAllowed();
    return found;
  }

  async #read(name: string, beside: string): Promise<SourcedWorkflow> {
    const endings = /\.ya?ml$/i.test(name) ? [''] : ['.yaml', '.yml'];
    const folders = [...new Set([beside, this.#folder])];
    for (const folder of folders) {
      for (const ending of endings) {
        const path = resolve(folder, `${name}${ending}`);
        const source = await readIfThere(path);
        if (source !== undefined) return { workflow: workflowOf(source, path), source };
      }
    }
    const where = folders.map((folder) => join(folder, `${name}${endings.join(' or ')}`)).join(', nor ');
    throw new StepError(
      `there is no workflow "${name}": it is no document of this file, and there is neither ${where}`,
    );
  }
}

/**
 * The workflow of a run that the store has under a step: a body as it is in the file above, any
 * other as it was when its run was made.
 */
export function workflowUnder(
  above: SourcedWorkflow,
  step: string,
  { summary, workflowText }: RunState,
): SourcedWorkflow {
  const { workflow, source } = above;
  const body = stepNamed(workflow, step)?.foreach?.body;
  if (body !== undefined) return { workflow: body, source };
  const local = summary.path === workflow.path && workflow.locals.find(({ name }) => name === summary.name);
  if (local) return { workflow: local, source };
  if (workflowText === undefined) throw new StepError(`the text of the workflow of run ${summary.runId} was not kept`);
  return { workflow: workflowOf(workflowText, summary.path), source: workflowText };
}

/** A step, or a handler, by its name among the steps of its run. */
export function stepNamed({ steps, handlers }: Workflow, name: string): Step | undefined {
  const handler = handlerNames.find((one) => handlerKey(one) === name);
  return steps.find(({ key }) => key === name) ?? (handler === undefined ? undefined : handlers[handler]);
}

/** Loads the text of a workflow file. Throws a {@link StepError} that tells the first thing that is wrong with it. */
export function workflowOf(text: string, path: string): Workflow {
  const { workflow, problems } = loadWorkflowText(text, path, { strictStream: false });
  if (workflow !== undefined) return workflow;
  const [problem] = problems;
  const place = problem?.line === undefined ? path : `${path}:${problem.line}`;
  throw new StepError(`${place}: ${problem?.message ?? 'this is no workflow'}`);
}

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    const bytes = await readFile(path);
    if (bytes.length > maxFileBytes) throw new StepError(`${path} is larger than a workflow file may be`);
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) throw new StepError(`${path} is not text in UTF-8`);
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    if (code !== undefined) throw new StepError(`${path} cannot be read: ${(error as Error).message}`);
    throw error;
  }
}
