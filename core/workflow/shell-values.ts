import { cut, type Reference, type Scope } from './references.ts';

/** What a shell is started with: its program, with each value from outside in a variable of the environment. */
export interface ShellProgram {
  script: string;
  env: Record<string, string>;
  /** Arguments that the shell needs to take this program as it is meant. */
  options: readonly string[];
}

/** What can be said of a command before any value is known. */
export interface ShellNotes {
  problems: string[];
  warnings: string[];
}

/** A reference stands where a shell could not take it as data; the message says what to do. */
export class ShellDataError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ShellDataError';
  }
}

/** Linux passes at most this many bytes in one environment variable, its name included. */
const maxVariableBytes = 128 * 1024 - 64;

/** Why an environment variable cannot hold a value, to follow its name; undefined when it can. */
export function whyNoVariable(value: string): string | undefined {
  if (value.includes('\0')) return 'holds a NUL character, which no environment can carry';
  if (new TextEncoder().encode(value).length > maxVariableBytes) {
    return 'is longer than 128 KB, which is more than an environment variable can hold; pass it in a file';
  }
  return undefined;
}

/** What the names of generated variables begin with. */
export const variablePrefix = 'DAGU_REF_';

/** The generated variables of one program: one for each reference, however often it stands there. */
export class Variables {
  readonly env: Record<string, string> = {};
  readonly #names = new Map<string, string>();

  /** The name of a reference's variable. Throws where no variable can hold its value. */
  add(source: string, value: string): string {
    const problem = whyNoVariable(value);
    if (problem !== undefined) throw new ShellDataError(`${source} ${problem}`);
    const name = this.#names.get(source) ?? `${variablePrefix}${this.#names.size + 1}`;
    this.#names.set(source, name);
    this.env[name] = value;
    return name;
  }
}

/** Stands for a reference in the text of a program: no program can hold this character itself. */
export const mark = '\0';

/** A program with a mark for each reference to a value from outside; constants are text of the author's. */
export interface MarkedProgram {
  text: string;
  /** In the order of their marks. */
  references: MarkedReference[];
}

export interface MarkedReference {
  source: string;
  /** Undefined where the reference has no value, or where values are not known yet. */
  value: string | undefined;
}

/** Replaces the references of a command by marks. Throws when the command holds a NUL character of its own. */
export function markReferences(command: string, scope: Scope): MarkedProgram {
  const references: MarkedReference[] = [];
  const text = cut(command).map((piece) => {
    if ('text' in piece) return withoutNul(piece.text);
    const value = scope(piece.reference);
    if (isConstant(piece.reference)) return withoutNul(value ?? piece.source);
    references.push({ source: piece.source, value });
    return mark;
  });
  return { text: text.join(''), references };
}

/** Constants are written in the file itself. */
export function isConstant([namespace]: Reference): boolean {
  return namespace === 'consts';
}

/** A text of the author's, which goes into a program as it is. */
export function withoutNul(text: string): string {
  if (text.includes('\0')) throw new ShellDataError(nulProblem);
  return text;
}

export const nulProblem = 'the command holds a NUL character, which no program can take';

/** Only this is data where a shell would evaluate what a variable holds. */
export function isNumber(value: string): boolean {
  return /^\s*[-+]?\d+(\.\d+)?\s*$/.test(value);
}

export const numberOnly = 'stands where a shell evaluates it, so that only a number may stand there';
