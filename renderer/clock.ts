import { useSyncExternalStore } from 'react';

const listeners = new Set<() => void>();
let second = currentSecond();
let timer: ReturnType<typeof setInterval> | undefined;

/** The time, in whole seconds, for what changes as time passes. All that use it tick together. */
export function useNow(): Date {
  return new Date(useSyncExternalStore(subscribe, () => second) * 1000);
}

function subscribe(changed: () => void): () => void {
  listeners.add(changed);
  timer ??= setInterval(tick, 1000);
  second = currentSecond();
  return () => {
    listeners.delete(changed);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

function tick(): void {
  second = currentSecond();
  for (const listener of listeners) listener();
}

function currentSecond(): number {
  return Math.floor(Date.now() / 1000);
}
