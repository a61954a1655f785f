import type { Scope } from './references.ts';
import {
  isNumber,
  type MarkedProgram,
  type MarkedReference,
  mark,
  markReferences,
  nulProblem,
  numberOnly,
  ShellDataError,
  type ShellNotes,
  type ShellProgram,
  Variables,
} from './shell-values.ts';

/**
 * References in PowerShell programs. Each becomes `${env:…}` inside double quotes, where
 * PowerShell takes a value whole and never as program text. A string in single quotes
 * that holds a reference is written anew with double quotes, its own `$` escaped: so a
 * value is no program text even where this reader should misjudge a place. What follows
 * from a misjudgement is a program that PowerShell refuses, or a variable's name.
 */
export function powershellProgram(command: string, scope: Scope): ShellProgram {
  const variables = new Variables();
  const translator = new Translator(markReferences(command, scope), {
    // PowerShell would read a reference without a value as a variable of its own, which is empty.
    variable: ({ source, value = source }) => `\${env:${variables.add(source, value)}}`,
    number({ source, value = source }) {
      if (!isNumber(value)) throw new ShellDataError(`${source} ${numberOnly}, and its value is none`);
    },
    refuse({ source }, reason) {
      throw new ShellDataError(`${source} ${reason}`);
    },
    warn: () => {},
  });
  return { script: translator.run(), env: variables.env, options: [] };
}

/** Looks at the places of a command's references: those that cannot be data, and those that do not stay it. */
export function powershellNotes(command: string, scope: Scope): ShellNotes {
  const notes: ShellNotes = { problems: [], warnings: [] };
  if (command.includes(mark)) return { problems: [nulProblem], warnings: [] };
  new Translator(markReferences(command, scope), {
    variable: () => '',
    number: () => {},
    refuse: ({ source }, reason) => notes.problems.push(`${source} ${reason}`),
    warn: ({ source }, reason) => notes.warnings.push(`${source} ${reason}`),
  }).run();
  return { problems: [...new Set(notes.problems)], warnings: [...new Set(notes.warnings)] };
}

/** What becomes of the references that a translator meets. */
interface Handler {
  /** The expansion of a reference's variable, to stand in double quotes. */
  variable(reference: MarkedReference): string;
  /** The reference stands where only a number may. */
  number(reference: MarkedReference): void;
  refuse(reference: MarkedReference, reason: string): void;
  warn(reference: MarkedReference, reason: string): void;
}

