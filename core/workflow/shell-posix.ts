import { cut, type Piece, type Scope } from './references.ts';
import { type Place, Scanner } from './shell-scanner.ts';
import {
  isConstant,
  isNumber,
  nulProblem,
  numberOnly,
  ShellDataError,
  type ShellNotes,
  type ShellProgram,
  Variables,
  withoutNul,
} from './shell-values.ts';

/**
 * References in programs of sh, bash, zsh, dash and ksh. Each becomes the expansion of a
 * generated variable, quoted for the place where it stands, so that no quote, `$(…)` or
 * newline in a value can become program text. Should the scanner misjudge a place, what
 * follows is a value split at its spaces, or a variable's name.
 */
export function posixProgram(command: string, scope: Scope): ShellProgram {
  const pieces = cut(command);
  const scanner = new Scanner();
  const variables = new Variables();
  let script = '';
  const insert = (text: string) => {
    scanner.read(text);
    script += withoutNul(text);
  };
  for (const [index, piece] of pieces.entries()) {
    if ('text' in piece) {
      insert(piece.text);
      continue;
    }
    const { source, reference } = piece;
    const value = scope(reference);
    if (value === undefined || isConstant(reference)) {
      insert(value ?? source);
      continue;
    }
    const place = scanner.place(textOf(pieces[index + 1]));
    const refusal = whyRefused(scanner, place);
    if (refusal !== undefined) throw new ShellDataError(`${source} ${refusal}`);
    if (place === 'arithmetic' && !isNumber(value)) {
      throw new ShellDataError(`${source} ${numberOnly}, and its value is none`);
    }
    if (scanner.followsDollar && isExpanded(place)) script = `${script.slice(0, -1)}\\$`;
    script += expansion(variables.add(source, value), place);
    scanner.reference();
  }
  return { script, env: variables.env, options: [] };
}

/** Looks at the places of a command's references: those that cannot be data, and those that do not stay it. */
export function posixNotes(command: string, scope: Scope): ShellNotes {
  const notes: ShellNotes = { problems: [], warnings: [] };
  if (command.includes('\0')) notes.problems.push(nulProblem);
  const pieces = cut(command);
  const scanner = new Scanner();
  for (const [index, piece] of pieces.entries()) {
    if ('text' in piece) {
      scanner.read(piece.text);
      continue;
    }
    const { reference, source } = piece;
    if (isConstant(reference)) {
      scanner.read(scope(reference) ?? '');
      continue;
    }
    const refusal = whyRefused(scanner, scanner.place(textOf(pieces[index + 1])));
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

function textOf(piece: Piece | undefined): string {
  return piece !== undefined && 'text' in piece ? piece.text : '';
}

/** Places where no value can be put as data, and what to do instead. */
const refusals: Partial<Record<Place, string>> = {
  'quoted-heredoc':
    'stands in a here-document with a quoted end word, where no value can be put as data; leave the quotes of the end word away',
  ansi: "stands in $'…', where no value can be put as data; use double quotes",
};

function whyRefused(scanner: Scanner, place: Place): string | undefined {
  // Backticks take one level of backslashes away, so that none would be left for the dollar.
  if (scanner.followsDollar && isExpanded(place) && scanner.isInBackticks) {
    return 'stands after a $ in backticks, where the two would be read as one; use $(…)';
  }
  return refusals[place];
}

/** Where a dollar sign before the variable's own would be read together with it. */
function isExpanded(place: Place): boolean {
  return place === 'plain' || place === 'double';
}

function expansion(name: string, place: Place): string {
  switch (place) {
    case 'plain':
      return `"\${${name}}"`;
    case 'single':
      return `'"\${${name}}"'`;
    case 'comment':
      return '';
    default:
      return `\${${name}}`;
  }
}
