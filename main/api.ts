import type { apiProtocol } from '../core/contract/api.ts';
import { CallError, type Handlers } from '../core/contract/protocol.ts';
import type { RunDetail, RunSummary, StepSummary } from '../core/contract/run.ts';
import { isEnded, stoppedByPerson } from '../core/contract/run-state.ts';
import { workflowContent } from '../core/process/workflow-content.ts';
import type { Answer } from '../core/store/decisions.ts';
import { newRunId } from '../core/store/run-id.ts';
import { type GivenParam, ParamError, resolveParams } from '../core/workflow/params.ts';
import type { Workflow } from '../core/workflow/types.ts';
import type { SettingsFile } from './app-settings.ts';
import type { Catalog } from './catalog.ts';
import type { Dispatcher } from './dispatcher.ts';
import type { Queries } from './queries-client.ts';
import { listArtifacts, readLogPart, readPart, readScreenshot } from './run-files.ts';
import type { Scheduler } from './scheduler.ts';
import type { Trust } from './trust.ts';

/** The parts of the app that the API is made of. */
export interface ApiParts {
  /** The data directory. */
  home: string;
  catalog: Pick<Catalog, 'folder' | 'files' | 'find' | 'plan' | 'upcoming' | 'startable'>;
  trust: Pick<Trust, 'allow'>;
  dispatcher: Pick<Dispatcher, 'look' | 'stop' | 'retry'>;
  scheduler: Pick<Scheduler, 'skip'>;
  settings: Pick<SettingsFile, 'current' | 'change'>;
  queries: Pick<
    Queries['client'],
    'listRuns' | 'getRun' | 'attempts' | 'work' | 'queueRun' | 'contentOf' | 'addAnswer' | 'checkFreeSpace'
  >;
  /** Told when files are allowed, or the settings change. */
  onChanged: (what: 'workflows' | 'settings') => void;
}

