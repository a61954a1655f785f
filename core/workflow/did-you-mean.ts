/** ` (did you mean "depends"?)` for a name that is nearly one of those known; else nothing. */
export function didYouMean(name: string, known: readonly string[]): string {
  // Names as older versions of Dagu wrote them, and those of a slip of the finger.
  const snake = name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`).replaceAll('-', '_');
  const close = known.includes(snake) ? snake : known.find((other) => isNear(name.toLowerCase(), other));
  return close === undefined || name.length < 3 ? '' : ` (did you mean "${close}"?)`;
}

/** Whether one letter more, less, other or two exchanged make one text the other. */
function isNear(one: string, other: string): boolean {
  if (Math.abs(one.length - other.length) > 1) return false;
  let start = 0;
  while (start < one.length && one[start] === other[start]) start += 1;
  let end = 0;
  while (end < Math.min(one.length, other.length) - start && one.at(-1 - end) === other.at(-1 - end)) end += 1;
  const [left, right] = [one.slice(start, one.length - end), other.slice(start, other.length - end)];
  const isExchange = left.length === 2 && left[0] === right[1] && left[1] === right[0];
  return isExchange || (left.length <= 1 && right.length <= 1);
}
