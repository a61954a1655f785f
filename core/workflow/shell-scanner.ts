/**
 * Follows a POSIX shell's quoting through a program, piece by piece, to know where a
 * reference stands. It knows what bash, ksh and zsh add where they would take a value for
 * an expression to evaluate.
 */

/** Where in a program a reference stands. */
export type Place =
  /** An unquoted word. */
  | 'plain'
  | 'single'
  /** In double quotes, or where they are of no use: a here-document. */
  | 'double'
  /** Where a shell evaluates what a variable holds: only a number is data. */
  | 'arithmetic'
  | 'comment'
  /** `$'…'`, which shells read differently. */
  | 'ansi'
  | 'quoted-heredoc';

type Context = 'command' | 'backtick' | 'single' | 'ansi' | 'double' | 'braces' | 'arithmetic' | 'comment' | 'heredoc';

/** What the scanner is inside of. */
interface Frame {
  context: Context;
  /** What was read in it; for a command since its last separator. */
  text: string;
  /** What ends it. */
  end: string;
  /** Open parentheses of an arithmetic expression. */
  depth: number;
}

interface Heredoc {
  end: string;
  quoted: boolean;
  stripTabs: boolean;
}

/** Words that a command may follow. */
const before =
  /^(?:\s|(?:if|while|until|elif|then|else|do|time|!|\{)(?=\s)|[A-Za-z_]\w*=(?:'[^']*'|"[^"]*"|[^\s'"])*(?=\s))*/;
/** Commands whose arguments some shell evaluates as expressions, or as names that may have a subscript. */
const evaluating =
  /^(?:let|integer|float|repeat|shift|ulimit|unset|read|mapfile|readarray|getopts|compgen|nameref|printf\s+-v|print\s.*-v|set\s+-A|(?:test|\[\[?)\s+-v|(?:declare|typeset|local|export|readonly)\s+-\w*[inEF]\w*)\s/;
/** A word of a declaration that is not yet past its `=`: the name, which may have a subscript. */
const declaredName =
  /^(?:declare|typeset|local|export|readonly)(?:\s+(?:'[^']*'|"[^"]*"|\\.|[^\s'"\\])+)*\s+["']?[^\s=\\'"]*$/s;
/** Where bash expands the name of a file a second time. */
const duplicating = /[<>]&[ \t]*["']?[^\s;|&'"]*$/;
/** Commands that run an argument as a program's text. */
const interpreting =
  /^(?:eval|ssh|trap|alias|watch)\s|^(?:\S*\/)?(?:sh|bash|dash|ksh|zsh|su)\s(?:.*\s)?-\w*c\s|^(?:\S*\/)?(?:python3?|perl|ruby|node)\s(?:.*\s)?-[ce]\s/s;
const comparing = /^(?:\[\[?|test)\s/;
const numberOperator = '-(?:eq|ne|lt|le|gt|ge)';
const afterOperator = new RegExp(`(?:\\s|^)${numberOperator}\\s+"?$`);
const beforeOperator = new RegExp(`^"?\\s+${numberOperator}\\s`);
/** `${name:offset}` or `${name[index]}`, not `${name:-default}`. */
const evaluatedBraces = /^[#!]?(?:\w+|[@*])(?:\[[^\]]*$|\[[^\]]*\]:(?![-=?+])|:(?![-=?+]))/;
const subscript = /(?:^|[\s;&|({])\w+\[[^\]\s]*$/;

export class Scanner {
  readonly #stack: Frame[] = [frame('command', '')];
  #wordStart = true;
  #awaited: Heredoc[] = [];
  #heredoc: Heredoc | undefined;
  #line = '';
  #rest = '';
  #dollar = false;

  /** Where a reference would stand now. @param following the program's text after it */
  place(following: string): Place {
    const top = this.#top;
    if (this.#heredoc?.quoted) return 'quoted-heredoc';
    if (top.context === 'comment' || top.context === 'single' || top.context === 'ansi') return top.context;
    if (this.#isEvaluated(following)) return 'arithmetic';
    return this.#quotes() ? 'double' : 'plain';
  }

  /** Whether a reference here would be an argument of a program that runs it as a program's text. */
  get isInterpreted(): boolean {
    return interpreting.test(this.#command.text.replace(before, ''));
  }

  /** Whether what was read ends in a dollar sign that belongs to nothing before it: `$$` is a name of its own. */
  get followsDollar(): boolean {
    return this.#dollar;
  }

  get isInBackticks(): boolean {
    return this.#stack.some(({ context }) => context === 'backtick');
  }

  /** A reference was read: what follows is in the same word. */
  reference(): void {
    this.#wordStart = false;
    this.#dollar = false;
    this.#line += '\0';
    for (const { context } of this.#stack) if (context === 'comment') return;
    this.#note('\0');
  }

  read(text: string): void {
    this.#rest = text;
    while (this.#rest !== '') this.#step();
  }

  get #top(): Frame {
    return this.#stack.at(-1) as Frame;
  }

  /** The innermost command around this place. */
  get #command(): Frame {
    return this.#stack.findLast(({ context }) => context === 'command' || context === 'backtick') as Frame;
  }

  /** Inside double quotes or a here-document, with no command of its own between. */
  #quotes(): boolean {
    const inner = this.#stack.findLast(({ context }) => context !== 'braces');
    return inner?.context === 'double' || inner?.context === 'heredoc';
  }

  #isEvaluated(following: string): boolean {
    for (const { context, text } of this.#stack.toReversed()) {
      if (context === 'arithmetic' || (context === 'braces' && evaluatedBraces.test(text))) return true;
      if (context === 'command' || context === 'backtick') {
        const command = text.replace(before, '');
        if (evaluating.test(command) || declaredName.test(command)) return true;
        if (subscript.test(text) || duplicating.test(text)) return true;
        return comparing.test(command) && (afterOperator.test(text) || beforeOperator.test(following));
      }
    }
    return false;
  }

  #take(length: number): string {
    const taken = this.#rest.slice(0, length);
    this.#rest = this.#rest.slice(length);
    this.#note(taken);
    this.#wordStart = false;
    this.#dollar = taken === '$' && !this.#dollar;
    for (const character of taken) if (this.#heredoc !== undefined) this.#heredocCharacter(character);
    return taken;
  }

  /** Every frame keeps what was read inside it, that of nested ones included. */
  #note(text: string): void {
    for (const open of this.#stack) open.text += text;
  }

  #push(context: Context, end: string): void {
    this.#stack.push(frame(context, end));
    this.#wordStart = true;
  }

  /** A here-document ends at its end word alone on a line, whatever is open inside it. */
  #heredocCharacter(character: string): void {
    if (character !== '\n') {
      this.#line += character;
      return;
    }
    const line = this.#heredoc?.stripTabs ? this.#line.replace(/^\t+/, '') : this.#line;
    this.#line = '';
    if (line !== this.#heredoc?.end) return;
    this.#end(this.#stack.find(({ context }) => context === 'heredoc') as Frame);
    this.#heredoc = undefined;
    this.#openHeredoc();
    this.#separate();
  }

  #openHeredoc(): void {
    this.#heredoc = this.#awaited.shift();
    this.#line = '';
    if (this.#heredoc !== undefined) this.#push('heredoc', '');
  }

  #step(): void {
    const { context, end } = this.#top;
    if (this.#heredoc?.quoted) this.#take(1);
    else if (context === 'single' || context === 'comment') this.#literal(end);
    else if (this.#rest.startsWith('\\')) this.#escape();
    else if (context === 'ansi') this.#literal(end);
    else if (this.#open()) return;
    else if (context === 'command' || context === 'backtick') this.#inCommand();
    else if (context === 'arithmetic') this.#inArithmetic();
    else this.#inQuotes();
  }

  /** Leaves a frame and what is open inside it, unless it was left already. */
  #end(left: Frame): void {
    const at = this.#stack.lastIndexOf(left);
    if (at > 0) this.#stack.length = at;
  }

  #literal(end: string): void {
    const top = this.#top;
    if (this.#take(1) !== end) return;
    this.#end(top);
    if (end === '\n') this.#newline();
  }

  #escape(): void {
    const { context } = this.#top;
    const start = this.#wordStart;
    const escaped = this.#take(2);
    // A line that goes on: nothing was written.
    if (escaped === '\\\n' && context !== 'ansi') this.#wordStart = start;
  }

  /** What opens a nested context both in a command and inside double quotes. */
  #open(): boolean {
    const openers: [opener: string, context: Context, end: string][] = [
      ['$((', 'arithmetic', '))'],
      ['$[', 'arithmetic', ']'],
      ['$(', 'command', ')'],
      ['${', 'braces', '}'],
    ];
    const opener = openers.find(([text]) => this.#rest.startsWith(text));
    if (opener !== undefined) {
      this.#take(opener[0].length);
      this.#push(opener[1], opener[2]);
      return true;
    }
    if (!this.#rest.startsWith('`') || this.#top.context === 'backtick') return false;
    this.#take(1);
    this.#push('backtick', '`');
    return true;
  }

  #inArithmetic(): void {
    const top = this.#top;
    if (top.depth === 0 && this.#rest.startsWith(top.end)) {
      this.#close(top.end);
      return;
    }
    const character = this.#take(1);
    if (character === '(') top.depth += 1;
    if (character === ')') top.depth -= 1;
    if (character === '"') this.#push('double', '"');
  }

  #inQuotes(): void {
    const { context, end } = this.#top;
    if (end !== '' && this.#rest.startsWith(end)) {
      this.#close(end);
      return;
    }
    const outside = context === 'braces' && !this.#quotes();
    const character = this.#take(1);
    if (context === 'braces' && character === '"') this.#push('double', '"');
    if (outside && character === "'") this.#push('single', "'");
  }

  #close(end: string): void {
    const top = this.#top;
    this.#take(end.length);
    this.#end(top);
  }

  #inCommand(): void {
    const top = this.#top;
    if (this.#readHeredocStart()) return;
    if (this.#wordStart && this.#rest.startsWith('((')) {
      this.#take(2);
      this.#push('arithmetic', '))');
      return;
    }
    if (this.#rest.startsWith("$'")) {
      this.#take(2);
      this.#push('ansi', "'");
      return;
    }
    const start = this.#wordStart;
    const character = this.#take(1);
    if (character === '\n') this.#newline();
    else if (character === '#' && start) this.#push('comment', '\n');
    else if (character === "'" || character === '"') this.#push(character === '"' ? 'double' : 'single', character);
    else if (character === '(') this.#push('command', ')');
    else if (character === top.end && !this.#endsPattern(top)) this.#end(top);
    else if (/[;&|)]/.test(character) && !/[<>]&$/.test(top.text)) this.#separate();
    else this.#wordStart = /[\s<>&]/.test(character);
  }

  /** Inside `case … esac` a closing parenthesis ends a pattern. */
  #endsPattern({ text, end }: Frame): boolean {
    return end === ')' && hasOpenCase(text);
  }

  #readHeredocStart(): boolean {
    if (!this.#rest.startsWith('<<')) return false;
    const match = /^<<(-?)[ \t]*((?:'[^']*'|"[^"]*"|\\.|[^\s'"\\;&|<>()])+)/.exec(this.#rest);
    if (this.#rest.startsWith('<<<') || match === null) {
      this.#take(this.#rest.startsWith('<<<') ? 3 : 2);
      this.#wordStart = true;
      return true;
    }
    const [source, dash = '', word = ''] = match;
    this.#take(source.length);
    this.#awaited.push({ end: word.replaceAll(/['"\\]/g, ''), quoted: /['"\\]/.test(word), stripTabs: dash === '-' });
    return true;
  }

  /** A command ended; the next word begins another. */
  #separate(): void {
    this.#wordStart = true;
    const top = this.#top;
    // An open `case` is remembered, since its patterns look like ends.
    if (top.context === 'command' || top.context === 'backtick') top.text = hasOpenCase(top.text) ? 'case ' : '';
  }

  #newline(): void {
    this.#separate();
    if (this.#heredoc === undefined) this.#openHeredoc();
  }
}

function hasOpenCase(text: string): boolean {
  const opened = text.match(/(?:^|[\s;&|(])case\s/g)?.length ?? 0;
  const closed = text.match(/(?:^|[\s;&|)])esac(?![\w-])/g)?.length ?? 0;
  return opened > closed;
}

function frame(context: Context, end: string): Frame {
  return { context, text: '', end, depth: 0 };
}
