import { expect, it } from 'vitest';
import type { RunDetail, StepSummary, TimelineEvent } from '../core/contract/run.ts';
import { timelineOf } from './timeline.ts';

const step = (name: string, status: StepSummary['status']): StepSummary => ({
  step: name,
  action: 'run',
  status,
  outputs: {},
});
const event = (name: string, sequence: number, rest: Partial<TimelineEvent>): TimelineEvent => ({
  sequence,
  id: `computer-1-${sequence}`,
  step: name,
  type: 'tool',
  timestamp: '2026-03-02T12:00:00Z',
  status: 'completed',
  content: '',
  ...rest,
});
const detail = (steps: StepSummary[], events: TimelineEvent[]) => ({ steps, events }) as RunDetail;

it('shows the steps that have begun, or the selected one', () => {
  const run = detail([step('a', 'succeeded'), step('b', 'running'), step('c', 'not_started')], []);
  expect(timelineOf(run, undefined).sections.map((section) => section.step.step)).toEqual(['a', 'b']);
  expect(timelineOf(run, 'c').sections.map((section) => section.step.step)).toEqual(['c']);
});

it('replaces an operation that runs by its end, and keeps messages', () => {
  const events = [
    event('a', 1, { type: 'lifecycle', status: 'running' }),
    event('a', 2, { status: 'running', position: 1 }),
    event('a', 3, { status: 'completed', position: 1 }),
    event('a', 4, { status: 'running', position: 2 }),
    event('b', 1, { status: 'completed', position: 2 }),
  ];
  const [section] = timelineOf(detail([step('a', 'running'), step('b', 'succeeded')], events), undefined).sections;
  expect(section?.events.map(({ sequence }) => sequence)).toEqual([1, 3, 4]);
});

it('lists the screenshots of what is shown, in order', () => {
  const events = [event('a', 1, { files: ['1.png', '2.png'] }), event('b', 1, { files: ['3.png'] }), event('a', 2, {})];
  const run = detail([step('a', 'succeeded'), step('b', 'succeeded')], events);
  expect(timelineOf(run, undefined).screenshots).toEqual(['1.png', '2.png', '3.png']);
  expect(timelineOf(run, 'b').screenshots).toEqual(['3.png']);
});

it('measures bars against the longest operation of the whole run, whatever is selected', () => {
  const events = [event('a', 1, { durationMs: 200 }), event('b', 1, { durationMs: 900 })];
  const run = detail([step('a', 'succeeded'), step('b', 'succeeded')], events);
  expect(timelineOf(run, 'a').longestMs).toBe(900);
  expect(timelineOf(detail([], []), undefined).longestMs).toBe(0);
});
