import { cut, type Scope } from './references.ts';

/**
 * References in `run` reach a shell as data: each becomes the expansion of a generated
 * environment variable, quoted for the place where it stands. The value is never part of
 * the program, so no quote, `$(…)` or newline in it can become one. Should the scanner
 * misjudge a place, the worst that follows is a value split at its spaces.
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
  const scanner = new Scanner();
  const names = new Map<string, string>();
  const env: Record<string, string> = {};
  let script = '';
  const insert = (text: string) => {
    scanner.read(text);
    script += text;
  };
  for (const piece of cut(command)) {
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
    script += expansion(name, scanner.place, value, piece.source);
    scanner.wordGoesOn();
  }
  return { script, env };
}

/** What is wrong with the places of a command's references, before any value is known. */
export function checkShellReferences(command: string): string[] {
  const problems: string[] = [];
  const scanner = new Scanner();
  for (const piece of cut(command)) {
    if ('text' in piece) scanner.read(piece.text);
    else if (piece.reference[0] !== 'consts' && scanner.place === 'quoted-heredoc') {
      problems.push(quotedHeredoc(piece.source));
    }
  }
  return problems;
}

function checkValue(value: string, source: string): string {
  if (value.includes('\0')) throw new ShellDataError(`${source} holds a NUL character, which no environment can carry`);
  if (new TextEncoder().encode(value).length > maxVariableBytes) {
    throw new ShellDataError(
      `${source} is longer than 128 KB, which is more than a command can take; pass it in a file`,
    );
  }
  return value;
}

function expansion(name: string, place: Place, value: string, source: string): string {
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
        throw new ShellDataError(`${source} stands in $((…)), where only a number may stand, and its value is none`);
      }
      return `\${${name}}`;
    case 'quoted-heredoc':
      throw new ShellDataError(quotedHeredoc(source));
    default:
      return `\${${name}}`;
  }
}

function quotedHeredoc(source: string): string {
  return `${source} stands in a here-document with a quoted end word, where no value can be put as data; leave the quotes of the end word away`;
}

/** Where in a program a reference stands. */
type Place = 'plain' | 'single' | 'double' | 'braces' | 'arithmetic' | 'comment' | 'heredoc' | 'quoted-heredoc';

/** What the scanner is inside of, from the outside in. `command` is `$(…)`, `backtick` the old form of it. */
type Context = 'command' | 'backtick' | 'single' | 'double' | 'braces' | 'arithmetic' | 'comment';

interface Heredoc {
  end: string;
  quoted: boolean;
  stripTabs: boolean;
}

/** Follows a POSIX shell's quoting through a program, piece by piece. */
class Scanner {
  #stack: Context[] = [];
  #wordStart = true;
  #awaited: Heredoc[] = [];
  #heredoc: Heredoc | undefined;
  #line = '';
  #rest = '';

  get place(): Place {
    if (this.#heredoc !== undefined) return this.#heredoc.quoted ? 'quoted-heredoc' : 'heredoc';
    const context = this.#stack.at(-1);
    return context === undefined || context === 'command' || context === 'backtick' ? 'plain' : context;
  }

  /** A reference was read: what follows is in the same word, and the line has more than its text. */
  wordGoesOn(): void {
    this.#wordStart = false;
    this.#line += '\0';
  }

  read(text: string): void {
    this.#rest = text;
    while (this.#rest !== '') {
      if (this.#heredoc !== undefined) this.#readHeredoc();
      else this.#readProgram();
    }
  }

  #take(length: number): string {
    const taken = this.#rest.slice(0, length);
    this.#rest = this.#rest.slice(length);
    return taken;
  }

  #readHeredoc(): void {
    const character = this.#take(1);
    if (character !== '\n') {
      this.#line += character;
      return;
    }
    const line = this.#heredoc?.stripTabs ? this.#line.replace(/^\t+/, '') : this.#line;
    if (line === this.#heredoc?.end) this.#heredoc = this.#awaited.shift();
    this.#line = '';
  }

  #readProgram(): void {
    const context = this.#stack.at(-1);
    if (context === 'single') this.#until("'");
    else if (context === 'comment') this.#until('\n');
    else if (this.#rest.startsWith('\\')) {
      this.#take(2);
      this.#wordStart = false;
    } else if (this.#open(context)) return;
    else if (context === 'double') this.#untilUnquoted('"');
    else if (context === 'braces') this.#untilUnquoted('}');
    else if (context === 'arithmetic') this.#untilUnquoted('))');
    else this.#readCommand(context);
  }

  /** What opens a nested context both in a program and inside double quotes. */
  #open(context: Context | undefined): boolean {
    const openers: [string, Context][] = [
      ['$((', 'arithmetic'],
      ['$(', 'command'],
      ['${', 'braces'],
    ];
    for (const [opener, inner] of openers) {
      if (!this.#rest.startsWith(opener)) continue;
      this.#take(opener.length);
      this.#push(inner);
      return true;
    }
    if (this.#rest.startsWith('`') && context !== 'backtick') {
      this.#take(1);
      this.#push('backtick');
      return true;
    }
    return false;
  }

  #push(context: Context): void {
    this.#stack.push(context);
    this.#wordStart = true;
  }

  #until(end: string): void {
    if (this.#take(1) !== end) return;
    this.#stack.pop();
    if (end === '\n') this.#newline();
    else this.#wordStart = false;
  }

  #untilUnquoted(end: string): void {
    if (this.#rest.startsWith(end)) {
      this.#take(end.length);
      this.#stack.pop();
      this.#wordStart = false;
      return;
    }
    const character = this.#take(1);
    // Quotes quote inside ${…} and $((…)); inside double quotes a single quote is a letter.
    if (character === '"' && end !== '"') this.#push('double');
    if (character === "'" && end === '}' && !this.#stack.includes('double')) this.#push('single');
  }

  #readCommand(context: Context | undefined): void {
    const heredoc = /^<<(-?)[ \t]*((?:'[^']*'|"[^"]*"|\\.|[^\s'"\\;&|<>()])+)/.exec(this.#rest);
    if (heredoc !== null && !this.#rest.startsWith('<<<')) {
      const [source, dash = '', word = ''] = heredoc;
      this.#take(source.length);
      this.#awaited.push({ end: word.replaceAll(/['"\\]/g, ''), quoted: /['"\\]/.test(word), stripTabs: dash === '-' });
      return;
    }
    if (this.#rest.startsWith('<<<')) {
      this.#take(3);
      return;
    }
    const character = this.#take(1);
    if (character === '\n') this.#newline();
    else if (character === '#' && this.#wordStart) this.#push('comment');
    else if (character === "'") this.#push('single');
    else if (character === '"') this.#push('double');
    // A subshell's parentheses are counted like $(…), so that its end is not taken for the outer one's.
    else if (character === '(') this.#push('command');
    else if ((character === ')' && context === 'command') || (character === '`' && context === 'backtick')) {
      this.#stack.pop();
      this.#wordStart = false;
    } else this.#wordStart = /[\s;&|<>()]/.test(character);
  }

  #newline(): void {
    this.#wordStart = true;
    this.#line = '';
    this.#heredoc = this.#awaited.shift();
  }
}
