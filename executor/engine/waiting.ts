import type { Answer } from '../../core/store/decisions.ts';
import type { Store } from '../../core/store/store.ts';

/** Whether something was decided that a run in waiting goes on with: about its own steps, or those of runs under it. */
export function isAnswered(store: Store, runId: string): boolean {
  if (hasOwn(store, runId)) return true;
  const waiting = store.listChildren(runId).filter(({ status }) => status === 'waiting');
  return waiting.some((child) => isAnswered(store, child.runId));
}

function hasOwn(store: Store, runId: string): boolean {
  return store.openAnswers(runId).length > 0 || store.stopRequest(runId) !== undefined;
}

/** Takes up a run that waits, whose family's lock this process holds, and gives the answers to its own steps. */
export function takeUp(store: Store, runId: string): Answer[] {
  const at = new Date().toISOString();
  if (hasOwn(store, runId)) return store.resumeRun(runId, at);
  store.startRun(runId, at);
  return [];
}
