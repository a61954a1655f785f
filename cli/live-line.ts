import { createLogUpdate } from 'log-update';
import type { RunDetail } from '../core/contract/run.ts';

/** How often the line is drawn anew, in ms. */
const drawEveryMs = 200;

type Draw = ReturnType<typeof createLogUpdate>;

/**
 * The last line on a terminal while a run is at work: the steps that run now, and for how
 * long. What is printed meanwhile goes above it; at the end it is taken away.
 */
export class LiveLine {
  readonly #draw: Draw;
  readonly #timer: NodeJS.Timeout;
  #detail: RunDetail | undefined;

  /** @param draw where it is drawn, standard output unless a test looks */
  constructor(draw: Draw = createLogUpdate(process.stdout)) {
    this.#draw = draw;
    this.#timer = setInterval(() => this.#show(), drawEveryMs);
    this.#timer.unref();
  }

  /** The run as it is now. */
  update(detail: RunDetail): void {
    this.#detail = detail;
    this.#show();
  }

  /** Prints something above the line. */
  above(print: () => void): void {
    this.#draw.clear();
    print();
  }

  close(): void {
    clearInterval(this.#timer);
    this.#draw.clear();
    this.#draw.done();
  }

  #show(): void {
    if (this.#detail !== undefined) this.#draw(liveText(this.#detail, Date.now()));
  }
}

/** `2 of 5 steps done · read 12 s, post 3 s` */
export function liveText({ steps }: RunDetail, now: number): string {
  const own = steps.filter(({ handler }) => handler === undefined);
  const done = own.filter(({ finishedAt, status }) => finishedAt !== undefined && status !== 'retrying').length;
  const active = steps.filter(({ status }) => status === 'running' || status === 'retrying');
  const texts = active.map(({ step, status, startedAt }) => {
    const seconds = startedAt === undefined ? 0 : Math.max(0, Math.floor((now - Date.parse(startedAt)) / 1000));
    return `${step}${status === 'retrying' ? ' (waits to try again)' : ''} ${seconds} s`;
  });
  return [`${done} of ${own.length} steps done`, texts.join(', ')].filter(Boolean).join(' · ');
}
