import type { Scope } from './references.ts';
import {
  isNumber,
  type MarkedReference,
  mark,
  markReferences,
  nulProblem,
  numberOnly,
  ShellDataError,
  type ShellNotes,
  type ShellProgram,
  Variables,
  variablePrefix,
} from './shell-values.ts';

/**
 * References in programs of cmd, which puts what `%NAME%` stands for into a program before
 * it reads it. So a value reaches it in one of two ways:
 *
 * - A plain value, without a character that means something to cmd at its place, becomes
 *   `%NAME%`. All else in the program stays as it is.
 * - Any other value becomes `!NAME!`, which cmd replaces after it has read the program
 *   (/v:on). That mode changes what other text means, and does not hold where cmd reads a
 *   text twice: so the program must be a simple one (`whyNotSimple`), and its own `!` and
 *   `^` stand in variables, too.
 *
 * Else the value is refused. What a quote in a value means to a program that it is given
 * to, is up to that program, as ever on Windows.
 */
export function cmdProgram(command: string, scope: Scope): ShellProgram {
  const { text, references } = markReferences(command.replaceAll('\r\n', '\n'), scope);
  const places = findPlaces(text);
  const used = references.map((reference, index) => use(reference, places[index] as Place));
  const special = used.find(({ value, place }) => !isPlain(value, place));
  return special === undefined ? plainProgram(text, used) : delayedProgram(text, used, special);
}

/** Looks at the places of a command's references: those that cannot be data, and those that take plain values alone. */
export function cmdNotes(command: string, scope: Scope): ShellNotes {
  if (command.includes(mark)) return { problems: [nulProblem], warnings: [] };
  const { text, references } = markReferences(command.replaceAll('\r\n', '\n'), scope);
  const places = findPlaces(text);
  const problems = references
    .filter((_, index) => places[index]?.followsPercent)
    .map(({ source }) => `${source} ${lonePercent}`);
  const reason = whyNotSimple(text);
  const [first] = references;
  const warnings = references
    .filter((_, index) => interpreting.test(afterHead(places[index]?.before ?? '')))
    .map(({ source }) => `${source} becomes program text of the command that it is given to; set it under env`);
  if (first !== undefined && reason !== undefined) {
    warnings.push(`${first.source} can be a plain text alone, since ${reason}`);
  }
  return { problems, warnings };
}

