import { join } from 'node:path';
import type { apiProtocol } from '../core/contract/api.ts';
import type { Handlers } from '../core/contract/protocol.ts';
import type { DataPaths } from '../core/store/paths.ts';
import { makeApi } from './api.ts';
import { SettingsFile } from './app-settings.ts';
import { Catalog } from './catalog.ts';
import { Dispatcher } from './dispatcher.ts';
import { openQueries, type Queries } from './queries-client.ts';
import { Scheduler, scheduleTimer } from './scheduler.ts';
import { StoreWatch } from './store-watch.ts';
import { type ForkExecutor, Supervisor } from './supervisor.ts';
import { holdTrayLock } from './tray-lock.ts';
import { Trust } from './trust.ts';
import { WorkflowsFolder } from './workflows-folder.ts';

/** How often the store is asked whether another program changed it, in ms: one number is read. */
const lookEveryMs = 1000;

/** How often old runs are removed, in ms. */
const pruneEveryMs = 3_600_000;

export interface HostOptions {
  paths: DataPaths;
  /** The watched folder. */
  workflows: string;
  fork: ForkExecutor;
  /** Told of what changed, for whoever shows it. */
  onRunChanged: (runId: string) => void;
  onWorkflowsChanged: () => void;
  onSettingsChanged: () => void;
  /** Told of failures that nobody waits for. */
  onError: (error: unknown) => void;
}

/**
 * All that the tray app does without a window: it answers the API, starts what waits for its
 * turn, goes on with what was answered, and does what schedules say. It is plain Node.
 */
export interface Host {
  api: Handlers<typeof apiProtocol>;
  supervisor: Supervisor;
  queries: Queries['client'];
  /** Begins to start runs by itself. Before that it only answers. */
  begin(): void;
  /** The computer woke up: schedules are looked at now. */
  wake(): void;
  /** Starts nothing more: what waits, waits for the next start of the app. */
  end(): void;
  /** Lets go of all; runs that are at work are the supervisor's to stop before. */
  close(): Promise<void>;
}

/** Opens the parts. Fails, with code `settings`, where the settings file is not right. */
export async function openHost(options: HostOptions): Promise<Host> {
  const { paths, onRunChanged, onWorkflowsChanged, onSettingsChanged } = options;
  const life = new AbortController();
  const onError = (error: unknown) => life.signal.aborted || options.onError(error);
  const background = (work: Promise<unknown>) => void work.catch(onError);

  const settings = new SettingsFile(join(paths.home, 'settings.json'));
  await settings.read();
  const folder = new WorkflowsFolder(options.workflows);
  await folder.make();

  const store = openQueries(paths.home);
  const queries = store.client;
  const supervisor = new Supervisor({ home: paths.home, fork: options.fork });
  const trust = new Trust(queries, () => settings.current.trust);
  const catalog = new Catalog(folder, trust);
  const maxActiveRuns = () => settings.current.queue.maxActiveRuns;
  const dispatcher = new Dispatcher({ supervisor, queries, maxActiveRuns, onError });
  const workflows = async () => (settings.current.schedules.enabled ? await catalog.startable() : []);
  const scheduler = new Scheduler({ workflows, queries, dispatcher, home: paths.home });
  const storeWatch = new StoreWatch(queries, onRunChanged);
  supervisor.onChanged(onRunChanged);

  let wake = () => {};
  const api = makeApi({
    home: paths.home,
    catalog,
    trust,
    dispatcher,
    scheduler,
    settings,
    queries,
    onChanged: (what) => {
      if (what === 'settings') onSettingsChanged();
      onWorkflowsChanged();
      wake();
    },
  });

  const lookAtStore = async () => {
    await dispatcher.lookIfChanged();
    await storeWatch.look();
  };
  const prune = async () => {
    const { retention } = settings.current;
    if (Object.keys(retention).length > 0) await queries.prune(retention);
  };
  const work = () => {
    if (life.signal.aborted) return;
    ({ wake } = scheduleTimer(() => scheduler.look(), { signal: life.signal, onError }));
    wake();
    background(dispatcher.look());
    background(prune());
    for (const [task, everyMs] of [
      [lookAtStore, lookEveryMs],
      [prune, pruneEveryMs],
    ] as const) {
      const timer = setInterval(() => background(task()), everyMs);
      life.signal.addEventListener('abort', () => clearInterval(timer));
    }
  };

  return {
    api,
    supervisor,
    queries,
    begin() {
      background(
        folder.watch(() => {
          onWorkflowsChanged();
          wake();
        }, life.signal),
      );
      background(holdTrayLock(paths.locks, life.signal).then(work));
    },
    wake: () => wake(),
    end: () => dispatcher.end(),
    async close() {
      dispatcher.end();
      life.abort();
      await store.close();
    },
  };
}