/** PowerShell takes typographic quotes for plain ones. */
const single = "'‘’‚‛";
const double = '"“”„';
const singleQuoted = new RegExp(`^.(?:[^${single}]+|[${single}]{2})*[${single}]?`, 's');
const doubledSingle = new RegExp(`([${single}])[${single}]`, 'g');
const specialInDouble = new RegExp(`[$\`${double}]`);
const specialInHere = /[$`]/;
const singleHereEnd = new RegExp(`\\n[${single}]@`);
const doubleHereEnd = new RegExp(`^\\n[${double}]@`);
/** What ends a word. */
const breaks = /[\s(){};,|&<>]/;
/** A word that means the same in double quotes: no quotes, escapes or properties of variables. */
const plainWord = new RegExp(`^(?:[^${single}${double}\`$]|\\$[A-Za-z_]\\w*(?::\\w+)?(?![\\w.:[])|\\$$)*$`);
/** `-Path:`, after which a value stands as a word of its own. */
const parameter = /^[-–—―][A-Za-z]\w*:$/;
const comparison = '-[ci]?(?:gt|ge|lt|le)';
/** Operators that repeat, join or compare a text where a number was meant. */
const beforeNumber = new RegExp(`^\\s*(?:(?:[*/%]|-\\s)\\s*[\\d$(${mark}]|(?:[-+]|${comparison})\\s*\\d|\\.\\.)`, 'i');
const afterOperand = /^$|(?:-(?:and|or|xor|not)|[!,])$/i;
const property = /^\.(?!(?:Length|Count)\b)[A-Za-z_]\w*(?![\w(])/i;
const interpreting =
  /^(?:iex|invoke-expression)\b|\[scriptblock\]::create\(|^(?:&\s*)?(?:\S*[\\/])?(?:(?:powershell|pwsh)(?:\.exe)?\s.*-(?:c|command)\b|cmd(?:\.exe)?\s.*\/[ck]\b|(?:python3?|node|perl|ruby|bash|sh)(?:\.exe)?\s.*-[ce]\b)/is;
const intoInterpreter = /^[^\n;]*\|\s*(?:iex|invoke-expression)\b/i;
const elsewhere = /^(?:icm|invoke-command)\b/i;
const onAnother = /\s-(?:computername|cn|session|hostname|vmname|vmid|containerid|connectionuri|sshconnection)\b/i;

const reasons = {
  glued: 'is joined to a quoted part, a call or a property; put the whole text in double quotes',
  tick: 'stands after a backtick, which would take its meaning; leave the backtick away',
  name: 'stands inside the name of a variable',
  verbatim: 'stands after --%, where PowerShell takes what follows as it is written',
  remote: 'stands in a block that runs on another computer; set $x to it before, and use $using:x in the block',
  interpreted: 'becomes program text of the command that it is given to; set it under env, and use $env:NAME there',
};

interface Frame {
  kind: 'code' | 'double' | 'here';
  end: string;
  /** What was read of the command or expression that is open, marks for references. */
  element: string;
  /** The block of a hash table, whose keys are words. */
  isTable: boolean;
}

/** Reads a program once, and writes it with its references as variables. */
class Translator {
  readonly #text: string;
  readonly #references: MarkedReference[];
  readonly #handler: Handler;
  readonly #frames: Frame[] = [frame('code', '')];
  #at = 0;
  #next = 0;
  #out = '';
  /** Where in the output the word begins that is being read. */
  #word = 0;
  /** Double quotes that the author did not write are open around a word. */
  #quoted = false;

  constructor({ text, references }: MarkedProgram, handler: Handler) {
    this.#text = text;
    this.#references = references;
    this.#handler = handler;
  }

  run(): string {
    while (this.#at < this.#text.length) {
      if (this.#top.kind === 'code') this.#code();
      else this.#inString();
    }
    this.#closeWord();
    return this.#out;
  }

  get #top(): Frame {
    return this.#frames.at(-1) as Frame;
  }

  get #rest(): string {
    return this.#text.slice(this.#at);
  }

  #starts(text: string): boolean {
    return this.#text.startsWith(text, this.#at);
  }

  /** Copies what is to be read next, as it is; marks in it are references that the reason refuses, or that vanish. */
  #take(length: number, reason?: string): void {
    const taken = this.#text.slice(this.#at, this.#at + length);
    this.#at += length;
    this.#top.element += taken;
    for (const character of taken) {
      if (character !== mark) this.#out += character;
      else {
        const reference = this.#reference();
        if (reason !== undefined) this.#handler.refuse(reference, reason);
      }
    }
  }

  #reference(): MarkedReference {
    const reference = this.#references[this.#next] as MarkedReference;
    this.#next += 1;
    return reference;
  }

  /** Length up to the end of what a pattern finds, or of the text. */
  #until(pattern: RegExp): number {
    const match = pattern.exec(this.#rest);
    return match === null ? this.#text.length - this.#at : match.index + match[0].length;
  }

  #code(): void {
    const character = this.#text[this.#at] as string;
    if (character === mark) this.#bare();
    else if (this.#quoted && this.#continueWord(character)) return;
    else if (character === '`') this.#escape();
    else if (this.#atComment(character)) this.#take(this.#starts('<#') ? this.#until(/#>/) : this.#until(/(?=[\r\n])/));
    else if (character === '@' && this.#hereString()) return;
    else if (single.includes(character)) this.#singleString();
    else if (double.includes(character)) this.#open('double', 1, '');
    else if (this.#starts('${')) this.#take(this.#until(/\}/), reasons.name);
    else if (this.#isWordStart && this.#starts('--%')) this.#take(this.#until(/(?=[\r\n|])/), reasons.verbatim);
    else this.#punctuation(character);
  }

  #punctuation(character: string): void {
    const group = /^(?:[$@]?\(|@?\{)/.exec(this.#rest.slice(0, 2));
    if (group !== null) this.#open('code', group[0].length, group[0].endsWith('(') ? ')' : '}', group[0] === '@{');
    else if (character === this.#top.end) this.#close();
    else {
      this.#take(1);
      if (/[\n;|&=]/.test(character)) this.#separate(character);
    }
    if (breaks.test(character)) this.#word = this.#out.length;
  }

  /** After what ends a command, and after an assignment, the next one begins. */
  #separate(character: string): void {
    const top = this.#top;
    const before = top.element.slice(0, -1).trimEnd();
    if (character === '=' && !top.isTable && !isExpression(before)) return;
    // A list goes on in the next line, `2>&1` is no end, and `& name` calls a program.
    if (character === '\n' && before.endsWith(',')) return;
    if (character === '&' && before.endsWith('>')) return;
    const calls = character === '&' && before === '' && !/&&$/.test(this.#out);
    top.element = calls ? character : '';
    this.#word = this.#out.length;
  }

  get #isWordStart(): boolean {
    return this.#word === this.#out.length;
  }

  #atComment(character: string): boolean {
    if (this.#starts('<#')) return true;
    return character === '#' && (this.#isWordStart || isExpression(this.#top.element));
  }

  #open(kind: Frame['kind'], length: number, end: string, isTable = false): void {
    this.#take(length);
    this.#frames.push(frame(kind, end, isTable));
  }

  #close(): void {
    this.#frames.pop();
    // The command around it goes on; a program with too many ends has none around it.
    if (this.#frames.length === 0) this.#frames.push(frame('code', ''));
    this.#take(1);
  }

  #escape(): void {
    this.#take(this.#starts('`\r\n') ? 3 : 2, reasons.tick);
    if (this.#out.endsWith('\n')) this.#word = this.#out.length;
  }

  #bare(): void {
    const reference = this.#reference();
    this.#at += 1;
    this.#look(reference);
    const top = this.#top;
    const before = top.element;
    top.element += mark;
    if (this.#quoted) {
      this.#expand(reference);
      return;
    }
    const isWord = !isExpression(before) || />\s*\S*$/.test(before);
    if (!isWord && afterOperand.test(before.trim()) && beforeNumber.test(this.#rest)) {
      this.#handler.number(reference);
      this.#out += `([decimal]${this.#handler.variable(reference)})`;
      return;
    }
    const word = isWord ? this.#out.slice(this.#word) : '';
    const start = parameter.test(word) ? this.#out.length : this.#out.length - word.length;
    const joined = this.#out.slice(start);
    const last = this.#out.at(-1) ?? ' ';
    if (!plainWord.test(joined) || (joined === '' && (isQuote(last) || (isWord && /[)}]/.test(last))))) {
      this.#handler.refuse(reference, reasons.glued);
    }
    this.#out = `${this.#out.slice(0, start)}"${joined}`;
    this.#expand(reference);
    this.#quoted = true;
  }

  /** What the author wrote after a reference in the same word goes into its quotes, or ends them. */
  #continueWord(character: string): boolean {
    const top = this.#top;
    const reference = this.#references[this.#next - 1] as MarkedReference;
    const element = top.element;
    const isWord = !isExpression(element) || />\s*\S*$/.test(element);
    const isCall = /^\.[A-Za-z_]\w*\(/.test(this.#rest);
    if (isQuote(character) || character === '`' || /^\$?[({]/.test(this.#rest) || /^\$[^\w]/.test(this.#rest)) {
      this.#handler.refuse(reference, reasons.glued);
    }
    if (!isWord && property.test(this.#rest)) this.#handler.refuse(reference, reasons.glued);
    if (!isWord || isCall || breaks.test(character) || isQuote(character)) {
      this.#closeWord();
      return false;
    }
    const variable = /^\$[A-Za-z_]\w*(?::\w+)?/.exec(this.#rest)?.[0] ?? '';
    if (variable !== '' && /^[.:[]/.test(this.#rest.slice(variable.length))) {
      this.#handler.refuse(reference, reasons.glued);
    }
    this.#take(Math.max(variable.length, 1));
    return true;
  }

  #closeWord(): void {
    if (this.#quoted) this.#out += '"';
    this.#quoted = false;
  }

  #singleString(): void {
    const quoted = singleQuoted.exec(this.#rest)?.[0] ?? '';
    if (!quoted.includes(mark)) {
      this.#take(quoted.length);
      return;
    }
    const isEnded = quoted.length > 1 && single.includes(quoted.at(-1) as string);
    const inner = quoted.slice(1, isEnded ? -1 : undefined).replace(doubledSingle, '$1');
    this.#at += quoted.length;
    this.#top.element += quoted;
    this.#out += `"${this.#expandable(inner, specialInDouble)}"`;
  }

  #hereString(): boolean {
    const start = /^@(.)[^\S\n]*\n/.exec(this.#rest);
    const quote = start?.[1] ?? '';
    if (start === null || !isQuote(quote)) return false;
    if (double.includes(quote)) {
      this.#open('here', start[0].length - 1, '');
      return true;
    }
    const length = this.#until(singleHereEnd);
    const source = this.#text.slice(this.#at, this.#at + length);
    if (!source.includes(mark)) this.#take(length);
    else {
      this.#at += length;
      this.#top.element += '""';
      const body = source.slice(start[0].length - 1, singleHereEnd.test(source) ? -2 : undefined);
      this.#out += `@"${this.#expandable(body, specialInHere)}"@`;
    }
    return true;
  }

  /** A text as double quotes take it, with its references. */
  #expandable(text: string, special: RegExp): string {
    return Array.from(text, (character) => {
      if (character !== mark) return special.test(character) ? `\`${character}` : character;
      const reference = this.#reference();
      this.#look(reference);
      return this.#handler.variable(reference);
    }).join('');
  }

  #inString(): void {
    const { kind } = this.#top;
    const character = this.#text[this.#at] as string;
    if (character === mark) {
      const reference = this.#reference();
      this.#at += 1;
      this.#look(reference);
      this.#expand(reference);
    } else if (character === '`') this.#take(2, reasons.tick);
    else if (this.#starts('$(')) this.#open('code', 2, ')');
    else if (this.#starts('${')) this.#take(this.#until(/\}/), reasons.name);
    else if (kind === 'here') this.#inHereString();
    else if (!double.includes(character)) this.#take(1);
    else if (double.includes(this.#text[this.#at + 1] ?? ' ')) this.#take(2);
    else this.#close();
  }

  #inHereString(): void {
    const isEnd = doubleHereEnd.test(this.#rest);
    if (isEnd) this.#frames.pop();
    this.#take(isEnd ? 3 : 1);
  }

  /** A variable after what was written: a dollar sign right before it would be read with it. */
  #expand(reference: MarkedReference): void {
    const [, ticks = '', dollars = ''] = /(`*)(\$+)$/.exec(this.#out.slice(-100)) ?? [];
    const isLone = (dollars.length - (ticks.length % 2)) % 2 === 1;
    const written = isLone ? `${this.#out.slice(0, -1)}\`$` : this.#out;
    this.#out = written + this.#handler.variable(reference);
  }

  #look(reference: MarkedReference): void {
    const commandAround = (command: RegExp) =>
      this.#frames.findIndex(({ kind, element }) => kind === 'code' && command.test(element.trimStart()));
    const remote = commandAround(elsewhere);
    const isInBlock = remote >= 0 && this.#frames.slice(remote + 1).some(({ end }) => end === '}');
    if (isInBlock && onAnother.test(this.#text)) this.#handler.refuse(reference, reasons.remote);
    if (commandAround(interpreting) >= 0 || intoInterpreter.test(this.#rest)) {
      this.#handler.warn(reference, reasons.interpreted);
    }
  }
}

function isQuote(character: string | undefined): boolean {
  return character !== undefined && character !== '' && `${single}${double}`.includes(character);
}

/** Whether what was read of a command begins an expression, and no command with words as arguments. */
function isExpression(element: string): boolean {
  const start = element.trimStart().replace(/^(?:return|throw|exit)\b\s*/i, '');
  if (/^(?:[\p{L}_%?~\\/]|&|\.[\s./\\])/u.test(start)) return false;
  // A program's name may begin with digits: 7z.
  return !/^\d+(?!(?:[kmgtp]b|e\d+|[dl]|x[\da-f]+)\b)[A-Za-z]/i.test(start);
}

function frame(kind: Frame['kind'], end: string, isTable = false): Frame {
  return { kind, end, element: '', isTable };
}
