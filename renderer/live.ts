import { useEffect, useReducer, useRef } from 'react';

/** What a page has of its data. A value stays shown while it is read anew, or cannot be. */
export interface Live<T> {
  value?: T;
  /** Why the last reading failed. */
  error?: unknown;
  /** Reads again now. */
  reload(): void;
}

/** Readings are at least this far apart, however often something changes. */
const calmMs = 200;

/**
 * Reads data and reads it again whenever it changes: one reading at a time, and one more
 * after it when something changed meanwhile.
 *
 * @param load reads the data; a new function starts afresh, so make it with useCallback
 * @param subscribe tells of changes until the function that it returns is called
 */
export function useLive<T>(load: () => Promise<T>, subscribe: (changed: () => void) => () => void): Live<T> {
  const [shown, show] = useReducer(
    (last: { of?: unknown; value?: T; error?: unknown }, next: { of: unknown; value?: T; error?: unknown }) =>
      'error' in next && last.of === next.of ? { ...last, error: next.error } : next,
    {},
  );
  const reload = useRef(() => {});

  useEffect(() => {
    const loop = readingLoop(load, (result) => show({ of: load, ...result }));
    reload.current = loop.changed;
    loop.changed();
    const unsubscribe = subscribe(loop.changed);
    return () => {
      unsubscribe();
      loop.end();
    };
  }, [load, subscribe]);

  const current = shown.of === load ? shown : {};
  return {
    ...('value' in current && { value: current.value }),
    ...('error' in current && { error: current.error }),
    reload: () => reload.current(),
  };
}

type Reading<T> = { value: T } | { error: unknown };

/** Reads at each change, never two at once, never more often than is calm. */
export function readingLoop<T>(load: () => Promise<T>, show: (result: Reading<T>) => void) {
  let state: 'idle' | 'reading' | 'resting' | 'ended' = 'idle';
  let changedMeanwhile = false;
  let rest: ReturnType<typeof setTimeout> | undefined;

  const read = async () => {
    state = 'reading';
    changedMeanwhile = false;
    const result = await load().then(
      (value): Reading<T> => ({ value }),
      (error: unknown): Reading<T> => ({ error }),
    );
    if (isEnded()) return;
    show(result);
    state = 'resting';
    rest = setTimeout(() => {
      state = 'idle';
      if (changedMeanwhile) void read();
    }, calmMs);
  };
  const isEnded = () => state === 'ended';

  return {
    changed() {
      if (state === 'idle') void read();
      else changedMeanwhile = true;
    },
    end() {
      state = 'ended';
      clearTimeout(rest);
    },
  };
}
