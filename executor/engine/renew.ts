import { isEnded } from '../../core/contract/run-state.ts';
import type { Store } from '../../core/store/store.ts';

/**
 * Makes the runs under steps that run again, whatever became of them, begin anew: each has
 * another attempt that keeps nothing, and so have those under it.
 */
export function forgetRunsUnder(store: Store, runId: string, steps?: readonly string[]): void {
  for (const { runId: child, parent, status } of store.listChildren(runId)) {
    if (parent === undefined || (steps !== undefined && !steps.includes(parent.step))) continue;
    forgetRunsUnder(store, child);
    const at = new Date().toISOString();
    if (!isEnded(status)) store.finishRun(child, 'aborted', at, 'what it was for is done again');
    store.newAttempt(child, { trigger: 'retry', at, keep: [] });
  }
}

/** Ends the runs under a run that was to begin them anew, and found no more use for them. */
export function endUnusedRuns(store: Store, runId: string): void {
  for (const { runId: child, status } of store.listChildren(runId)) {
    if (status !== 'not_started') continue;
    store.finishRun(
      child,
      'aborted',
      new Date().toISOString(),
      'not run again: the step that it is under did not need it',
    );
    endUnusedRuns(store, child);
  }
}