/** Commands that run an argument as a program's text. */
const interpreting =
  /^"?(?:[^\s"]*\\)?(?:(?:powershell|pwsh|bash|sh|wsl)(?:\.exe)?(?=[\s"])|(?:python3?|py|node|perl|ruby)(?:\.exe)?"?\s.*-[ce]\b)/is;

/** cmd reads lines of at most 8,191 characters, with what its variables hold. */
const maxLength = 8000;
const lonePercent = 'stands after a single % in its line, which cmd would take together with a variable; write %%';

interface Use {
  source: string;
  value: string;
  place: Place;
}

function use({ source, value = source }: MarkedReference, place: Place): Use {
  if (value.length > maxLength) {
    throw new ShellDataError(`${source} is longer than ${maxLength} characters, which is more than cmd can take`);
  }
  if (place.isArithmetic && !isNumber(value)) {
    throw new ShellDataError(`${source} ${numberOnly}, and its value is none`);
  }
  return { source, value, place };
}

function plainProgram(text: string, used: Use[]): ShellProgram {
  const variables = new Variables();
  const script = fill(text, used, ({ source, value, place }) => {
    if (place.followsPercent) throw new ShellDataError(`${source} ${lonePercent}`);
    // cmd takes an empty variable for none, and may leave its name in the program.
    return value === '' ? '' : `%${variables.add(source, value)}%`;
  });
  return { script, env: variables.env, options: ['/v:off'] };
}

function delayedProgram(text: string, used: Use[], special: Use): ShellProgram {
  const reason = whyNotSimple(text);
  if (reason !== undefined) {
    throw new ShellDataError(
      `${special.source} has a value with a character that cmd takes for program text, and cannot be data, since ${reason}`,
    );
  }
  const variables = new Variables();
  const script = fill(ownSignsKept(text), used, ({ source, value }) => `!${variables.add(source, value)}!`);
  return { script, env: { ...variables.env, [exclamation]: '!', [caret]: '^' }, options: ['/v:on'] };
}

const exclamation = `${variablePrefix}EXCLAMATION`;
const caret = `${variablePrefix}CARET`;

/** Replaces the marks of a text, one after another. */
function fill(text: string, used: Use[], variable: (use: Use) => string): string {
  let index = 0;
  return text.replaceAll(mark, () => {
    index += 1;
    return variable(used[index - 1] as Use);
  });
}

/** With /v:on, `!` begins a variable and `^` vanishes beside one: both stand in variables of their own. */
function ownSignsKept(text: string): string {
  let isQuoted = false;
  return text.replaceAll(/\^.|./gs, (taken) => {
    const [first = '', second = ''] = taken;
    if (first !== '^') {
      if (first === '"') isQuoted = !isQuoted;
      if (first === '\n') isQuoted = false;
      return first === '!' ? `!${exclamation}!` : first;
    }
    const sign = `!${caret}!`;
    if (isQuoted) {
      if (second === '"' || second === '\n') isQuoted = false;
      return sign + (second === '!' ? `!${exclamation}!` : second === '^' ? sign : second);
    }
    if (second === '^') return sign;
    if (second === '!') return `!${exclamation}!`;
    return second === mark ? mark : taken;
  });
}

/** What is known of the place where a reference stands. */
interface Place {
  /** What stands before it in its command. */
  before: string;
  isQuoted: boolean;
  /** Among the words that cmd reads the structure of a command from: spaces are no data there. */
  isStructure: boolean;
  isArithmetic: boolean;
  followsPercent: boolean;
  /** A digit at a value's end would be read as the number of what is redirected. */
  isRedirected: boolean;
  /** In a program with `for /f`, which reads commands from text in quotes. */
  isInLoop: boolean;
}

/** Whether a value means nothing to cmd beside being text, in a program that it is put into before cmd reads it. */
function isPlain(value: string, place: Place): boolean {
  if (/[%!^&|<>"\p{Cc}\u2028\u2029]/u.test(value)) return false;
  if (place.isInLoop && /['`]/.test(value)) return false;
  if (place.isQuoted) return true;
  if (/[()]/.test(value)) return false;
  if (place.isStructure && /^$|[\s,;=]/.test(value)) return false;
  return !(place.isRedirected && /\d$/.test(value));
}

function findPlaces(text: string): Place[] {
  const isInLoop = /\bfor\s+\/f\b/i.test(text);
  const isBatch = text.includes('\n');
  return read(text).marks.map(({ at, isQuoted, before }) => {
    const rest = afterHead(before);
    return {
      before,
      isQuoted,
      isStructure: rest === '' || /^if\b/i.test(rest),
      isArithmetic: /^set\s+\/a\b/i.test(rest),
      followsPercent: isBatch && hasLonePercent(text.slice(text.lastIndexOf('\n', at) + 1, at)),
      isRedirected: /^[<>]/.test(text.slice(at + 1)),
      isInLoop,
    };
  });
}

/** Whether a batch file's line has a `%` that is neither doubled nor part of an argument or a variable. */
function hasLonePercent(line: string): boolean {
  return line.replaceAll(/%%|%\*|%~[a-z$:]*\d|%\d|%[^%\0]*%/gi, '').includes('%');
}

interface Reading {
  /** The text of each command, without what separates it from others. */
  commands: string[];
  /** For each mark: what stands before it in its command. */
  marks: { at: number; isQuoted: boolean; before: string }[];
  hasPipe: boolean;
}

/** Cuts a program into its commands, as far as cmd's quotes and escapes tell. */
function read(text: string): Reading {
  const reading: Reading = { commands: [], marks: [], hasPipe: false };
  let start = 0;
  let depth = 0;
  let isQuoted = false;
  const end = (at: number, length = 1) => {
    reading.commands.push(text.slice(start, at));
    start = at + length;
  };
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (character === '\n') {
      end(at);
      isQuoted = false;
    } else if (character === '"') isQuoted = !isQuoted;
    else if (character === mark) reading.marks.push({ at, isQuoted, before: text.slice(start, at) });
    else if (isQuoted) continue;
    else if (character === '^') at += text[at + 1] === mark ? 0 : 1;
    else if (character === '&' || character === '|') {
      const isDouble = text[at + 1] === character;
      if (character === '|' && !isDouble) reading.hasPipe = true;
      end(at, isDouble ? 2 : 1);
      if (isDouble) at += 1;
    } else if (character === '(' && afterHead(text.slice(start, at)) === '') {
      depth += 1;
      start = at + 1;
    } else if (character === ')' && depth > 0) {
      depth -= 1;
      end(at);
    }
  }
  end(text.length);
  return reading;
}

const word = '(?:"[^"\\n]*"|[^\\s"=,;&|<>()])+';
const heads = [
  /^[\s@]+/,
  /^else(?=[\s(])/i,
  new RegExp(
    `^if\\s+(?:/i\\s+)?(?:not\\s+)?(?:(?:exist|defined|errorlevel|cmdextversion)\\s+${word}|${word}\\s*(?:==\\s*|\\s(?:equ|neq|lss|leq|gtr|geq)\\s+)${word})(?=[\\s(])`,
    'i',
  ),
  /^for\b.*\bdo(?=[\s(])/is,
  new RegExp(`^\\d?(?:>>?|<)&?\\s*${word}(?=\\s)`),
];

/** A command without the conditions, loops and redirections before it. */
function afterHead(command: string): string {
  const head = heads.find((one) => one.test(command));
  return head === undefined ? command : afterHead(command.replace(head, ''));
}

/**
 * What cmd runs by itself, and programs of Windows. Any other name without an ending may
 * be a batch file, which cmd gives its arguments as program text.
 */
const knownCommands = new Set(
  (
    'assoc cd chdir cls color copy date del dir echo endlocal erase exit ftype goto md mkdir mklink move path pause popd ' +
    'prompt pushd rd rem ren rename rmdir set setlocal shift time title type ver verify vol ' +
    'attrib certutil comp curl fc find findstr hostname icacls net ping reg robocopy sc tar taskkill tasklist timeout ' +
    'where whoami xcopy'
  ).split(' '),
);

/** Programs that read their arguments as program text. */
const rereading = /(?:^|[\\/])(?:cmd|command|start|forfiles|powershell|pwsh|bash|sh|wsl|mshta)\.(?:exe|com)$/;

/** Why a program cannot take every value as data; undefined when it can. */
function whyNotSimple(text: string): string | undefined {
  if (text.includes('%')) return 'the program has a %; write ${env.NAME} for %NAME%';
  if (/delayedexpansion/i.test(text)) return 'the program sets delayed expansion itself';
  const { commands, hasPipe } = read(text);
  if (hasPipe) return 'the program has a pipe, each side of which cmd reads twice';
  for (const command of commands) {
    const rest = afterHead(command).trim();
    if (rest === '' || rest.startsWith(':')) continue;
    if (/^if\b/i.test(rest)) return 'the program has an if whose parts are not clear; put both sides in quotes';
    const name = nameOf(rest).toLowerCase();
    if (!isKnown(name)) {
      return `cmd may run ${JSON.stringify(name.replaceAll(mark, '…'))} as a batch file, or read its arguments twice; name a program with its ending .exe, or use PowerShell`;
    }
  }
  return undefined;
}

/** The name of what a command runs; `echo.`, `cd\\` and `dir/b` have their arguments right behind it. */
function nameOf(command: string): string {
  const quoted = /^"([^"]*)"/.exec(command)?.[1];
  if (quoted !== undefined) return quoted;
  const [, own = '', following = ''] = /^([a-z]+)([.:(\\/+[\]][^\s,;=<>]*)/i.exec(command) ?? [];
  const isOwn = knownCommands.has(own.toLowerCase()) && !/^\.(?:bat|cmd|exe|com)\b/i.test(following);
  return isOwn ? own : (/^[^\s,;=<>]+/.exec(command)?.[0] ?? '');
}

function isKnown(name: string): boolean {
  if (name.includes(mark)) return false;
  return /\.(?:exe|com)$/.test(name) ? !rereading.test(name) : knownCommands.has(name);
}
