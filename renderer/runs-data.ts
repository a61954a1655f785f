import { createContext, use, useCallback, useState } from 'react';
import type { RunSummary } from '../core/contract/run.ts';
import { call } from './bridge.ts';
import { type Live, useLive } from './live.ts';

/** How many runs are read at first, and how many more at each "show older". */
const pageSize = 100;
/** The most that one call answers (core/contract/api.ts). */
const most = 1000;

/** The newest runs, shared by the pages. */
export interface RunsLive extends Live<RunSummary[]> {
  /** Reads older runs too; absent when all are shown, or as many as can be. */
  more?: () => void;
}

export const RunsData = createContext<RunsLive>({ reload: () => {} });

/** The newest runs, live. */
export function useRuns(): RunsLive {
  return use(RunsData);
}

/** Makes what {@link useRuns} gives; for the app's root. */
export function useRunsData(): RunsLive {
  const [limit, setLimit] = useState(pageSize);
  // The list that is shown stays while a longer one is read: only the limit of the next reading changes.
  const [box] = useState({ limit });
  const load = useCallback(async () => (await call('listRuns', { limit: box.limit })).runs, [box]);
  const live = useLive(load, onRunChanged);
  if (live.value === undefined || live.value.length < limit || limit >= most) return live;
  return {
    ...live,
    more: () => {
      box.limit = Math.min(limit + pageSize, most);
      setLimit(box.limit);
      live.reload();
    },
  };
}

function onRunChanged(changed: () => void): () => void {
  return window.dagu.on('runChanged', changed);
}
