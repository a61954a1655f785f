import { expect, it } from 'vitest';
import { turns } from './queue.ts';

const queued = (text: string, limits: Record<string, number> = {}) =>
  [...text].map((path, index) => ({ run: { runId: `${path}${index}`, path }, maxActiveRuns: limits[path] ?? 1 }));
const active = (text: string) => [...text].map((path) => ({ path }));
const ids = (text: string, at: string, most: number, limits?: Record<string, number>) =>
  turns(queued(text, limits), active(at), most).map(({ run }) => run.runId);

it.each([
  { name: 'one run of a workflow at a time', text: 'aab', at: '', most: 9, turn: ['a0', 'b2'] },
  { name: 'none beside one at work', text: 'aab', at: 'a', most: 9, turn: ['b2'] },
  { name: 'as many as the file says', text: 'aaaa', at: 'a', most: 9, limits: { a: 3 }, turn: ['a0', 'a1'] },
  { name: 'as many as are started', text: 'aaa', at: 'a', most: 9, limits: { a: 0 }, turn: ['a0', 'a1', 'a2'] },
  { name: 'no more than all workflows together may have', text: 'abcd', at: 'e', most: 3, turn: ['a0', 'b1'] },
  { name: 'nobody while all places are taken', text: 'ab', at: 'cde', most: 2, turn: [] },
])('gives the turn to $name', ({ text, at, most, limits, turn }) => {
  expect(ids(text, at, most, limits)).toEqual(turn);
});
