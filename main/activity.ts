import type { RunDetail } from '../core/contract/run.ts';
import type { Queries } from './queries-client.ts';
import type { Supervisor } from './supervisor.ts';
import type { TrayInput } from './tray-state.ts';

/** More runs that wait for a person than anybody counts. */
const mostWaiting = 100;

/** The runs at work, those that wait for a person, and the last one that ended without anybody looking: what the tray icon tells. */
export class Activity {
  readonly #supervisor: Pick<Supervisor, 'active'>;
  readonly #queries: Pick<Queries['client'], 'getRun' | 'listRuns'>;
  readonly #onChanged: (input: TrayInput) => void;
  #working: string[] = [];
  #unseen: RunDetail | undefined;
  #reading: Promise<void> | undefined;
  #again = false;

  constructor(
    {
      supervisor,
      queries,
    }: { supervisor: Pick<Supervisor, 'active'>; queries: Pick<Queries['client'], 'getRun' | 'listRuns'> },
    onChanged: (input: TrayInput) => void,
  ) {
    this.#supervisor = supervisor;
    this.#queries = queries;
    this.#onChanged = onChanged;
  }

  /** A person looks at the app: what ended before is no news any more. */
  async seen(): Promise<void> {
    this.#unseen = undefined;
    await this.refresh();
  }

  /** Reads the runs anew; a call while one reads makes it read once more after that. */
  async refresh(): Promise<void> {
    if (this.#reading !== undefined) {
      this.#again = true;
      return this.#reading;
    }
    this.#reading = this.#readUntilCalm();
    try {
      await this.#reading;
    } finally {
      this.#reading = undefined;
    }
  }

  async #readUntilCalm(): Promise<void> {
    do {
      this.#again = false;
      await this.#read();
    } while (this.#again);
  }

  async #read(): Promise<void> {
    const working = this.#supervisor.active();
    const ended = this.#working.filter((runId) => !working.includes(runId));
    this.#working = working;
    const active = (await Promise.all(working.map((runId) => this.#detail(runId)))).filter(
      (found) => found !== undefined,
    );
    const last = ended.at(-1);
    if (last !== undefined) this.#unseen = await this.#detail(last);
    const { runs: waiting } = await this.#queries.listRuns({ limit: mostWaiting, statuses: ['waiting'] });
    this.#onChanged({ active, waiting, unseen: this.#unseen });
  }

  /** Nothing for a run that has begun so lately that the store does not have it. */
  async #detail(runId: string): Promise<RunDetail | undefined> {
    return (await this.#queries.getRun({ runId })).detail;
  }
}