/** Fulfils every call that a page may make, whatever carries it. */
export function makeApi(parts: ApiParts): Handlers<typeof apiProtocol> {
  const { home, catalog, trust, dispatcher, scheduler, settings, queries, onChanged } = parts;
  const starting = new Set<string>();

  return {
    listWorkflows: async () => ({ folder: catalog.folder, workflows: await catalog.files() }),
    getWorkflowPlan: ({ path }) => catalog.plan(path),

    async allowWorkflow({ path, hash }) {
      const { content } = await catalog.find(path);
      if (content.hash !== hash) throw new CallError('changed', `${path} has changed since it was shown`);
      // What its schedule would have done before is not made up for.
      await scheduler.skip([path]);
      await trust.allow({ path, hash });
      onChanged('workflows');
      return {};
    },

    async startRun({ path, params = {} }) {
      // Set before the first wait: a second click while the first one starts must not run it twice.
      if (starting.has(path)) throw busy(path);
      starting.add(path);
      try {
        return { runId: await start(path, givenParams(params)) };
      } finally {
        starting.delete(path);
      }
    },

    async stopRun({ runId }) {
      await detailOf(runId);
      if (!(await dispatcher.stop(runId, stoppedByPerson))) throw new CallError('ended', `run ${runId} has ended`);
      return {};
    },

    async retryRun({ runId, fromStep }) {
      const { run, steps } = await detailOf(runId);
      if (!isEnded(run.status)) throw new CallError('not_ended', `run ${runId} is not at its end`);
      if (fromStep !== undefined) stepOf(steps, fromStep);
      await checkStillAllowed(run);
      await dispatcher.retry(run, fromStep);
      return {};
    },

    approveStep: ({ runId, step, inputs }) => decide(runId, { step, kind: 'approve', inputs }),
    rejectStep: ({ runId, ...rest }) => decide(runId, { kind: 'reject', ...rest }),
    pushBackStep: ({ runId, ...rest }) => decide(runId, { kind: 'push_back', ...rest }),
    async answerAsk({ runId, step, ask, inputs }) {
      const { run } = await detailOf(runId);
      await checkStillAllowed(run);
      return await answer(runId, { step, kind: 'ask', ask, inputs });
    },

    listRuns: (query) => queries.listRuns(query),
    getRun: ({ runId, attempt }) => detailOf(runId, attempt),
    async listAttempts({ runId }) {
      const { attempts } = await queries.attempts({ runId });
      if (attempts.length === 0) throw noSuchRun(runId);
      return { attempts };
    },

    async readLog({ runId, step, attempt, stream, from, limit }) {
      const { run, steps } = await detailOf(runId, attempt);
      const { stdoutFile, stderrFile } = stepOf(steps, step);
      return await readLogPart(run.logDir, stream === 'stdout' ? stdoutFile : stderrFile, { from, limit });
    },
    async listArtifacts({ runId }) {
      const { run } = await detailOf(runId);
      return await listArtifacts(run.artifactsDir);
    },
    async readArtifact({ runId, file, from, limit }) {
      const { run } = await detailOf(runId);
      return await readPart(run.artifactsDir, file, { from, limit });
    },
    async readScreenshot({ runId, file }) {
      const { run } = await detailOf(runId);
      return { png: await readScreenshot(run.artifactsDir, file) };
    },

    async getQueue() {
      const { queued, active } = await queries.work();
      const { maxActiveRuns } = settings.current.queue;
      return { queued: queued.map(({ run }) => run), active: active.length, maxActiveRuns };
    },
    listSchedules: async () => ({ upcoming: await catalog.upcoming() }),

    getSettings: () => settings.current,
    async changeSettings(next) {
      const isSwitchedOn = next.schedules.enabled && !settings.current.schedules.enabled;
      // What was due while schedules were off was not to run.
      if (isSwitchedOn) await scheduler.skip((await catalog.startable()).map(({ path }) => path));
      const changed = await settings.change(next);
      onChanged('settings');
      await dispatcher.look();
      return changed;
    },
  };

  async function start(path: string, params: GivenParam[]): Promise<string> {
    const { workflow, content, trust: state } = await catalog.find(path);
    if (state !== 'allowed') throw new CallError(state === 'changed' ? 'changed' : 'not_allowed', notAllowed(path));
    checkParams(workflow, params);
    await queries.checkFreeSpace();
    if (workflow.maxActiveRuns === undefined) await checkNotAtWork(path);
    const runId = newRunId();
    const { hash: contentHash, text: source } = content;
    await queries.queueRun({
      request: { mode: 'queued', runId, path, params, trigger: 'tray', contentHash, home },
      name: workflow.name,
      source,
    });
    await dispatcher.look();
    return runId;
  }

  async function checkNotAtWork(path: string): Promise<void> {
    const { queued, active } = await queries.work();
    if ([...active, ...queued.map(({ run }) => run)].some((run) => run.path === path)) throw busy(path);
  }

  async function decide(runId: string, given: Answer): Promise<Record<string, never>> {
    const { run, steps } = await detailOf(runId);
    const { status, approval } = stepOf(steps, given.step);
    if (status !== 'waiting' || approval === undefined) {
      throw new CallError('not_waiting', `step "${given.step}" of run ${runId} does not wait for a decision`);
    }
    checkInputs(given, approval);
    if (given.kind !== 'reject') await checkStillAllowed(run);
    return await answer(runId, given);
  }

  /**
   * A run goes on with the text that it began with, but with the workflows and the files that
   * it names as they are now: its process refuses others than those that were allowed for it,
   * and whoever wants it to go on hears so before.
   */
  async function checkStillAllowed({ runId, path, parent }: RunSummary): Promise<void> {
    if (parent !== undefined) return await checkStillAllowed((await detailOf(parent.runId)).run);
    const { text, contentHash } = await queries.contentOf({ runId });
    if (text === undefined || contentHash === undefined) return;
    const { hash } = await workflowContent(path, { text });
    if (hash !== contentHash)
      throw new CallError('changed', `a file that belongs to ${path} has changed since it was allowed to run`);
  }

  async function answer(runId: string, given: Answer): Promise<Record<string, never>> {
    await queries.addAnswer({ runId, answer: given });
    await dispatcher.look();
    return {};
  }

  async function detailOf(runId: string, attempt?: number): Promise<RunDetail> {
    const { detail } = await queries.getRun({ runId, ...(attempt !== undefined && { attempt }) });
    if (detail === undefined) throw noSuchRun(runId);
    return detail;
  }
}

const noSuchRun = (runId: string) => new CallError('not_found', `there is no run ${runId}`);
const busy = (path: string) => new CallError('busy', `${path} is running already`);
const notAllowed = (path: string) => `the content of ${path} has not been allowed to run`;

function stepOf(steps: readonly StepSummary[], step: string): StepSummary {
  const found = steps.find((one) => one.step === step);
  if (found === undefined) throw new CallError('not_found', `the run has no step ${step}`);
  return found;
}

/** Positional parameters are named by their place. */
function givenParams(params: Record<string, string>): GivenParam[] {
  const given = Object.entries(params);
  const places = given.filter(([name]) => /^\d+$/.test(name)).sort(([one], [other]) => Number(one) - Number(other));
  const named = given.filter(([name]) => !/^\d+$/.test(name));
  return [...places.map(([, value]) => ({ value })), ...named.map(([name, value]) => ({ name, value }))];
}

function checkParams(workflow: Workflow, params: GivenParam[]): void {
  try {
    resolveParams(workflow, params);
  } catch (error) {
    if (error instanceof ParamError) throw new CallError('bad_params', error.message);
    throw error;
  }
}

function checkInputs({ step, kind, inputs }: Answer, { input, required }: NonNullable<StepSummary['approval']>): void {
  const unknown = Object.keys(inputs).find((name) => !input.includes(name));
  if (unknown !== undefined) throw new CallError('bad_inputs', `step "${step}" does not ask for "${unknown}"`);
  const missing = required.filter((name) => (inputs[name] ?? '') === '');
  if (kind === 'approve' && missing.length > 0) {
    throw new CallError('bad_inputs', `step "${step}" needs ${missing.join(', ')}`);
  }
}
