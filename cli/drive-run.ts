import type { RunRequest } from '../core/contract/messages.ts';
import type { RunDetail, RunSummary } from '../core/contract/run.ts';
import type { Store } from '../core/store/store.ts';
import { forkNodeExecutor } from '../main/node-processes.ts';
import { Supervisor } from '../main/supervisor.ts';
import { complain, print, printError, UsageError } from './output.ts';
import { Progress } from './progress.ts';
import { asJson, summary } from './status.ts';

/** How a run is shown while this command executes it. */
export interface ShowFlags {
  quiet?: boolean;
  format: 'text' | 'json';
}

/**
 * Executes a run, shows it as it goes and at its end, and sets the exit code; one that waits
 * for a person ends with 0. False where another process does it, or did.
 */
export async function driveRun(store: Store, request: Omit<RunRequest, 'home'>, flags: ShowFlags): Promise<boolean> {
  const asText = !flags.quiet && flags.format === 'text';
  const progress = asText ? new Progress(store, request.runId) : undefined;
  const before = request.mode === 'start' ? undefined : store.getRun(request.runId);
  if (before !== undefined) progress?.passOver(before);
  const detail = await executeRun(store, request, progress);
  if (detail === undefined) return false;
  if (flags.format === 'json') print(`${JSON.stringify(asJson(detail), null, 2)}\n`);
  progress?.show(detail);
  if (asText) print(`\n${summary(store, detail)}`);
  else if (!isGood(detail)) complain(`${detail.run.error}`);
  if (!isGood(detail)) process.exitCode = 1;
  return true;
}

/**
 * Executes a run in a process of its own and waits for its end: a new run, a retry, or one
 * that goes on after an answer. Ctrl+C stops the run in order. A run that could not begin,
 * or not go on, is a usage error; `undefined` comes back where another process took it up.
 */
export async function executeRun(
  store: Store,
  request: Omit<RunRequest, 'home'>,
  progress?: Progress,
): Promise<RunDetail | undefined> {
  const { runId } = request;
  const supervisor = new Supervisor({ home: store.paths.home, fork: forkNodeExecutor });
  if (progress !== undefined) supervisor.onChanged(() => progress.changed());
  const { finished } = supervisor.start(request);
  const release = stopOnSignals(supervisor);
  const end = await finished;
  release();
  progress?.close();
  if (end.code === 'run_exists') throw runIdTaken(runId);
  if (end.code === 'nothing_to_do' && request.mode === 'resume') return undefined;
  if (end.code !== undefined) throw new UsageError(end.error);
  const detail = store.getRun(runId);
  if (detail === undefined) throw new UsageError(end.error ?? 'the run did not begin');
  return detail;
}

/** What a request says of a run that the store has. */
export function ofStored({ runId, path, trigger }: RunSummary): Omit<RunRequest, 'home' | 'mode'> {
  return { runId, path, trigger, params: [] };
}

export function runIdTaken(runId: string): UsageError {
  return new UsageError(`--run-id "${runId}": there is a run with this id already`);
}

function isGood({ run }: RunDetail): boolean {
  return run.status === 'succeeded' || run.status === 'partially_succeeded' || run.status === 'waiting';
}

/** Ctrl+C and the like stop the run, whose handlers still run; a second time they end it. */
function stopOnSignals(supervisor: Supervisor): () => void {
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  const stop = () => {
    printError('Stopping the run; press Ctrl+C again to leave at once\n');
    void supervisor.stopAll('stopped by the person who started it').catch(() => {});
    for (const signal of signals) process.off(signal, stop);
  };
  for (const signal of signals) process.on(signal, stop);
  return () => {
    for (const signal of signals) process.off(signal, stop);
  };
}
