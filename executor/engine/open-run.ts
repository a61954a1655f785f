import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { StepSummary } from '../../core/contract/run.ts';
import { Masker } from '../../core/masking/masker.ts';
import { openSealed, sealedNames, showSealed } from '../../core/masking/sealed.ts';
import { safeName } from '../../core/store/paths.ts';
import type { NewRun, NewStep, RunState } from '../../core/store/shapes.ts';
import type { Store } from '../../core/store/store.ts';
import { handlerNames, type Workflow } from '../../core/workflow/types.ts';
import type { Family } from './family.ts';
import { type SourcedWorkflow, workflowUnder } from './find-workflow.ts';
import { handlerKey } from './handlers.ts';
import { PushBacks } from './push-back.ts';
import { RunContext, type RunFolders, type RunsUnder, runLogPath } from './run-context.ts';
import type { Secret } from './secrets.ts';
import type { StepEnd } from './step.ts';
import { RunValues, type ValueSources, variablesOf } from './values.ts';

/** Which run is opened, and where it belongs. */
export interface RunPlace extends SourcedWorkflow {
  runId: string;
  attempt: number;
  trigger: string;
  /** When this attempt started (RFC 3339, UTC). */
  startedAt: string;
  scheduledAt?: string;
  folders: RunFolders;
  defaultWorkingDir?: string;
  /** How many runs are above it. */
  depth: number;
  /** What it gets from the step that it is a body of. */
  inherited?: Pick<ValueSources, 'foreach' | 'outerOutputs' | 'outerEnv'>;
  /** Masks its secrets in the runs above. */
  adopt?: (secrets: readonly Secret[]) => void;
  /** What the run above masks: it may come with parameters, outputs and variables. */
  secretsAbove?: readonly Secret[];
}

/** A run's parameters: as they were given, or sealed as the store has them. */
export type RunParams = { given: Record<string, string> } | { sealed: Record<string, string> };

/** What an earlier process left of a run that goes on. */
export interface Earlier {
  state: RunState;
  /** Ends of the steps that are not run again. */
  ends: ReadonlyMap<string, StepEnd>;
}

/** Opens a run: its values, with the outputs of steps that an earlier process ran. Nothing is stored yet. */
export async function openRun(
  family: Family,
  runsUnder: RunsUnder,
  place: RunPlace,
  params: RunParams,
  earlier?: Earlier,
): Promise<RunContext> {
  const { workflow, folders, runId, source, depth, adopt, secretsAbove = [], defaultWorkingDir } = place;
  const values = await openValues(family, place, params);
  adopt?.(values.secrets);
  const { session, network, store, guardian, stops } = family;
  const run = new RunContext({
    request: { runId, ...(defaultWorkingDir !== undefined && { defaultWorkingDir }) },
    workflow,
    source,
    values,
    folders,
    session,
    network,
    store,
    guardian,
    stops,
    depth,
    runsUnder,
    masker: new Masker([...values.secrets, ...secretsAbove]),
    secretsAbove,
    changed: () => family.changed(runId),
    ...(adopt !== undefined && { adopt }),
    ...(earlier !== undefined && {
      // Another attempt counts anew.
      ...(earlier.state.summary.attempt === place.attempt && { sequences: earlier.state.sequences }),
      pushBacks: PushBacks.restored(workflow.steps, earlier.state.steps),
    }),
  });
  if (earlier !== undefined) await restoreOutputs(family, run, earlier);
  return run;
}

async function openValues(family: Family, place: RunPlace, params: RunParams): Promise<RunValues> {
  const open = (given: Record<string, string>) =>
    RunValues.open({
      workflow: place.workflow,
      params: given,
      ownNames: ownNames(place),
      context: contextOf(family, place),
      openKeychain: family.openKeychain,
      ...place.inherited,
    });
  if ('given' in params) return await open(params.given);
  const shown = await open(showSealed(params.sealed));
  return sealedNames(params.sealed).size === 0 ? shown : await open(openSealed(params.sealed, shown.secrets));
}

/** Variables that tell a step about its run. */
function ownNames({ workflow, runId, folders }: RunPlace): Record<string, string> {
  return {
    DAG_NAME: workflow.name,
    DAG_RUN_ID: runId,
    DAG_RUN_LOG_FILE: runLogPath(folders),
    DAG_RUN_WORK_DIR: folders.work,
    ...(workflow.artifacts.enabled && { DAG_RUN_ARTIFACTS_DIR: folders.artifacts }),
  };
}

/** Values of `${context.…}` for every step of the run. */
function contextOf({ root }: Family, place: RunPlace): Record<string, string> {
  const { workflow, runId, attempt, trigger, startedAt, scheduledAt, folders } = place;
  return {
    'dag.name': workflow.name,
    'run.id': runId,
    'run.started_at': startedAt,
    ...(scheduledAt !== undefined && { 'run.scheduled_at': scheduledAt }),
    ...(root.runId !== runId && { 'run.root_id': root.runId, 'run.root_name': root.name }),
    'attempt.id': `${runId}-${attempt}`,
    // A click in the app is a start by hand, for those who know the words of Dagu.
    'trigger.type': trigger === 'tray' ? 'manual' : trigger,
    'paths.log_file': runLogPath(folders),
    'paths.work_dir': folders.work,
    ...(workflow.artifacts.enabled && { 'paths.artifacts_dir': folders.artifacts }),
  };
}

