import { resolve } from 'node:path';
import type { RunDetail, RunStatus, RunSummary, StepSummary } from '../core/contract/run.ts';
import { isEnded } from '../core/contract/run-state.ts';
import type { Store } from '../core/store/store.ts';
import { UsageError } from './output.ts';

/** The run that was asked for, of a workflow by its name or path; a usage error when there is none. */
export function findRun(store: Store, workflow: string, runId: string | undefined): RunDetail {
  if (runId === undefined) {
    const [newest] = store.listRuns({ limit: 1, workflow, path: resolve(workflow) });
    if (newest === undefined) {
      throw new UsageError(`there is no run of "${workflow}"; dagu history lists the runs there are`);
    }
    return store.getRun(newest.runId) as RunDetail;
  }
  const detail = store.getRun(runId);
  if (detail === undefined || !isOf(detail.run, workflow)) {
    throw new UsageError(
      `there is no run "${runId}" of "${workflow}"; dagu history ${workflow} lists the runs there are`,
    );
  }
  return detail;
}

/** The named run, else the newest of the workflow that has one of the statuses; `what` names them in words. */
export function findRunThatIs(
  store: Store,
  workflow: string,
  runId: string | undefined,
  { statuses, what }: { statuses: readonly RunStatus[]; what: string },
): RunDetail {
  if (runId !== undefined) {
    const detail = findRun(store, workflow, runId);
    if (statuses.includes(detail.run.status)) return detail;
    throw new UsageError(`run "${runId}" is not ${what}: it ${state(detail.run)}`);
  }
  const [newest] = store.listRuns({ limit: 1, workflow, path: resolve(workflow), statuses });
  if (newest !== undefined) return store.getRun(newest.runId) as RunDetail;
  const { run } = findRun(store, workflow, undefined);
  throw new UsageError(`no run of "${workflow}" is ${what}; the newest one, ${run.runId}, ${state(run)}`);
}

function state({ status }: RunSummary): string {
  if (status === 'not_started') return 'is about to start';
  if (status === 'partially_succeeded') return 'has succeeded in part';
  return isEnded(status) && status !== 'aborted' && status !== 'rejected' ? `has ${status}` : `is ${status}`;
}

function isOf(run: RunSummary, workflow: string): boolean {
  return run.name === workflow || run.path === resolve(workflow);
}

/** Steps that wait for approval, of a run and of the runs under it, each with its run. */
export function waitingUnder(store: Store, runId: string): { run: RunSummary; step: StepSummary }[] {
  const detail = store.getRun(runId);
  if (detail === undefined || detail.run.status !== 'waiting') return [];
  const { run, steps, children } = detail;
  const own = steps.filter(({ status, approval }) => status === 'waiting' && approval !== undefined);
  return [...own.map((step) => ({ run, step })), ...children.flatMap((child) => waitingUnder(store, child.runId))];
}
