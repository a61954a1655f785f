import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { readingLoop } from './live.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

it('reads once for many changes, and once more for those that came meanwhile', async () => {
  let reads = 0;
  const shown: unknown[] = [];
  const loop = readingLoop(
    async () => ++reads,
    (result) => shown.push(result),
  );
  for (let change = 0; change < 5; change++) loop.changed();
  await vi.advanceTimersByTimeAsync(1000);
  expect(shown).toEqual([{ value: 1 }, { value: 2 }]);
  loop.changed();
  await vi.advanceTimersByTimeAsync(0);
  expect(reads).toBe(3);
});

it('shows a failure and goes on at the next change', async () => {
  const shown: unknown[] = [];
  const answers = [Promise.reject(new Error('gone')), Promise.resolve('back')];
  const loop = readingLoop(
    () => answers.shift() ?? Promise.resolve('end'),
    (result) => shown.push(result),
  );
  loop.changed();
  await vi.advanceTimersByTimeAsync(1000);
  loop.changed();
  await vi.advanceTimersByTimeAsync(1000);
  expect(shown).toEqual([{ error: new Error('gone') }, { value: 'back' }]);
});

it('shows nothing after its end', async () => {
  const shown: unknown[] = [];
  const loop = readingLoop(
    async () => 'late',
    (result) => shown.push(result),
  );
  loop.changed();
  loop.changed();
  loop.end();
  await vi.advanceTimersByTimeAsync(1000);
  expect(shown).toEqual([]);
});
