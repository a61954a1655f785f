import type { RunDetail, StepSummary, TimelineEvent } from '../core/contract/run.ts';

/** A step and what happened in it. */
export interface TimelineSection {
  step: StepSummary;
  events: TimelineEvent[];
}

/** The sections of a run's timeline: the steps that have begun, or the selected one alone. */
export function timelineOf(
  { steps, events }: RunDetail,
  selected: string | undefined,
): { sections: TimelineSection[]; longestMs: number; screenshots: string[] } {
  const shown = steps.filter((step) =>
    selected === undefined ? step.status !== 'not_started' && step.status !== 'skipped' : step.step === selected,
  );
  const sections = shown.map((step) => ({ step, events: settled(events.filter((event) => event.step === step.step)) }));
  return {
    sections,
    screenshots: sections.flatMap((section) => section.events.flatMap(({ files = [] }) => files)),
    // Of the whole run, so that the bars keep their lengths when a step is selected.
    longestMs: Math.max(0, ...events.map((event) => event.durationMs ?? 0)),
  };
}

/** The events without those that a later one of the same operation replaces: what ran has ended. */
function settled(events: TimelineEvent[]): TimelineEvent[] {
  return events.filter((event, index) => {
    if (event.type !== 'tool' || event.status !== 'running') return true;
    return !events.slice(index + 1).some((later) => later.type === 'tool' && later.position === event.position);
  });
}
