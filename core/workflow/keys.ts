/**
 * Names of keys and chords, the same on every system. Drivers map the canonical
 * names to their own codes.
 */

export const modifiers = ['shift', 'ctrl', 'alt', 'meta'] as const;
export type Modifier = (typeof modifiers)[number];

/** A chord's keys in the order in which they go down, by canonical name. */
export interface Chord {
  keys: string[];
}

/** A chord names a key that no keyboard has, or keys that cannot be pressed together. */
export class UnknownKey extends Error {
  /** The part of the chord that is at fault. */
  readonly key: string;

  constructor(key: string, message: string) {
    super(message);
    this.name = 'UnknownKey';
    this.key = key;
  }
}

/** Each canonical name of more than one character, with the other ways to write it. */
const named: Record<string, readonly string[]> = {
  shift: [],
  ctrl: ['control', 'ctl'],
  alt: ['option', 'opt'],
  meta: ['cmd', 'command', 'super', 'win', 'windows'],
  enter: ['return', 'kpenter'],
  tab: [],
  escape: ['esc'],
  backspace: [],
  delete: ['del'],
  space: ['spacebar'],
  insert: ['ins'],
  home: [],
  end: [],
  pageup: ['pgup', 'prior'],
  pagedown: ['pgdn', 'pgdown', 'next'],
  up: ['arrowup', 'uparrow'],
  down: ['arrowdown', 'downarrow'],
  left: ['arrowleft', 'leftarrow'],
  right: ['arrowright', 'rightarrow'],
  capslock: ['caps'],
  printscreen: ['print', 'prtsc', 'prtscr'],
};

/** Words for punctuation, which is otherwise written as itself. */
const punctuation: Record<string, readonly string[]> = {
  '-': ['minus', 'hyphen', 'dash'],
  '+': ['plus'],
  '=': ['equal', 'equals'],
  ',': ['comma'],
  '.': ['period', 'dot'],
  '/': ['slash'],
  '\\': ['backslash'],
  ';': ['semicolon'],
  ':': ['colon'],
  "'": ['quote', 'apostrophe'],
  '"': ['doublequote', 'quotedbl'],
  '`': ['backquote', 'backtick', 'grave'],
  '[': ['bracketleft', 'leftbracket'],
  ']': ['bracketright', 'rightbracket'],
  '{': ['braceleft', 'leftbrace'],
  '}': ['braceright', 'rightbrace'],
  '(': ['parenleft', 'leftparen'],
  ')': ['parenright', 'rightparen'],
  '<': ['less'],
  '>': ['greater'],
  '?': ['question'],
  '!': ['exclam', 'exclamation'],
  '@': ['at'],
  '#': ['numbersign', 'hash'],
  $: ['dollar'],
  '%': ['percent'],
  '^': ['asciicircum', 'caret'],
  '&': ['ampersand'],
  '*': ['asterisk', 'star'],
  _: ['underscore'],
  '|': ['bar', 'pipe'],
  '~': ['asciitilde', 'tilde'],
};

const aliases = new Map<string, string>();
for (const table of [named, punctuation]) {
  for (const [name, others] of Object.entries(table)) {
    for (const alias of [name, ...others]) aliases.set(alias, name);
  }
}
for (let number = 1; number <= 24; number++) aliases.set(`f${number}`, `f${number}`);

/**
 * The canonical name of one key: case, `_`, `-` and spaces within a name do not
 * matter, nor does a suffix `_l` or `_r`. Letters come back in lower case.
 * Undefined for what names no key.
 */
export function keyName(text: string): string | undefined {
  if (/^[\x21-\x7e]$/.test(text)) return text.toLowerCase();
  if (text === ' ') return 'space';
  const lower = text.toLowerCase();
  const folded = fold(lower);
  return aliases.get(folded) ?? aliases.get(fold(lower.replace(/_[lr]$/, '')));
}

function fold(text: string): string {
  return text.replace(/[-_ ]/g, '');
}

/** Whether a canonical name is that of a modifier. */
export function isModifier(name: string): name is Modifier {
  return (modifiers as readonly string[]).includes(name);
}

/** What a chord may be made of, in words. */
const whatKeysThereAre = [
  `a chord is one key, with any of ${modifiers.join(', ')} and + before it, such as ctrl+s`,
  `keys are letters, digits, punctuation, f1 to f24, ${Object.keys(named)
    .filter((name) => !isModifier(name))
    .join(', ')}`,
].join('; ');

/**
 * Reads a chord such as `ctrl+shift+s`; `ctrl++` is ctrl with the plus key.
 *
 * @throws {UnknownKey} for an empty chord, a part that names no key, or a key other than a
 *   modifier before the last
 */
export function parseChord(chord: string): Chord {
  const text = chord.trim();
  const parts = text === '+' ? ['+'] : text.endsWith('++') ? [...text.slice(0, -2).split('+'), '+'] : text.split('+');
  const keys = parts.map((part) => {
    const key = part.trim();
    const name = keyName(key);
    if (name !== undefined) return name;
    const place = key === chord ? '' : ` in "${chord}"`;
    throw new UnknownKey(key, key === '' ? `a key is missing${place}` : `unknown key "${key}"${place}`);
  });
  const wrong = keys.slice(0, -1).find((name) => !isModifier(name));
  if (wrong !== undefined) throw new UnknownKey(wrong, `"${wrong}" in "${chord}" is no modifier`);
  return { keys };
}

/** Why a chord cannot be pressed, with the keys that there are; undefined when it can. */
export function chordProblem(chord: string): string | undefined {
  try {
    parseChord(chord);
    return undefined;
  } catch (error) {
    if (error instanceof UnknownKey) return `${error.message}; ${whatKeysThereAre}`;
    throw error;
  }
}
