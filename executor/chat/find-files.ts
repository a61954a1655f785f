import type { Dirent } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import { isObject } from '../../core/workflow/json.ts';
import { StepError } from '../action.ts';
import { Unreadable } from '../documents/unreadable.ts';
import { checkIsFile } from '../documents/whole-file.ts';

/**
 * The files that `with.files` names, in the order named and each once: paths or glob
 * patterns (`*`, `?`, `[...]`, `**`), as a list, one a line, or as the JSON text of a
 * list that an earlier step published: of paths, of objects with a `path`, or of objects
 * with `attachments` (or `files`) that have one each. `~` is the home directory; a
 * relative path is under the working directory; what a pattern matches comes sorted by
 * name. Throws a StepError for a missing file and for a pattern that matches none.
 */
export async function findFiles(named: string | string[], workingDir: string): Promise<string[]> {
  const found = new Set<string>();
  const entries = (Array.isArray(named) ? named : [named]).flatMap(entriesOf);
  if (entries.length === 0) throw new StepError('files: no file is named');
  for (const entry of entries) {
    for (const path of await matches(entry, absolute(entry, workingDir))) found.add(path);
  }
  return [...found];
}

/** One entry may hold several: lines, or the list that an earlier step published. */
function entriesOf(text: string): string[] {
  const list = publishedList(text);
  if (list === undefined) return text.split(/\r?\n/).flatMap((line) => line.trim() || []);
  const paths = list.flatMap(publishedPaths);
  if (paths.length === 0) throw new StepError('files: the list that an earlier step published names no file');
  return paths;
}

function publishedList(text: string): unknown[] | undefined {
  if (!text.trimStart().startsWith('[')) return undefined;
  try {
    const list: unknown = JSON.parse(text);
    return Array.isArray(list) ? list : undefined;
  } catch {
    return undefined; // a pattern such as [ab]*.pdf
  }
}

/** A path, something that has one, or something whose attachments do, as a found email. */
function publishedPaths(entry: unknown): string[] {
  if (typeof entry === 'string') return [entry];
  if (!isObject(entry)) {
    throw new StepError(
      `files: a published list holds paths, or objects with a path; this one holds ${JSON.stringify(entry)}`,
    );
  }
  if (typeof entry.path === 'string') return [entry.path];
  const inner = [entry.attachments, entry.files].find(Array.isArray);
  if (inner !== undefined) return inner.flatMap(publishedPaths);
  const keys = Object.keys(entry).join(', ') || 'nothing';
  throw new StepError(`files: an entry of a published list has neither path nor attachments; it has ${keys}`);
}

function absolute(entry: string, workingDir: string): string {
  const path = /^~(?=$|[/\\])/.test(entry) ? join(homedir(), entry.slice(1)) : entry;
  return isAbsolute(path) ? resolve(path) : resolve(workingDir, path);
}

async function matches(entry: string, path: string): Promise<string[]> {
  const kind = await kindOf(path);
  if (kind === 'file') return [path];
  if (kind !== 'missing') throw new StepError(`files: "${entry}" ${kind.problem} (${path})`);
  if (!isPattern(path)) throw new StepError(`files: "${entry}" does not exist (${path})`);
  const found = (await expand(path)).sort();
  if (found.length === 0) throw new StepError(`files: "${entry}" matches no file (${path})`);
  return found;
}

async function expand(pattern: string): Promise<string[]> {
  const parts = pattern.split(process.platform === 'win32' ? /[/\\]/ : '/');
  const fixed = parts.findIndex(isPattern);
  const root = parts.slice(0, fixed).join('/') || '/';
  return await descend(root, parts.slice(fixed));
}

async function descend(folder: string, parts: readonly string[]): Promise<string[]> {
  const [part, ...rest] = parts as [string, ...string[]];
  if (part === '**') {
    const here = await descend(folder, rest.length === 0 ? ['*'] : rest);
    // Links to folders are not followed, since they may lead back up.
    const folders = (await entriesIn(folder, '*')).filter((entry) => entry.isDirectory());
    const below = await Promise.all(folders.map(({ name }) => descend(join(folder, name), parts)));
    return [...new Set([...here, ...below.flat()])];
  }
  const candidates = (await entriesIn(folder, part)).map(({ name }) => join(folder, name));
  if (rest.length > 0) return (await Promise.all(candidates.map((path) => descend(path, rest)))).flat();
  const kinds = await Promise.all(candidates.map(kindOf));
  return candidates.filter((_, index) => kinds[index] === 'file');
}

/** What in a folder fits one part of a pattern; nothing where it is no folder. Hidden names need a leading dot. */
async function entriesIn(folder: string, part: string): Promise<Dirent[]> {
  let entries: Dirent[];
  try {
    entries = await readdir(folder, { withFileTypes: true });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return [];
    throw new StepError(`files: the folder "${folder}" cannot be read: ${(error as Error).message}`, { cause: error });
  }
  const fits = partPattern(part);
  return entries.filter(({ name }) => fits.test(name) && (part.startsWith('.') || !name.startsWith('.')));
}

function isPattern(text: string): boolean {
  return /[*?[]/.test(text);
}

function partPattern(part: string): RegExp {
  const source = part.replace(/\[(!|\^)?([^\]]+)\]|[*?]|[\\^$.|+(){}[\]]/g, (token, negated: string, set: string) => {
    if (token === '*') return '.*';
    if (token === '?') return '.';
    if (set === undefined) return `\\${token}`;
    return `[${negated === undefined ? '' : '^'}${set.replace(/[\\^]/g, '\\$&')}]`;
  });
  return new RegExp(`^${source}$`, process.platform === 'win32' ? 'isu' : 'su');
}

async function kindOf(path: string): Promise<'file' | 'missing' | { problem: string }> {
  try {
    checkIsFile(await stat(path));
    return 'file';
  } catch (error) {
    if (error instanceof Unreadable) return { problem: error.message };
    const { code } = error as NodeJS.ErrnoException;
    // On Windows a name with * is refused rather than not found.
    if (code !== undefined && ['ENOENT', 'ENOTDIR', 'ELOOP', 'EINVAL'].includes(code)) return 'missing';
    throw new StepError(`files: "${path}" cannot be read: ${(error as Error).message}`, { cause: error });
  }
}
