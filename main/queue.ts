import type { RunSummary } from '../core/contract/run.ts';

/** How many runs of a workflow are at work at once when its file does not say. */
export const standardMaxActiveRuns = 1;

/** A run that waits for its turn. */
export interface QueuedRun {
  run: Pick<RunSummary, 'runId' | 'path'>;
  /** How many runs of its workflow may be at work at once; 0: as many as are started. */
  maxActiveRuns: number;
}

/**
 * The waiting runs whose turn it is, in order. Runs of one workflow are those of one path,
 * whatever they are called. A workflow that has its runs at work does not hold up the others
 * behind it.
 *
 * @param queued oldest first
 * @param active the runs at work, whoever started them
 * @param maxActiveRuns how many runs of all workflows may be at work
 */
export function turns<Q extends QueuedRun>(
  queued: readonly Q[],
  active: readonly Pick<RunSummary, 'path'>[],
  maxActiveRuns: number,
): Q[] {
  const counts = new Map<string, number>();
  const count = (path: string) => counts.get(path) ?? 0;
  for (const { path } of active) counts.set(path, count(path) + 1);
  let free = maxActiveRuns - active.length;
  return queued.filter(({ run: { path }, maxActiveRuns: limit }) => {
    if (free <= 0 || (limit > 0 && count(path) >= limit)) return false;
    counts.set(path, count(path) + 1);
    free -= 1;
    return true;
  });
}
