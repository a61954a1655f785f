import { cut, type Piece, type Scope } from './references.ts';
import { type Place, Scanner } from './shell-scanner.ts';

/**
 * References in `run` reach a shell as data: each becomes the expansion of a generated
 * environment variable, quoted for the place where it stands. The value is never part of
 * the program, so no quote, `$(…)` or newline in it can become one. Should the scanner
 * misjudge a place, what follows is a value split at its spaces, or a variable's name.
 */
export interface ShellProgram {
  script: string;
  env: Record<string, string>;
}

/** A reference stands where a shell could not take it as data; the message says what to do. */
export class ShellDataError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ShellDataError';
  }
}

const prefix = 'DAGU_REF_';

/** Linux passes at most this many bytes in one environment variable, its name included. */
const maxVariableBytes = 128 * 1024 - 64;

/**
 * Makes the program that a POSIX shell runs for a command of a workflow file. Constants
 * are the author's own text and are inserted; a reference without a value stays as it is
 * written.
 */
export function shellProgram(command: string, scope: Scope): ShellProgram {
  const pieces = cut(command);
  const scanner = new Scanner();
  const names = new Map<string, string>();
  const env: Record<string, string> = {};
  let script = '';
  const insert = (text: string) => {
    scanner.read(text);
    script += text;
  };
  for (const [index, piece] of pieces.entries()) {
    if ('text' in piece) {
      insert(piece.text);
      continue;
    }
    const value = scope(piece.reference);
    if (value === undefined || piece.reference[0] === 'consts') {
      insert(value ?? piece.source);
      continue;
    }
    const name = names.get(piece.source) ?? `${prefix}${names.size + 1}`;
    names.set(piece.source, name);
    env[name] = checkValue(value, piece.source);
    script += expansion(name, scanner.place(textOf(pieces[index + 1])), value, piece.source);
    scanner.reference();
  }
  if (script.includes('\0')) throw new ShellDataError('the command holds a NUL character, which no program can take');
  return { script, env };
}

function textOf(piece: Piece | undefined): string {
  return piece !== undefined && 'text' in piece ? piece.text : '';
}

/** What can be said of a command before any value is known. */
export interface ShellNotes {
  problems: string[];
  warnings: string[];
}

/** Looks at the places of a command's references: those that cannot be data, and those that do not stay it. */
export function checkShellReferences(command: string): ShellNotes {
  const notes: ShellNotes = { problems: [], warnings: [] };
  if (command.includes('\0')) notes.problems.push('the command holds a NUL character, which no program can take');
  const pieces = cut(command);
  const scanner = new Scanner();
  for (const [index, piece] of pieces.entries()) {
    if ('text' in piece) {
      scanner.read(piece.text);
      continue;
    }
    const { reference, source } = piece;
    if (reference[0] === 'consts') continue;
    const refusal = refusals[scanner.place(textOf(pieces[index + 1]))];
    if (refusal !== undefined) notes.problems.push(`${source} ${refusal}`);
    if (scanner.isInterpreted) {
      notes.warnings.push(
        `${source} becomes program text of the command that it is given to; set it under env, and let that program read the variable`,
      );
    }
    scanner.reference();
  }
  return notes;
}

/** Places where no value can be put as data, and what to do instead. */
const refusals: Partial<Record<Place, string>> = {
  'quoted-heredoc':
    'stands in a here-document with a quoted end word, where no value can be put as data; leave the quotes of the end word away',
  ansi: "stands in $'…', where no value can be put as data; use double quotes",
};

/** Why an environment variable cannot hold a value, to follow its name; undefined when it can. */
export function whyNoVariable(value: string): string | undefined {
  if (value.includes('\0')) return 'holds a NUL character, which no environment can carry';
  if (new TextEncoder().encode(value).length > maxVariableBytes) {
    return 'is longer than 128 KB, which is more than an environment variable can hold; pass it in a file';
  }
  return undefined;
}

function checkValue(value: string, source: string): string {
  const problem = whyNoVariable(value);
  if (problem !== undefined) throw new ShellDataError(`${source} ${problem}`);
  return value;
}

function expansion(name: string, place: Place, value: string, source: string): string {
  const refusal = refusals[place];
  if (refusal !== undefined) throw new ShellDataError(`${source} ${refusal}`);
  switch (place) {
    case 'plain':
      return `"\${${name}}"`;
    case 'single':
      return `'"\${${name}}"'`;
    case 'comment':
      return '';
    case 'arithmetic':
      // A shell evaluates what a variable holds here, so only a number is data.
      if (!/^\s*[-+]?\d+(\.\d+)?\s*$/.test(value)) {
        throw new ShellDataError(
          `${source} stands where a shell evaluates it, so that only a number may stand there, and its value is none`,
        );
      }
      return `\${${name}}`;
    default:
      return `\${${name}}`;
  }
}
