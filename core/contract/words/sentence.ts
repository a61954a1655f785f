import type { RunDetail, RunSummary, StepSummary, TimelineEvent } from '../run.ts';
import { stoppedByPerson } from '../run-state.ts';
import type { Filling, Words } from './en.ts';
import type { Formats } from './formats.ts';

/** The state of a run in one sentence, for its page, the tray's hover text and screen readers. */
export function stateSentence({ run, steps, events }: RunDetail, words: Words, formats: Formats): string {
  const { sentence } = words;
  const own = steps.filter((step) => step.handler === undefined);
  switch (run.status) {
    case 'queued':
      return sentence.queued;
    case 'not_started':
      return sentence.notStarted;
    case 'running':
      return workingSentence(own, steps, events, words);
    case 'waiting':
      return sentence.waitingAnswer;
    case 'succeeded':
      return sentence.succeeded(own.length);
    case 'partially_succeeded':
      return sentence.partly(formats.list(steps.filter(failed).map((step) => step.step)));
    case 'failed':
      return failedSentence(own, words);
    case 'aborted':
      return stoppedSentence(run, words, formats);
    case 'rejected':
      return sentence.rejected;
  }
}

/** The newest event of a step when it says that the step waits for something, else nothing. */
export function waitOf(step: StepSummary, events: readonly TimelineEvent[]): TimelineEvent | undefined {
  const newest = events.findLast((event) => event.step === step.step);
  return newest?.type === 'lifecycle' && newest.status === 'waiting' ? newest : undefined;
}

/** What a waiting event waits for, in words; the event's own text where its reason is not a known one. */
export function waitWords(event: TimelineEvent, words: Words): string {
  const known: Record<string, string> = words.sentence.waitsFor;
  return known[event.name ?? ''] ?? firstLine(event.content);
}

/** What a message between operations says: by its code, else its own text. */
export function messageWords({ code = '', content, parameters = {} }: TimelineEvent, words: Words): string {
  const texts: Record<string, (filling: Filling) => string> = words.lifecycle;
  return Object.hasOwn(texts, code) ? (texts[code]?.(parameters) ?? content) : content;
}

/** The subject of an event: its content's first line. */
export function firstLine(content: string): string {
  return content.split('\n', 1)[0] ?? '';
}

function workingSentence(
  own: readonly StepSummary[],
  all: readonly StepSummary[],
  events: readonly TimelineEvent[],
  words: Words,
): string {
  const index = own.findIndex(active);
  const step = own[index];
  if (step !== undefined) {
    if (step.status === 'waiting') return words.sentence.waitingAnswer;
    const wait = waitOf(step, events);
    return wait === undefined ? words.sentence.working(index + 1, own.length, step.step) : waitWords(wait, words);
  }
  const handler = all.find(active);
  return handler === undefined ? words.sentence.starting : words.sentence.workingHandler(handler.step);
}

function stoppedSentence({ finishedAt, error }: RunSummary, { sentence }: Words, formats: Formats): string {
  if (finishedAt === undefined) return sentence.stopped;
  const time = formats.clock(new Date(finishedAt));
  return error === stoppedByPerson ? sentence.stoppedByYou(time) : sentence.stoppedAt(time);
}

function failedSentence(own: readonly StepSummary[], words: Words): string {
  const index = own.findIndex(failed);
  const step = own[index];
  return step === undefined ? words.sentence.failed : words.sentence.failedAt(index + 1, own.length, step.step);
}

const active = (step: StepSummary) =>
  step.status === 'running' || step.status === 'retrying' || step.status === 'waiting';
const failed = (step: StepSummary) => step.status === 'failed' || step.status === 'rejected';
