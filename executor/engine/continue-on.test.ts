import { expect, it } from 'vitest';
import { OutputWatch } from './continue-on.ts';

/** Whether a text is found in a stream that comes in chunks of so many bytes. */
function isFound(output: string, text: string, size: number): boolean {
  const watch = new OutputWatch([output]);
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) watch.push(bytes.subarray(at, at + size));
  watch.end();
  return watch.matches;
}

it.each([1, 2, 3, 1000])('finds texts line by line, in chunks of %i bytes', (size) => {
  expect(isFound('Größe', 'x\r\ndie Größe: 1', size)).toBe(true);
  expect(isFound('re:^b$', 'a\r\nb\r\nc', size)).toBe(true);
  expect(isFound('re:c$', 'a\nb\nc', size)).toBe(true);
  expect(isFound('ab', 'a\nb', size)).toBe(false);
  expect(isFound('re:^b', 'ab', size)).toBe(false);
});

it('keeps no more of a line than it looks at', () => {
  const line = `begin ${'x'.repeat(10_000_000)} end`;
  expect(isFound('begin', line, 65_536)).toBe(true);
  expect(isFound('end', line, 65_536)).toBe(false);
  expect(isFound('next', `${line}\nnext`, 65_536)).toBe(true);
});
