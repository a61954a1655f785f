import { readFile, realpath, stat } from 'node:fs/promises';
import { extname, isAbsolute, relative, resolve } from 'node:path';
import type { apiProtocol, WorkflowFile } from '../core/contract/api.ts';
import { CallError, type Handlers } from '../core/contract/protocol.ts';
import type { RunDetail } from '../core/contract/run.ts';
import { isEnded, stoppedByPerson } from '../core/contract/run-state.ts';
import type { Queries } from './queries-client.ts';
import type { Supervisor } from './supervisor.ts';
import type { WorkflowsFolder } from './workflows-folder.ts';

/** A screenshot has at most 1920 pixels on its long edge; what is larger than this is something else. */
const maxScreenshotBytes = 64 * 1024 * 1024;

/** The parts of the app that the API is made of. */
export interface ApiParts {
  folder: Pick<WorkflowsFolder, 'path' | 'list' | 'find'>;
  supervisor: Pick<Supervisor, 'start' | 'stop' | 'active' | 'onChanged'>;
  queries: Pick<Queries['client'], 'listRuns' | 'getRun'>;
}

/** Fulfils every call that a page may make, whatever carries it. */
export function makeApi({ folder, supervisor, queries }: ApiParts): Handlers<typeof apiProtocol> {
  const starting = new Set<string>();
  const stored = new Map<string, () => void>();
  supervisor.onChanged((runId) => stored.get(runId)?.());

  return {
    listWorkflows: async () => ({ folder: folder.path, workflows: await folder.list() }),

    async startRun({ path }) {
      // Set before the first wait: a second click while the first one starts must not run it twice.
      if (starting.has(path)) throw busy(path);
      starting.add(path);
      try {
        checkStartable(await folder.find(path));
        await checkNotRunning(path);
        return { runId: await startStored(path) };
      } finally {
        starting.delete(path);
      }
    },

    async stopRun({ runId }) {
      const { run } = await detailOf(runId);
      if (!isEnded(run.status) && !supervisor.active().includes(runId)) {
        throw new CallError('elsewhere', `run ${runId} was started by another program`);
      }
      await supervisor.stop(runId, stoppedByPerson);
      return {};
    },

    listRuns: (params) => queries.listRuns(params),
    getRun: ({ runId }) => detailOf(runId),

    async readScreenshot({ runId, file }) {
      const { run } = await detailOf(runId);
      return { png: await readScreenshot(run.artifactsDir, file) };
    },
  };

  async function detailOf(runId: string): Promise<RunDetail> {
    const { detail } = await queries.getRun({ runId });
    if (detail === undefined) throw new CallError('not_found', `there is no run ${runId}`);
    return detail;
  }

  async function checkNotRunning(path: string): Promise<void> {
    const answers = await Promise.all(supervisor.active().map((runId) => queries.getRun({ runId })));
    if (answers.some(({ detail }) => detail?.run.path === path && !isEnded(detail.run.status))) throw busy(path);
  }

  /** Starts a run and waits until the store has it, so that whoever gets its id can read it. */
  async function startStored(path: string): Promise<string> {
    const { runId, finished } = supervisor.start({ mode: 'start', path, trigger: 'tray' });
    const changed = new Promise<undefined>((resolve) => stored.set(runId, () => resolve(undefined)));
    const end = await Promise.race([changed, finished]);
    stored.delete(runId);
    const { detail } = await queries.getRun({ runId });
    if (detail === undefined) throw new CallError('failed', end?.error ?? 'the run ended before it began');
    return runId;
  }
}

const busy = (path: string) => new CallError('busy', `${path} is running already`);

function checkStartable({ file, problem, missingParams }: WorkflowFile): void {
  if (problem !== undefined) throw new CallError('broken', `${file} has an error: ${problem.message}`);
  if (missingParams.length > 0) throw new CallError('needs_params', `${file} needs ${missingParams.join(', ')}`);
}

/** Reads a PNG inside a run's artifacts folder; a path that leads out of it, also by a link, is refused. */
async function readScreenshot(artifactsDir: string, file: string): Promise<Uint8Array> {
  const refuse = () => new CallError('not_found', `there is no screenshot ${file} in this run`);
  const path = resolve(artifactsDir, file);
  if (extname(path).toLowerCase() !== '.png' || !isInside(artifactsDir, path)) throw refuse();
  try {
    if (!isInside(await realpath(artifactsDir), await realpath(path))) throw refuse();
    if ((await stat(path)).size > maxScreenshotBytes) throw new CallError('too_large', `${file} is too large to show`);
    return new Uint8Array(await readFile(path));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') throw refuse();
    throw error;
  }
}

function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== '' && !way.startsWith('..') && !isAbsolute(way);
}
