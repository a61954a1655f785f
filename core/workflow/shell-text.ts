import { cut, resolve, type Scope } from './references.ts';
import { isConstant, nulProblem, type ShellNotes, type ShellProgram, withoutNul } from './shell-values.ts';

/**
 * References in programs of interpreters whose language is not known here: the values are
 * put into the program's text, as they are.
 */
export function textProgram(command: string, scope: Scope): ShellProgram {
  return { script: withoutNul(resolve(withoutNul(command), scope)), env: {}, options: [] };
}

/** Warns of each reference to a value from outside the file. */
export function textNotes(command: string): ShellNotes {
  const problems = command.includes('\0') ? [nulProblem] : [];
  const sources = cut(command).flatMap((piece) =>
    'reference' in piece && !isConstant(piece.reference) ? [piece.source] : [],
  );
  const warnings = [...new Set(sources)].map(
    (source) =>
      `${source} becomes program text of the interpreter; set it under env, and let the program read the variable`,
  );
  return { problems, warnings };
}
