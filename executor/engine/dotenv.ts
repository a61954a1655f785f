import { readFile } from 'node:fs/promises';
import { dirname, isAbsolute, resolve as resolvePath } from 'node:path';
import { expandVariables } from '../../core/workflow/references.ts';
import { StepError } from '../action.ts';

/** Variables of dotenv files, and the files that were not there. */
export interface Dotenv {
  variables: Record<string, string>;
  /** As they are written; the default `.env` is not among them. */
  missing: string[];
}

/** Where each dotenv file is looked for, and what its values may refer to. */
export interface DotenvPlace {
  /** The workflow's working directory, where it has one. */
  workingDir: string | undefined;
  workflowPath: string;
  env: Readonly<Record<string, string>>;
  /** Resolves the references in a file's name. */
  resolve(text: string): string;
}

/** Beside the workflow file; it is read before those that are named. */
const standard = '.env';

/**
 * Reads a workflow's dotenv files, later ones over earlier ones. Each is looked for in the
 * working directory, then beside the workflow file. One that is not there is left out, as in
 * Dagu, and told in `missing`. Throws a {@link StepError} for one that cannot be read.
 */
export async function readDotenv(names: readonly string[], place: DotenvPlace): Promise<Dotenv> {
  const beside = dirname(place.workflowPath);
  const dotenv: Dotenv = { variables: {}, missing: [] };
  if (names.length === 0) return dotenv;
  for (const name of new Set([standard, ...names])) {
    const file = place.resolve(name);
    const folders = name === standard ? [beside] : [place.workingDir ?? beside, beside];
    const paths = isAbsolute(file) ? [file] : [...new Set(folders.map((folder) => resolvePath(folder, file)))];
    const found = await firstFile(paths);
    if (found === undefined) {
      if (name !== standard) dotenv.missing.push(name);
      continue;
    }
    Object.assign(dotenv.variables, parseDotenv(found.text, found.path, { ...place.env, ...dotenv.variables }));
  }
  return dotenv;
}

async function firstFile(paths: readonly string[]): Promise<{ path: string; text: string } | undefined> {
  for (const path of paths) {
    try {
      return { path, text: await readFile(path, 'utf8') };
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      if (code !== 'ENOENT' && code !== 'ENOTDIR') {
        throw new StepError(`the dotenv file ${path} cannot be read: ${message}`, { cause: error });
      }
    }
  }
  return undefined;
}

const entry =
  /[ \t]*(?:export[ \t]+)?([A-Za-z_][A-Za-z0-9_.]*)[ \t]*=[ \t]*(?:'([^']*)'|"((?:[^"\\]|\\[\s\S])*)"|([^\n]*))/y;
const restOfLine = /[ \t]*(?:#[^\n]*)?\r?(?:\n|$)/y;
const emptyLine = /[ \t]*(?:#[^\n]*)?\r?(?:\n|$)/y;

/**
 * Reads the text of a dotenv file: lines `NAME=value`, `export` before them or not. A value
 * in single quotes is as it stands; in others `$NAME` and `${NAME}` stand for variables of
 * `env` and of the file's lines before. Double quotes know `\n`, `\r`, `\t`, `\"`, `\\` and
 * `\$`; without quotes ` #` begins a comment. Quoted values may go over lines.
 */
export function parseDotenv(text: string, path: string, env: Readonly<Record<string, string>>): Record<string, string> {
  const variables: Record<string, string> = {};
  const known = { ...env };
  const source = text.replace(/^\uFEFF/, '');
  for (let at = 0; at < source.length; ) {
    const skipped = matchAt(emptyLine, source, at);
    if (skipped !== undefined) {
      at += skipped[0].length;
      continue;
    }
    const line = source.slice(0, at).split('\n').length;
    const match = matchAt(entry, source, at);
    if (match === undefined) throw new StepError(`${path}:${line}: must be NAME=value`);
    const [whole, name = '', single, double, bare] = match;
    const end = matchAt(restOfLine, source, at + whole.length);
    if (end === undefined) throw new StepError(`${path}:${line}: ${name}: only a comment may follow the closing quote`);
    if (bare !== undefined && /^['"]/.test(bare)) {
      throw new StepError(`${path}:${line}: ${name}: the closing quote ${bare[0]} is missing`);
    }
    const value = single ?? (double === undefined ? bareValue(bare ?? '', known) : doubleValue(double, known));
    variables[name] = value;
    known[name] = value;
    at += whole.length + end[0].length;
  }
  return variables;
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text) ?? undefined;
}

function bareValue(text: string, env: Readonly<Record<string, string>>): string {
  return expandVariables(text.replace(/(^|\s)#[\s\S]*$/, '').trim(), env);
}

const escapes: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' };

function doubleValue(text: string, env: Readonly<Record<string, string>>): string {
  return text.replace(/\\([\s\S])|[^\\]+/g, (piece, escaped: string | undefined) =>
    escaped === undefined ? expandVariables(piece, env) : (escapes[escaped] ?? escaped),
  );
}
