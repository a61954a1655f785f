import { setMaxListeners } from 'node:events';
import { mkdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { RunRequest } from '../../core/contract/messages.ts';
import type { RunStatus, StepStatus } from '../../core/contract/run.ts';
import { Masker } from '../../core/masking/masker.ts';
import { tryFileLock } from '../../core/store/lock.ts';
import { safeName } from '../../core/store/paths.ts';
import { type NewStep, RunExists, Store } from '../../core/store/store.ts';
import { loadWorkflow } from '../../core/workflow/load.ts';
import { resolveParams } from '../../core/workflow/params.ts';
import type { HandlerName, Step, Workflow } from '../../core/workflow/types.ts';
import { type DesktopSession, StepError } from '../action.ts';
import { type GraphEnd, runGraph } from './graph.ts';
import { RunContext, type RunFolders } from './run-context.ts';
import { runStep } from './step.ts';
import { RunValues } from './values.ts';

export interface RunEnd {
  status: RunStatus;
  error?: string;
}

export interface RunOptions {
  session: DesktopSession;
  /** Stops the run: its `reason` is an Error whose message says why. */
  signal: AbortSignal;
  /** Called after each change that is stored. */
  changed: () => void;
}

/** How many steps run at once when the file does not say. */
const defaultMaxActive = 100;

/**
 * Executes one workflow from the first to the last state in the store. This process is the
 * only writer of the run; it holds the run's lock as long as the run is not at its end.
 */
export async function runWorkflow(request: RunRequest, options: RunOptions): Promise<RunEnd> {
  const workflow = await load(request);
  const store = new Store(request.home);
  const lock = tryFileLock(store.runLockPath(request.runId));
  if (lock === undefined) throw new RunExists(request.runId);
  try {
    const folders = makeFolders(store, workflow, request.runId);
    const params = resolveParams(workflow, request.params);
    const values = new RunValues(workflow, params, ownNames(workflow, request, folders));
    // Known before anything is written: a parameter may hold a secret.
    const masker = new Masker(values.secrets.map(({ value }) => value));
    create(store, request, workflow, folders, masker.json(params));
    options.changed();
    const end = await execute({ request, workflow, folders, values, masker, store }, options);
    store.finishRun(request.runId, end.status, now(), end.error);
    options.changed();
    return end;
  } finally {
    lock.release({ remove: true });
    store.close();
  }
}

async function load(request: RunRequest): Promise<Workflow> {
  const { workflow, problems } = loadWorkflow(await readFile(request.path, 'utf8'), request.path, {
    strictStream: false,
  });
  if (workflow === undefined) throw new StepError(`${request.path}: ${problems[0]?.message ?? 'is not a workflow'}`);
  return request.name === undefined ? workflow : { ...workflow, name: request.name };
}

function makeFolders(store: Store, workflow: Workflow, runId: string): RunFolders {
  const folder = join(store.paths.runs, safeName(workflow.name), runId);
  const folders = {
    logs: join(folder, 'logs'),
    artifacts: workflow.artifacts.dir ?? join(folder, 'artifacts'),
    work: join(folder, 'work'),
  };
  mkdirSync(folders.logs, { recursive: true, mode: 0o700 });
  if (workflow.artifacts.enabled) mkdirSync(folders.artifacts, { recursive: true, mode: 0o700 });
  return folders;
}

function create(
  store: Store,
  request: RunRequest,
  workflow: Workflow,
  folders: RunFolders,
  params: Record<string, string>,
): void {
  const steps: NewStep[] = workflow.steps.map(({ key, action }) => ({ step: key, action }));
  const handlers = Object.entries(workflow.handlers).map(([handler, { action }]) => ({
    step: handlerKey(handler as HandlerName),
    action,
    handler,
  }));
  store.createRun(
    {
      runId: request.runId,
      name: workflow.name,
      path: workflow.path,
      trigger: request.trigger,
      createdAt: now(),
      params,
      logDir: folders.logs,
      artifactsDir: folders.artifacts,
    },
    [...steps, ...handlers],
  );
}

/** Variables that tell a step about its run. */
function ownNames(workflow: Workflow, request: RunRequest, folders: RunFolders): Record<string, string> {
  return {
    DAG_NAME: workflow.name,
    DAG_RUN_ID: request.runId,
    DAG_RUN_WORK_DIR: folders.work,
    DAG_RUN_ARTIFACTS_DIR: folders.artifacts,
  };
}

interface Prepared {
  request: RunRequest;
  workflow: Workflow;
  folders: RunFolders;
  values: RunValues;
  masker: Masker;
  store: Store;
}

async function execute(prepared: Prepared, options: RunOptions): Promise<RunEnd> {
  const { request, workflow, store, values } = prepared;
  store.startRun(request.runId, now());
  options.changed();
  try {
    values.assertComplete();
  } catch (error) {
    if (error instanceof StepError) return { status: 'failed', error: error.message };
    throw error;
  }
  const { session, changed } = options;
  const run = new RunContext({ ...prepared, session, changed });
  try {
    return await runAll(run, withTimeout(options.signal, workflow.timeoutSec));
  } finally {
    run.flush();
    run.guardian.close();
  }
}

async function runAll(run: RunContext, signal: AbortSignal): Promise<RunEnd> {
  // Every step that runs listens to the same signal; there may be hundreds.
  setMaxListeners(0, signal);
  const init = await runHandler(run, 'init', signal);
  if (init?.status === 'failed') {
    const end: RunEnd = { status: 'failed', error: `handler init failed: ${init.error}` };
    await runEndHandlers(run, end);
    return end;
  }
  const { steps, maxActiveSteps } = run.workflow;
  const positions = new Map(steps.map((step, position) => [step, position]));
  const ends = await runGraph(steps, {
    signal,
    maxActive: maxActiveSteps || defaultMaxActive,
    start: (step) => runStep(run, step, positions.get(step) as number, signal),
    notRun: (step, end) => run.changeStep(step.key, end as { status: StepStatus; error?: string }),
  });
  const end = runEnd(ends, signal);
  const handlerError = await runEndHandlers(run, end);
  if (handlerError !== undefined && end.status === 'succeeded') return { status: 'failed', error: handlerError };
  return { ...end, ...(end.error !== undefined && { error: run.masker.text(end.error) }) };
}

function runEnd(ends: ReadonlyMap<Step, GraphEnd>, signal: AbortSignal): RunEnd {
  const all = [...ends];
  const timedOut = signal.aborted && signal.reason instanceof RunTimeout;
  const failed = all.find(([step, end]) => end.status === 'failed' && !step.continueOn.failure);
  if (signal.aborted && all.some(([, end]) => end.status === 'aborted')) {
    return { status: timedOut ? 'failed' : 'aborted', error: (signal.reason as Error).message };
  }
  if (failed !== undefined) return { status: 'failed', error: `step "${failed[0].key}" failed: ${failed[1].error}` };
  const anyFailed = all.some(([, end]) => end.status === 'failed');
  return { status: anyFailed ? 'partially_succeeded' : 'succeeded' };
}

/** The handlers of a run's end, `exit` last. They run also when the run was stopped. */
async function runEndHandlers(run: RunContext, end: RunEnd): Promise<string | undefined> {
  const which: Partial<Record<RunStatus, HandlerName>> = {
    succeeded: 'success',
    partially_succeeded: 'success',
    failed: 'failure',
    aborted: 'abort',
  };
  const unstoppable = new AbortController().signal;
  let problem: string | undefined;
  for (const name of [which[end.status], 'exit' as const]) {
    if (name === undefined) continue;
    const ended = await runHandler(run, name, unstoppable);
    if (ended?.status === 'failed') problem ??= `handler ${name} failed: ${ended.error}`;
  }
  return problem;
}

async function runHandler(run: RunContext, name: HandlerName, signal: AbortSignal) {
  const handler = run.workflow.handlers[name];
  if (handler === undefined) return undefined;
  const position = run.workflow.steps.length + Object.keys(run.workflow.handlers).indexOf(name);
  return await runStep(run, { ...handler, key: handlerKey(name) }, position, signal);
}

/** A handler's name among the steps of its run; no step id can hold a blank. */
function handlerKey(name: HandlerName): string {
  return `handler ${name}`;
}

class RunTimeout extends Error {}

function withTimeout(signal: AbortSignal, seconds: number | undefined): AbortSignal {
  if (seconds === undefined || seconds === 0) return signal;
  const timer = new AbortController();
  setTimeout(
    () => timer.abort(new RunTimeout(`the run did not finish within its timeout_sec of ${seconds} s`)),
    seconds * 1000,
  ).unref();
  return AbortSignal.any([signal, timer.signal]);
}

function now(): string {
  return new Date().toISOString();
}
