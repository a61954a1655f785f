/** One line of JSON with the keys of every object in sorted order and bigints in digits. */
export function toSortedJson(value: unknown): string {
  if (typeof value === 'bigint') return value.toString();
  if (Array.isArray(value)) return `[${value.map(toSortedJson).join(',')}]`;
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1));
    return `{${entries.map(([key, item]) => `${JSON.stringify(key)}:${toSortedJson(item)}`).join(',')}}`;
  }
  return JSON.stringify(value);
}
