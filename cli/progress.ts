import type { RunDetail, TimelineEvent } from '../core/contract/run.ts';
import { StoreFailure } from '../core/store/database.ts';
import type { Store } from '../core/store/store.ts';
import { LiveLine } from './live-line.ts';
import { duration, print, statusWord } from './output.ts';

/** How long changes gather before the run is read, in ms. */
const gatherMs = 50;

/** Prints a run's changes as plain lines, each once; on a terminal what runs now stands below them. */
export class Progress {
  #live: LiveLine | undefined = process.stdout.isTTY ? new LiveLine() : undefined;
  readonly #store: Store;
  readonly #runId: string;
  readonly #shown = new Set<string>();
  #timer: NodeJS.Timeout | undefined;

  constructor(store: Store, runId: string) {
    this.#store = store;
    this.#runId = runId;
  }

  /** The run changed: it is shown soon, with all that changes until then. */
  changed(): void {
    this.#timer ??= setTimeout(() => this.#read(), gatherMs);
  }

  /** Prints what was not printed yet. */
  show(detail: RunDetail): void {
    const run = { key: 'run', text: `${detail.run.name}, run ${this.#runId}\n` };
    const lines = [run, ...changes(detail)].filter(({ key }) => !this.#shown.has(key));
    if (lines.length > 0) this.#above(() => print(lines.map(({ text }) => text).join('')));
    for (const { key } of lines) this.#shown.add(key);
    this.#live?.update(detail);
  }

  /** What happened before this command is not printed. */
  passOver(detail: RunDetail): void {
    for (const { key } of changes(detail)) this.#shown.add(key);
  }

  /** Reads the run no more, and takes away what stands below the lines. */
  close(): void {
    clearTimeout(this.#timer);
    this.#live?.close();
    this.#live = undefined;
  }

  #above(work: () => void): void {
    if (this.#live === undefined) work();
    else this.#live.above(work);
  }

  #read(): void {
    this.#timer = undefined;
    try {
      const detail = this.#store.getRun(this.#runId);
      if (detail !== undefined) this.show(detail);
    } catch (error) {
      // It is told at the run's end, which reads the store too.
      if (!(error instanceof StoreFailure)) throw error;
    }
  }
}

interface Line {
  key: string;
  at: string;
  text: string;
}

/** After every time there is. */
const atTheEnd = '9';

/** A run's changes in the order in which they happened; at one time, in the order of the steps. */
function changes(detail: RunDetail): Line[] {
  return [...linesByStep(detail)].sort((a, b) => (a.at === b.at ? 0 : a.at < b.at ? -1 : 1));
}

function* linesByStep({ steps, events }: RunDetail): Generator<Line> {
  const width = Math.max(...steps.map(({ step }) => step.length));
  const line = (step: string, text: string) => `  ${step.padEnd(width)}  ${text}\n`;
  for (const { step, status, startedAt, finishedAt, error } of steps) {
    if (status === 'not_started') continue;
    if (startedAt !== undefined)
      yield { key: `${step} start ${startedAt}`, at: startedAt, text: line(step, 'started') };
    for (const event of events) {
      if (event.step !== step) continue;
      yield { key: event.id + event.timestamp + step, at: event.timestamp, text: line(step, eventText(event)) };
    }
    if (status === 'running') continue;
    const took = duration(startedAt, finishedAt);
    const detail = [took && `after ${took}`, error].filter(Boolean).join(': ');
    const text = line(step, `${statusWord(status)} ${detail}`.trimEnd());
    yield { key: `${step} ${status} ${finishedAt}`, at: finishedAt ?? atTheEnd, text };
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