async function restoreOutputs(family: Family, run: RunContext, { state, ends }: Earlier): Promise<void> {
  const stored = new Map(state.steps.map((summary) => [summary.step, summary]));
  for (const step of run.workflow.steps) {
    const summary = stored.get(step.key);
    if (summary === undefined || !ends.has(step.key)) continue;
    await knowSecrets(family, run, summary);
    const outputs = run.unseal(summary.outputs);
    const given = summary.approval?.state === 'approved' ? Object.keys(summary.approval.inputs) : [];
    const inputs = given.map((name) => [name, String(outputs[name] ?? '')]);
    run.values.addOutputs(step, outputs, { ...variablesOf(step, outputs), ...Object.fromEntries(inputs) });
  }
}

/** Outputs of a step that ran other workflows may hold their secrets. */
async function knowSecrets(family: Family, run: RunContext, { step, outputs }: StepSummary): Promise<void> {
  const isKnown = (name: string) => run.values.secrets.some((secret) => secret.name === name);
  const names = sealedNames(outputs);
  if ([...names].every(isKnown)) return;
  run.adoptSecrets(await secretsUnder(family, run, step));
  if (names.has(''))
    run.log.line(`note: outputs of step "${step}" held values that are not kept; ******* stands for them`);
}

/** Secrets of the workflows that a step ran, each under a name that tells whose it is. */
async function secretsUnder(family: Family, above: Above, step?: string): Promise<Secret[]> {
  const secrets: Secret[] = [];
  for (const { runId, parent } of family.store.listChildren(above.runId)) {
    const state = family.store.stateOf(runId);
    if (state === undefined || parent === undefined || (step !== undefined && parent.step !== step)) continue;
    const depth = above.depth + 1;
    const sourced = workflowUnder(above, parent.step, state);
    const values = await openValues(family, storedPlace(state, sourced, depth), { sealed: state.params });
    const below = await secretsUnder(family, { ...sourced, runId, depth });
    secrets.push(...namedFor(parent.step, [...values.secrets, ...below]));
  }
  return secrets;
}

/** A run with runs under it. */
interface Above extends SourcedWorkflow {
  runId: string;
  depth: number;
}

/** Secrets of a run under a step, as the runs above know them: names of several workflows may be alike. */
export function namedFor(step: string, secrets: readonly Secret[]): Secret[] {
  return secrets.map(({ name, value }) => ({ name: `${step}/${name}`, value }));
}

/** What a run masks, as the runs under it know it. */
export function secretsFor({ masker }: RunContext): Secret[] {
  return masker.secrets.map(({ name, value }) => ({ name: name && `../${name}`, value }));
}

/** The place of a run that the store has. */
export function storedPlace({ summary, workDir }: RunState, sourced: SourcedWorkflow, depth: number): RunPlace {
  const { runId, attempt, trigger, startedAt, createdAt, scheduledAt, logDir, artifactsDir } = summary;
  return {
    ...sourced,
    runId,
    attempt,
    trigger,
    startedAt: startedAt ?? createdAt,
    folders: { logs: logDir, artifacts: artifactsDir, work: join(dirname(logDir), 'work') },
    depth,
    ...(scheduledAt !== undefined && { scheduledAt }),
    ...(workDir !== undefined && { defaultWorkingDir: workDir }),
  };
}

/** The folders of a run, where they are made; one under another is within that one's. */
export function makeFolders(store: Store, workflow: Workflow, runId: string, above?: RunFolders): RunFolders {
  const folder =
    above === undefined
      ? join(store.paths.runs, safeName(workflow.name), runId)
      : join(dirname(above.logs), 'runs', runId);
  const folders = {
    logs: join(folder, 'logs'),
    artifacts: workflow.artifacts.dir ?? join(folder, 'artifacts'),
    work: join(folder, 'work'),
  };
  mkdirSync(folders.logs, { recursive: true, mode: 0o700 });
  if (workflow.artifacts.enabled) mkdirSync(folders.artifacts, { recursive: true, mode: 0o700 });
  return folders;
}

/** A run as the store gets it, its parameters sealed. */
export function newRunOf(run: RunContext, place: RunPlace): NewRun {
  const { runId, workflow, trigger, folders, source, scheduledAt, defaultWorkingDir } = place;
  return {
    runId,
    name: workflow.name,
    path: workflow.path,
    trigger,
    createdAt: new Date().toISOString(),
    params: run.masker.seal({ ...run.values.params }),
    logDir: folders.logs,
    artifactsDir: folders.artifacts,
    source,
    ...(scheduledAt !== undefined && { scheduledAt }),
    ...(defaultWorkingDir !== undefined && { workDir: defaultWorkingDir }),
  };
}

/** The steps of a run as the store gets them, the handlers after them. */
export function newStepsOf({ steps, handlers }: Workflow): NewStep[] {
  return [
    ...steps.map(({ key, action }) => ({ step: key, action })),
    ...handlerNames.flatMap((handler) => {
      const step = handlers[handler];
      return step === undefined ? [] : [{ step: handlerKey(handler), action: step.action, handler }];
    }),
  ];
}
