import type { Answer } from '../../core/store/decisions.ts';
import type { Store } from '../../core/store/store.ts';
import type { RunContext } from './run-context.ts';

/** As {@link takeUp}; the store then has the answers without secrets, which this process alone knows. */
export function takeAnswers(run: RunContext): Answer[] {
  const { store, runId, masker } = run;
  const answers = takeUp(store, runId).map((answer) => run.unseal(answer));
  store.sealAnswers(runId, (answer) => masker.seal(run.unseal(answer)));
  return answers;
}

/** Takes up a run that waits, whose family's lock this process holds, and gives the answers to its own steps. */
export function takeUp(store: Store, runId: string): Answer[] {
  const at = new Date().toISOString();
  if (store.hasOwnAnswer(runId)) return store.resumeRun(runId, at);
  store.startRun(runId, at);
  return [];
}
