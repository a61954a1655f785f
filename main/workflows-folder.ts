import { type FSWatcher, watch } from 'node:fs';
import { mkdir, readdir, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { CallError } from '../core/contract/protocol.ts';
import type { WorkflowFile } from '../core/contract/workflow-file.ts';
import { type WorkflowContent, workflowContent } from '../core/process/workflow-content.ts';
import type { Workflow } from '../core/workflow/types.ts';

/** How often the folder is looked at beside the system's notices, which network folders do not send. */
const lookEveryMs = 3000;

/** Notices that come this close together are one change: an editor saves in several steps. */
const settleMs = 100;

/** A workflow file of the folder, with what is in it. */
export interface FolderFile {
  /** Absolute path. */
  path: string;
  /** File name with its ending. */
  file: string;
  /** The content; absent where the file cannot be read. */
  content?: WorkflowContent;
  /** The workflow, where the file has no error. */
  workflow?: Workflow;
  /** The first error. */
  problem?: WorkflowFile['problem'];
}

/** The folder whose workflow files the tray app offers, and what is in them. */
export class WorkflowsFolder {
  /** Absolute path. */
  readonly path: string;
  readonly #read = new Map<string, { version: string; found: FolderFile }>();

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
  async list(): Promise<FolderFile[]> {
    const names = await this.#names();
    for (const file of this.#read.keys()) if (!names.includes(file)) this.#read.delete(file);
    const files = await Promise.all(names.map((name) => this.#load(name)));
    return files.filter((file) => file !== undefined);
  }

  /**
   * The workflow file at a path that {@link list} gave, read afresh; `not_found` when it is
   * not, or no longer, in the folder.
   */
  async find(path: string): Promise<FolderFile> {
    const names = await this.#names();
    const name = names.find((one) => join(this.path, one) === path);
    const found = name === undefined ? undefined : await readFolderFile(path, name);
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
      const seen = await this.#fingerprint().catch(() => 'not readable');
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

  /** Changes whenever a file of the folder does, or one that belongs to the content of one. */
  async #fingerprint(): Promise<string> {
    const names = await this.#names();
    const included = [...this.#read.values()].flatMap(({ found }) => found.content?.files ?? []);
    const paths = new Set([...names.map((name) => join(this.path, name)), ...included]);
    return (await Promise.all([...paths].map(async (path) => `${path} ${await versionOf(path)}`))).join('\n');
  }

  /** Names of the workflow files, sorted. */
  async #names(): Promise<string[]> {
    try {
      return (await readdir(this.path)).filter((name) => /^[^.].*\.ya?ml$/i.test(name)).sort();
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      if (code === 'ENOENT') throw new CallError('no_folder', `there is no folder ${this.path}`);
      throw new CallError('no_access', `the folder ${this.path} cannot be read: ${message}`);
    }
  }

  /** What is known of a file while neither it nor what belongs to its content changes, else what is in it now. */
  async #load(name: string): Promise<FolderFile | undefined> {
    const path = join(this.path, name);
    const known = this.#read.get(name);
    if (known !== undefined && known.version === (await versionsOf(known.found))) return known.found;
    const before = await versionOf(path);
    const found = await readFolderFile(path, name);
    if (found === undefined) return undefined;
    // A file that changed meanwhile is read again at the next look.
    if (before === (await versionOf(path))) this.#read.set(name, { version: await versionsOf(found), found });
    return found;
  }
}

/** Changes whenever the text of a file may have; a word for what is no file. */
async function versionOf(path: string): Promise<string> {
  try {
    const found = await stat(path);
    if (!found.isFile()) return 'no file';
    const { ino, size, mtimeMs, ctimeMs } = found;
    return [ino, size, mtimeMs, ctimeMs].join(' ');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === undefined) throw error;
    return 'missing';
  }
}

async function versionsOf({ path, content }: FolderFile): Promise<string> {
  return (await Promise.all((content?.files ?? [path]).map(versionOf))).join('\n');
}

/** Nothing for what is no file, or is gone again since the folder was read. */
async function readFolderFile(path: string, file: string): Promise<FolderFile | undefined> {
  const version = await versionOf(path);
  if (version === 'missing' || version === 'no file') return undefined;
  let content: WorkflowContent;
  try {
    content = await workflowContent(path);
  } catch (error) {
    if (!(error instanceof CallError)) throw error;
    return { path, file, problem: { message: error.message } };
  }
  const { workflow, problems } = content.loaded;
  if (workflow !== undefined) return { path, file, content, workflow };
  const { message = 'the file has an error', line, column } = problems[0] ?? {};
  const place = { ...(line !== undefined && { line }), ...(column !== undefined && { column }) };
  return { path, file, content, problem: { message, ...place } };
}
