import { escapedInPaths, type Scope } from './references.ts';
import type { ShellNotes, ShellProgram } from './shell-values.ts';
import { posix, type ShellLanguage } from './shells.ts';

export { ShellDataError, whyNoVariable } from './shell-values.ts';

/**
 * Makes the program that a shell runs for a command of a workflow file: references reach
 * it as data, in that shell's own syntax, and constants as the author's own text. A
 * reference without a value stays as it is written. Throws a `ShellDataError` where a
 * value cannot be data.
 *
 * @param language from `languageOf`; a POSIX shell where nothing is said
 */
export function shellProgram(command: string, scope: Scope, language: ShellLanguage = posix): ShellProgram {
  return language.program(command, scope);
}

/**
 * What can be said of a command's references before any value is known.
 *
 * @param consts the workflow's constants, which are part of the program
 */
export function checkShellReferences(
  command: string,
  language: ShellLanguage = posix,
  consts: Readonly<Record<string, string>> = {},
): ShellNotes {
  const { problems, warnings } = language.notes(command, ([namespace, name = '']) =>
    namespace === 'consts' && Object.hasOwn(consts, name) ? consts[name] : undefined,
  );
  const escaped = language.hasBackslashPaths ? escapedInPaths(command) : [];
  const literal = escaped.map(
    (source) =>
      `${source} is no reference, since the backslash takes its meaning; write \\${source} or /${source.slice(1)} in a path`,
  );
  return { problems, warnings: [...literal, ...warnings] };
}
