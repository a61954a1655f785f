import { type FSWatcher, watch } from 'node:fs';
import { mkdir, readdir, readFile, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { WorkflowFile } from '../core/contract/api.ts';
import { CallError } from '../core/contract/protocol.ts';
import { loadWorkflow } from '../core/workflow/load.ts';
import { maxFileBytes } from '../core/workflow/stream.ts';

/** How often the folder is looked at beside the system's notices, which network folders do not send. */
const lookEveryMs = 3000;

/** Notices that come this close together are one change: an editor saves in several steps. */
const settleMs = 100;

interface FileState {
  /** Changes whenever the file's text may have. */
  version: string;
  bytes: number;
}

/** The folder whose workflow files the tray app offers, and what is in them. */
export class WorkflowsFolder {
  /** Absolute path. */
  readonly path: string;
  readonly #read = new Map<string, { version: string; workflow: WorkflowFile }>();

  constructor(path: string) {
    this.path = resolve(path);
  }

  /** Makes the folder when it is missing. */
  async make(): Promise<void> {
    await mkdir(this.path, { recursive: true });
  }

  /**
   * The folder's workflow files by name; a file that cannot be loaded has its first
   * problem. `no_folder` when the folder is gone, `no_access` when it cannot be read.
   */
  async list(): Promise<WorkflowFile[]> {
    const files = await this.#files();
    for (const file of this.#read.keys()) if (!files.has(file)) this.#read.delete(file);
    const workflows = await Promise.all([...files].map(([file, state]) => this.#load(file, state)));
    return workflows.sort((one, other) => (one.file < other.file ? -1 : 1));
  }

  /** The workflow file at a path that {@link list} gave; `not_found` when it is not, or no longer, in the folder. */
  async find(path: string): Promise<WorkflowFile> {
    const found = (await this.list()).find((workflow) => workflow.path === path);
    if (found === undefined) throw new CallError('not_found', `there is no workflow file ${path} in ${this.path}`);
    return found;
  }

  /**
   * Calls `onChange` after files came, went or changed, until the signal aborts. The
   * folder itself may go and come back meanwhile. Resolves when it watches.
   */
  async watch(onChange: () => void, signal: AbortSignal): Promise<void> {
    let watcher: FSWatcher | undefined;
    let soon: NodeJS.Timeout | undefined;
    let known: string | undefined;

    const look = async () => {
      watcher ??= listen();
      const seen = await this.#files().then(fingerprint, () => 'not readable');
      if (signal.aborted) return;
      if (known !== undefined && seen !== known) onChange();
      known = seen;
    };
    const listen = () => {
      try {
        const opened = watch(this.path, { persistent: false }, () => {
          clearTimeout(soon);
          soon = setTimeout(look, settleMs);
        });
        opened.on('error', forget);
        return opened;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === undefined) throw error;
        return undefined; // no such folder, or the system gives no notices of it: the regular look is enough
      }
    };
    const forget = () => {
      watcher?.close();
      watcher = undefined;
    };
    const timer = setInterval(() => {
      // A watcher of a folder that was deleted and made anew hears nothing: take a fresh one each time.
      forget();
      void look();
    }, lookEveryMs);
    timer.unref();
    signal.addEventListener('abort', () => {
      forget();
      clearInterval(timer);
      clearTimeout(soon);
    });
    await look();
  }

  async #files(): Promise<Map<string, FileState>> {
    const names = (await this.#names()).filter((name) => /^[^.].*\.ya?ml$/i.test(name)).sort();
    const states = await Promise.all(names.map((name) => fileState(join(this.path, name))));
    return new Map(names.flatMap((name, index) => (states[index] === undefined ? [] : [[name, states[index]]])));
  }

  async #names(): Promise<string[]> {
    try {
      return await readdir(this.path);
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      if (code === 'ENOENT') throw new CallError('no_folder', `there is no folder ${this.path}`);
      throw new CallError('no_access', `the folder ${this.path} cannot be read: ${message}`);
    }
  }

  async #load(file: string, { version, bytes }: FileState): Promise<WorkflowFile> {
    const known = this.#read.get(file);
    if (known?.version === version) return known.workflow;
    const workflow = await readWorkflow(join(this.path, file), file, bytes);
    this.#read.set(file, { version, workflow });
    return workflow;
  }
}

/** Nothing for what is no file, or is gone again since the folder was read. */
async function fileState(path: string): Promise<FileState | undefined> {
  try {
    const found = await stat(path);
    if (!found.isFile()) return undefined;
    const { ino, size, mtimeMs, ctimeMs } = found;
    return { version: [ino, size, mtimeMs, ctimeMs].join(' '), bytes: size };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

function fingerprint(files: Map<string, FileState>): string {
  return [...files].map(([name, { version }]) => `${name} ${version}`).join('\n');
}

async function readWorkflow(path: string, file: string, bytes: number): Promise<WorkflowFile> {
  const unread = { path, file, name: file.replace(/\.ya?ml$/i, ''), missingParams: [] };
  if (bytes > maxFileBytes) {
    return { ...unread, problem: { message: `the file is larger than ${maxFileBytes / 1024 / 1024} MB` } };
  }
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    return { ...unread, problem: { message: `the file cannot be read: ${(error as Error).message}` } };
  }
  const { workflow, problems } = loadWorkflow(text, path, { strictStream: false });
  if (workflow === undefined) {
    const { message = 'the file has an error', line, column } = problems[0] ?? {};
    return {
      ...unread,
      problem: { message, ...(line !== undefined && { line }), ...(column !== undefined && { column }) },
    };
  }
  return {
    path,
    file,
    name: workflow.name,
    missingParams: workflow.params
      .filter((param) => param.required && param.default === undefined)
      .map(({ name }) => name),
    ...(workflow.description !== undefined && { description: workflow.description }),
  };
}
