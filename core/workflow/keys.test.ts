import { describe, expect, it } from 'vitest';
import { chordProblem, keyName, parseChord, UnknownKey } from './keys.ts';

describe('keyName', () => {
  it.each([
    ['Control_L', 'ctrl'],
    ['Shift_R', 'shift'],
    ['Option', 'alt'],
    ['super', 'meta'],
    ['Return', 'enter'],
    ['KP_Enter', 'enter'],
    ['Page Down', 'pagedown'],
    ['page-up', 'pageup'],
    ['Prior', 'pageup'],
    ['ArrowLeft', 'left'],
    ['F12', 'f12'],
    ['F24', 'f24'],
    ['A', 'a'],
    ['ç', undefined],
    [' ', 'space'],
    ['-', '-'],
    ['_', '_'],
    ['underscore', '_'],
    ['plus', '+'],
    ['f25', undefined],
    ['', undefined],
    ['hyperspace', undefined],
  ])('reads %j as %j', (text, name) => {
    expect(keyName(text)).toBe(name);
  });
});

describe('parseChord', () => {
  it('keeps the order of the keys', () => {
    expect(parseChord('ctrl+shift+S').keys).toEqual(['ctrl', 'shift', 's']);
  });

  it('takes a trailing ++ as the plus key', () => {
    expect(parseChord('ctrl++').keys).toEqual(['ctrl', '+']);
    expect(parseChord('+').keys).toEqual(['+']);
  });

  it('allows spaces around the parts and a modifier alone', () => {
    expect(parseChord(' alt + F4 ').keys).toEqual(['alt', 'f4']);
    expect(parseChord('shift').keys).toEqual(['shift']);
  });

  it.each(['', 'ctrl+', 'ctrl+foo', '++s', 'a+b', 'ctrl+s+shift'])('refuses %j', (chord) => {
    expect(() => parseChord(chord)).toThrow(UnknownKey);
  });

  it('names the part that it does not know', () => {
    expect(() => parseChord('ctrl+foo')).toThrow('unknown key "foo" in "ctrl+foo"');
  });
});

describe('chordProblem', () => {
  it.each([
    ['ctrl+foo', /^unknown key "foo" in "ctrl\+foo"; /],
    ['ctrl+', /^a key is missing in "ctrl\+"; /],
    ['a+b', /^"a" in "a\+b" is no modifier; /],
    ['foo', /such as ctrl\+s; keys are letters, digits, punctuation, f1 to f24, enter, tab, /],
  ])('of %j says what is wrong and what keys there are', (chord, message) => {
    expect(chordProblem(chord)).toMatch(message);
  });

  it.each(['ctrl++', 'shift', 'cmd+s', 'F5', 'ctrl+$'])('is none for %j', (chord) => {
    expect(chordProblem(chord)).toBeUndefined();
  });
});
