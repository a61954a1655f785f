import { createHash } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import { dirname, relative, resolve, sep } from 'node:path';
import { CallError } from '../contract/protocol.ts';
import type { Loaded } from '../workflow/load.ts';
import { maxFileBytes } from '../workflow/stream.ts';
import type { Step, Workflow } from '../workflow/types.ts';
import { loadWorkflowText } from './workflow-file.ts';

/**
 * The content of a workflow file, as it is allowed to run: its text, and the other files that
 * decide what it does. Those are the workflows that it names (`dag.run`, a model's tools, and
 * theirs), its files of variables, and a parameter schema. What a command reads or runs
 * besides is not part of it.
 */
export interface WorkflowContent {
  /** SHA-256 over all of it, in hexadecimal digits; a file that is missing counts as missing. */
  hash: string;
  /** The file's own text, and what is in it. */
  text: string;
  loaded: Loaded;
  /** The workflow, and those that it names, by their files; absent ones have an error or are missing. */
  workflows: ReadonlyMap<string, Workflow>;
  /** Absolute paths of every file that the hash is over, the missing ones among them; the workflow's own first. */
  files: readonly string[];
  /** Those of them that are there. */
  present: readonly string[];
  /** Set where a sub-workflow's name is known only when it runs; every workflow of the folder is then part of it. */
  anyWorkflow: boolean;
}

/**
 * Reads the content of a workflow file: of the text that is given, where one is, else of what
 * the file holds. Code `not_found` or `broken` where that file cannot be read.
 */
export async function workflowContent(path: string, { text }: { text?: string } = {}): Promise<WorkflowContent> {
  const root = resolve(path);
  const own = text ?? (await readOwn(root));
  const reader = new ContentReader(root);
  const loaded = await reader.addWorkflow(root, own);
  const { workflows, any: anyWorkflow } = reader;
  const { files, present } = reader.files();
  return { hash: reader.hash(), text: own, loaded, workflows, files, present, anyWorkflow };
}

/**
 * Throws, with code `changed`, where the content of a workflow is not the one that was allowed.
 *
 * @param text the text that is about to run
 * @param hash of the content that was allowed
 */
export async function checkContent(path: string, { text, hash }: { text: string; hash: string }): Promise<void> {
  const content = await workflowContent(path, { text });
  if (content.hash === hash) return;
  throw new CallError(
    'changed',
    `${path}, or a file that belongs to it, has changed since it was allowed to run; look at what it does now and allow it again`,
  );
}

class ContentReader {
  readonly workflows = new Map<string, Workflow>();
  any = false;
  readonly #root: string;
  /** What each file holds, as its SHA-256 or a word. */
  readonly #parts = new Map<string, string>();

  constructor(root: string) {
    this.#root = root;
  }

  async addWorkflow(path: string, text: string): Promise<Loaded> {
    this.#parts.set(path, sha256(text));
    const loaded = loadWorkflowText(text, path, { strictStream: false });
    if (loaded.workflow !== undefined) await this.#addNames(path, loaded.workflow);
    return loaded;
  }

  async #addNames(path: string, workflow: Workflow): Promise<void> {
    this.workflows.set(path, workflow);
    const all = [workflow, ...workflow.locals];
    for (const file of all.flatMap(includedFiles)) await this.#addFile(file);
    const locals = new Set(workflow.locals.map(({ name }) => name));
    for (const name of all.flatMap((one) => stepsOf(one).flatMap(namedWorkflows))) {
      if (name.includes('${')) await this.#addAll();
      else if (!locals.has(name)) await this.#addNamed(name);
    }
  }

  files(): { files: string[]; present: string[] } {
    const parts = [...this.#parts];
    const present = parts.filter(([, part]) => part !== 'missing').map(([path]) => path);
    return { files: parts.map(([path]) => path), present };
  }

  hash(): string {
    const folder = dirname(this.#root);
    const lines = [...this.#parts]
      .map(([path, part]) => [path === this.#root ? '' : relative(folder, path).split(sep).join('/'), part])
      .sort(([one = ''], [other = '']) => (one < other ? -1 : 1));
    return sha256(JSON.stringify(lines));
  }

  async #addAll(): Promise<void> {
    if (this.any) return;
    this.any = true;
    const folder = dirname(this.#root);
    const names = (await readdir(folder)).filter((name) => /\.ya?ml$/i.test(name)).sort();
    for (const name of names) await this.#addWorkflowFile(resolve(folder, name));
  }

  /** A sub-workflow may be found under each of these names: one that appears later is a change, too. */
  async #addNamed(name: string): Promise<void> {
    const endings = /\.ya?ml$/i.test(name) ? [''] : ['.yaml', '.yml'];
    for (const ending of endings) await this.#addWorkflowFile(resolve(dirname(this.#root), `${name}${ending}`));
  }

  async #addWorkflowFile(path: string): Promise<void> {
    if (this.#parts.has(path)) return;
    const bytes = await readRegular(path);
    if (typeof bytes === 'string') this.#parts.set(path, bytes);
    else await this.addWorkflow(path, bytes.toString('utf8'));
  }

  async #addFile(path: string): Promise<void> {
    if (this.#parts.has(path)) return;
    const bytes = await readRegular(path);
    this.#parts.set(path, typeof bytes === 'string' ? bytes : sha256(bytes));
  }
}

/** Files of variables and of parameters, wherever the workflow may look for them. */
function includedFiles({ path, dotenv, workingDir, paramsSchemaFile }: Workflow): string[] {
  const folder = dirname(path);
  const names = [
    ...(dotenv.length === 0 ? [] : ['.env', ...dotenv]),
    ...(paramsSchemaFile === undefined ? [] : [paramsSchemaFile]),
  ];
  const folders =
    workingDir === undefined || workingDir.includes('$') ? [folder] : [folder, resolve(folder, workingDir)];
  return names
    .filter((name) => !name.includes('${') && !/^[a-z]+:\/\//i.test(name))
    .flatMap((name) => folders.map((one) => resolve(one, name)));
}

/** Every step of a workflow, those of handlers and of `foreach` bodies among them. */
export function stepsOf({ steps, handlers }: Workflow): Step[] {
  return [...steps, ...Object.values(handlers)].flatMap((step) => [
    step,
    ...(step.foreach === undefined ? [] : stepsOf(step.foreach.body)),
  ]);
}

/** The workflows that a step names, references unresolved. */
export function namedWorkflows(step: Step): string[] {
  if (step.action === 'dag.run') return typeof step.with.dag === 'string' ? [step.with.dag] : [];
  const { tools } = step.with;
  return Array.isArray(tools) ? tools.filter((name) => typeof name === 'string') : [];
}

async function readOwn(path: string): Promise<string> {
  const bytes = await readRegular(path);
  if (bytes === 'missing') throw new CallError('not_found', `there is no workflow file ${path}`);
  if (typeof bytes === 'string') throw new CallError('broken', `${path} cannot be read: it is ${bytes}`);
  return bytes.toString('utf8');
}

/** A file's bytes, or in a word why there are none: a run will not read it either. */
async function readRegular(path: string): Promise<Buffer | 'missing' | 'no file' | 'too large' | 'unreadable'> {
  try {
    const found = await stat(path);
    if (!found.isFile()) return 'no file';
    return found.size > maxFileBytes ? 'too large' : await readFile(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    return code === 'ENOENT' || code === 'ENOTDIR' ? 'missing' : 'unreadable';
  }
}

function sha256(data: string | Uint8Array): string {
  return createHash('sha256').update(data).digest('hex');
}
