import { createContext, use, useCallback, useEffect, useState } from 'react';
import type { RunStatus, RunSummary } from '../core/contract/run.ts';
import { call } from './bridge.ts';
import { useLive } from './live.ts';

/** How many runs one call reads. */
const pageSize = 100;

/** A list of runs, newest first, live. */
export interface RunsLive {
  /** Absent while the first page is on its way. */
  value?: RunSummary[];
  error?: unknown;
  reload(): void;
  /** Reads the next older page; absent when all are shown. */
  more?: () => void;
}

export const RunsData = createContext<RunsLive>({ reload: () => {} });

/** The newest runs, which the pages share. */
export function useRuns(): RunsLive {
  return use(RunsData);
}

/** Runs with one of the statuses, or all; the statuses have to be the same array while they are the same. */
export function useRunsList(statuses?: readonly RunStatus[]): RunsLive {
  const load = useCallback(() => readPage(statuses), [statuses]);
  const { value: newest, error, reload } = useLive(load, onRunChanged);
  const [older, setOlder] = useState<{ of: unknown; runs: RunSummary[]; complete: boolean }>();
  const [olderError, setOlderError] = useState<unknown>();
  const shownOlder = older?.of === load ? older : undefined;
  useChangesOf(shownOlder?.runs, (runs) => shownOlder && setOlder({ ...shownOlder, runs }));

  const all = newest && shownOlder && joined(newest, shownOlder.runs);
  const value = all ?? newest;
  const isComplete = all === undefined ? (newest?.length ?? 0) < pageSize : shownOlder?.complete;
  const more = async () => {
    const last = value?.at(-1);
    if (last === undefined) return;
    try {
      const page = await readPage(statuses, last.runId);
      setOlderError(undefined);
      // What is shown goes along: the newest page moves on as new runs come.
      setOlder({ of: load, runs: [...(value ?? []), ...page], complete: page.length < pageSize });
    } catch (failure) {
      setOlderError(failure);
    }
  };
  const failure = error ?? olderError;
  return {
    reload,
    ...(value !== undefined && { value }),
    ...(failure !== undefined && { error: failure }),
    ...(!isComplete && { more: () => void more() }),
  };
}

/** The runs that wait for a person, live. */
export function useWaitingRuns(): RunSummary[] {
  const load = useCallback(() => readPage(waiting), []);
  return useLive(load, onRunChanged).value ?? [];
}

const waiting: readonly RunStatus[] = ['waiting'];

async function readPage(statuses: readonly RunStatus[] | undefined, before?: string): Promise<RunSummary[]> {
  const { runs } = await call('listRuns', {
    limit: pageSize,
    ...(statuses !== undefined && { statuses: [...statuses] }),
    ...(before !== undefined && { before }),
  });
  return runs;
}

/**
 * A page of the newest runs, and then those of an earlier list that follow its last one.
 * Nothing where that is not among them: so many came at once that there is a gap.
 */
export function joined(newest: readonly RunSummary[], earlier: readonly RunSummary[]): RunSummary[] | undefined {
  const last = newest.at(-1);
  const place = earlier.findIndex(({ runId }) => runId === last?.runId);
  return place === -1 ? undefined : [...newest, ...earlier.slice(place + 1)];
}

/** Reads older runs anew when they change, as by a retry: the newest page does not hold them. */
function useChangesOf(runs: readonly RunSummary[] | undefined, change: (runs: RunSummary[]) => void): void {
  useEffect(() => {
    if (runs === undefined) return undefined;
    return window.dagu.on('runChanged', ({ runId }) => {
      if (!runs.some((run) => run.runId === runId)) return;
      call('getRun', { runId }).then(
        ({ run }) => change(runs.map((one) => (one.runId === runId ? run : one))),
        () => {}, // It was removed, or the next change shows it.
      );
    });
  });
}

function onRunChanged(changed: () => void): () => void {
  return window.dagu.on('runChanged', changed);
}
