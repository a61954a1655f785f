/** What one measurement of the bench came to: ours beside something else that does the same work. */
export interface Figure {
  name: string;
  ours: number;
  theirs: number;
  unit: string;
  /** `ours / theirs`. */
  ratio: number;
  /** The promise in words, such as `at most 0.5`. */
  limit: string;
  holds: boolean;
}

/** A bench module (test/bench/*.bench.ts) exports a function of this type as `run`. */
export type Bench = () => Promise<Figure[]>;

/** A figure that promises at most `limit` times what the other one takes. */
export function atMost(limit: number, figure: Pick<Figure, 'name' | 'ours' | 'theirs' | 'unit'>): Figure {
  const ratio = figure.ours / figure.theirs;
  return { ...figure, ratio, limit: `at most ${limit}`, holds: ratio <= limit };
}

/** The middle of some values, of which there must be at least one. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  const middle = sorted.length / 2;
  const upper = sorted[Math.floor(middle)];
  const lower = sorted[Math.ceil(middle) - 1];
  if (upper === undefined || lower === undefined) throw new Error('no values to take the median of');
  return (lower + upper) / 2;
}
