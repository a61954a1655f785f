import type { RunStatus } from '../core/contract/run.ts';
import { isEnded } from '../core/contract/run-state.ts';
import type { Queries } from './queries-client.ts';

/** How many of the newest runs are looked at: more than could be at work at a time. */
const newest = 50;

/** Notices changes of runs that other programs execute, as the `dagu` command does: nobody tells of those. */
export class StoreWatch {
  readonly #queries: Pick<Queries['client'], 'version' | 'listRuns'>;
  readonly #onChanged: (runId: string) => void;
  #version: number | undefined;
  /** Runs as they were at the last look. */
  #known: ReadonlyMap<string, RunStatus> = new Map();

  constructor(queries: Pick<Queries['client'], 'version' | 'listRuns'>, onChanged: (runId: string) => void) {
    this.#queries = queries;
    this.#onChanged = onChanged;
  }

  /** Tells of each run that is new, at work, or has ended since the last look; of none at the first. */
  async look(): Promise<void> {
    const { version } = await this.#queries.version();
    if (version === this.#version) return;
    const first = this.#version === undefined;
    this.#version = version;
    const { runs } = await this.#queries.listRuns({ limit: newest });
    const before = this.#known;
    this.#known = new Map(runs.map(({ runId, status }) => [runId, status]));
    if (first) return;
    for (const { runId, status } of runs) {
      if (!isEnded(status) || before.get(runId) !== status) this.#onChanged(runId);
    }
  }
}
