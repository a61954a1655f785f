import type { RunDetail, TimelineEvent } from '../core/contract/run.ts';
import type { Store } from '../core/store/store.ts';
import { duration, print, statusWord } from './output.ts';

/** Prints a run's changes as plain lines, each once: the same on a terminal and in a pipe. */
export class Progress {
  readonly #store: Store;
  readonly #shown = new Set<string>();

  constructor(store: Store) {
    this.#store = store;
  }

  show(runId: string): void {
    const detail = this.#store.getRun(runId);
    if (detail === undefined) return;
    this.#once(`run ${runId}`, `${detail.run.name}, run ${runId}\n`);
    for (const line of changes(detail)) this.#once(line.key, line.text);
  }

  #once(key: string, text: string): void {
    if (this.#shown.has(key)) return;
    this.#shown.add(key);
    print(text);
  }
}

function* changes({ steps, events }: RunDetail): Generator<{ key: string; text: string }> {
  const width = Math.max(...steps.map(({ step }) => step.length));
  const line = (step: string, text: string) => `  ${step.padEnd(width)}  ${text}\n`;
  for (const { step, status, startedAt } of steps) {
    if (status !== 'not_started' && startedAt !== undefined)
      yield { key: `${step} start`, text: line(step, 'started') };
  }
  for (const event of events)
    yield { key: `${event.step} ${event.sequence}`, text: line(event.step, eventText(event)) };
  for (const step of steps) {
    const { status, startedAt, finishedAt, error } = step;
    if (status === 'not_started' || status === 'running') continue;
    const took = duration(startedAt, finishedAt);
    const detail = [took && `after ${took}`, error].filter(Boolean).join(': ');
    yield { key: `${step.step} ${status}`, text: line(step.step, `${statusWord(status)} ${detail}`.trimEnd()) };
  }
}

/** One line for an event: its place, what it was, how it went. */
export function eventText({ name, status, content, position, via, durationMs }: TimelineEvent): string {
  const [subject = ''] = content.split('\n', 1);
  const took = durationMs === undefined ? undefined : `${(durationMs / 1000).toFixed(1)} s`;
  const how = [via && `by ${via}`, took].filter(Boolean).join(', ');
  const what = [position && `${position}.`, name, subject].filter(Boolean).join(' ');
  return `${what} - ${statusWord(status as never)}${how && ` (${how})`}`;
}
