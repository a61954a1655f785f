/** Keysyms of the keys that {@link file://../keys.ts} names, where they are not a character's. */
const named: Record<string, number> = {
  shift: 0xffe1,
  ctrl: 0xffe3,
  alt: 0xffe9,
  meta: 0xffeb,
  enter: 0xff0d,
  tab: 0xff09,
  escape: 0xff1b,
  backspace: 0xff08,
  delete: 0xffff,
  space: 0x20,
  insert: 0xff63,
  home: 0xff50,
  end: 0xff57,
  pageup: 0xff55,
  pagedown: 0xff56,
  up: 0xff52,
  down: 0xff54,
  left: 0xff51,
  right: 0xff53,
  capslock: 0xffe5,
  printscreen: 0xff61,
};

export const shiftKeysym = named.shift as number;
export const capsLockKeysym = named.capslock as number;

/** The keysym of a key by its canonical name. */
export function keysymOfKey(name: string): number {
  const keysym = named[name];
  if (keysym !== undefined) return keysym;
  const number = /^f(\d+)$/.exec(name)?.[1];
  return number === undefined ? (name.codePointAt(0) ?? 0) : 0xffbe + Number(number) - 1;
}

/** The keysym that types a character; a line break is Enter. */
export function keysymOfCharacter(character: string): number {
  if (character === '\n') return named.enter as number;
  if (character === '\t') return named.tab as number;
  const code = character.codePointAt(0) ?? 0;
  const isLatin1 = (code >= 0x20 && code <= 0x7e) || (code >= 0xa0 && code <= 0xff);
  return isLatin1 ? code : 0x01000000 + code;
}
