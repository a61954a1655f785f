import type { RunState } from '../../core/store/shapes.ts';
import type { Step } from '../../core/workflow/types.ts';
import type { BegunRun } from './course.ts';
import { endsToKeep, endsToResume } from './earlier-ends.ts';
import type { Family } from './family.ts';
import { withDependents } from './graph.ts';
import { openRun, type RunParams, type RunPlace } from './open-run.ts';
import { forgetRunsUnder } from './renew.ts';
import type { RunContext, RunsUnder } from './run-context.ts';
import { takeAnswers } from './waiting.ts';

/** A run that is about to begin, or to go on. */
export interface Opening {
  family: Family;
  runsUnder: RunsUnder;
  place: RunPlace;
  params: RunParams;
}

/** Begins a run. @param store writes it, not begun */
export async function beginNew(
  { family, runsUnder, place, params }: Opening,
  store: (run: RunContext) => void,
): Promise<BegunRun> {
  const run = await openRun(family, runsUnder, place, params);
  store(run);
  return start(run, place, { run, ends: new Map(), isFirst: true });
}

/**
 * Begins another attempt at a run, which keeps the steps that succeeded; one that was to begin
 * anew already begins now.
 *
 * @param first step that begins anew with all that depend on it, whatever became of them
 */
export async function beginAgain(
  { family, runsUnder, place, params }: Opening,
  state: RunState,
  { trigger, first }: { trigger: string; first?: Step },
): Promise<BegunRun> {
  const { store } = family;
  const { summary } = state;
  const { workflow, runId } = place;
  const at = new Date().toISOString();
  const isBegun = summary.status !== 'not_started';
  const anew = first === undefined ? new Set<Step>() : withDependents(workflow.steps, first);
  const ends = endsToKeep(workflow, state.steps, anew);
  const attempt = isBegun ? summary.attempt + 1 : summary.attempt;
  const now = { ...place, attempt, startedAt: at, trigger };
  const run = await openRun(family, runsUnder, now, params, { state, ends });
  // First: what was to begin anew does so, should this process die before the rest is written.
  if (anew.size > 0) {
    forgetRunsUnder(
      store,
      runId,
      [...anew].map(({ key }) => key),
    );
  }
  if (isBegun) store.newAttempt(runId, { trigger, at, keep: [...ends.keys()] });
  if ('given' in params) tellParams(run, state);
  return start(run, now, { run, ends, isFirst: false });
}

/** The step above may give others now than the run had before. */
function tellParams({ store, runId, masker, values }: RunContext, state: RunState): void {
  const sealed = masker.seal({ ...values.params });
  if (JSON.stringify(sealed) !== JSON.stringify(state.params)) store.setParams(runId, sealed);
}

function start(run: RunContext, { runId, startedAt, attempt, trigger, workflow }: RunPlace, begun: BegunRun): BegunRun {
  run.store.startRun(runId, startedAt);
  run.log.line(`run ${runId} of "${workflow.name}" begins: attempt ${attempt}, trigger ${trigger}`);
  const kept = [...begun.ends.keys()];
  if (kept.length > 0) run.log.line(`kept from before: ${kept.join(', ')}`);
  run.changed();
  return begun;
}

/** Goes on with a run that waited, and for which something was decided. */
export async function goOn({ family, runsUnder, place, params }: Opening, state: RunState): Promise<BegunRun> {
  const ends = endsToResume(place.workflow, state.steps);
  const run = await openRun(family, runsUnder, place, params, { state, ends });
  const answers = takeAnswers(run);
  run.log.line('the run goes on');
  run.changed();
  return { run, ends, answers, isFirst: false };
}
