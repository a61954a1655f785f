import { useState } from 'react';

/** Something that a person sets going, once at a time. */
export interface Action<A extends unknown[]> {
  /** Does nothing while it goes on already. */
  run(...given: A): void;
  isGoing: boolean;
  isDone: boolean;
  /** Why it failed the last time. */
  failure?: unknown;
}

/** Does work at a click: says that it goes on, and keeps why it failed. */
export function useAction<A extends unknown[]>(work: (...given: A) => Promise<unknown>): Action<A> {
  const [state, setState] = useState<'idle' | 'going' | 'done'>('idle');
  const [failure, setFailure] = useState<unknown>();
  const run = (...given: A) => {
    if (state === 'going') return;
    setState('going');
    setFailure(undefined);
    work(...given).then(
      () => setState('done'),
      (error: unknown) => {
        setFailure(error);
        setState('idle');
      },
    );
  };
  return { run, isGoing: state === 'going', isDone: state === 'done', ...(failure !== undefined && { failure }) };
}
