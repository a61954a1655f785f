import { mkdirSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join, resolve as resolvePath } from 'node:path';
import { CallError } from '../../core/contract/protocol.ts';
import { safeName } from '../../core/store/paths.ts';
import { withWrittenKeyNames } from '../../core/workflow/llm.ts';
import { expandVariables, mapTexts, resolve } from '../../core/workflow/references.ts';
import type { JsonObject, Step, Workflow } from '../../core/workflow/types.ts';
import { type StepContext, StepError } from '../action.ts';
import { actions } from '../actions.ts';
import { outputsFromStdout } from './outputs.ts';
import type { RunContext } from './run-context.ts';
import { CommandFailed, runShellStep } from './shell.ts';
import { StepOutput } from './step-output.ts';

/** How a step ended. */
export interface StepEnd {
  status: 'succeeded' | 'failed' | 'aborted';
  error?: string;
}

/** Runs one step from its first to its last state in the store. Never throws for what the step did. */
export async function runStep(run: RunContext, step: Step, position: number, runSignal: AbortSignal): Promise<StepEnd> {
  const base = join(run.folders.logs, `${String(position + 1).padStart(2, '0')}-${safeName(step.key)}`);
  const capture = step.action === 'run' && (step.output !== undefined || step.outputSchema !== undefined);
  const stdout = new StepOutput(`${base}.out`, run.masker, { capture });
  const stderr = new StepOutput(`${base}.err`, run.masker, { capture: false });
  run.changeStep(step.key, { status: 'running', startedAt: now(), stdoutFile: stdout.path, stderrFile: stderr.path });
  // On the disk before the step does anything.
  run.flush();

  const { signal, clear } = withTimeout(runSignal, step.timeoutSec);
  let end: StepEnd & { exitCode?: number; outputs?: Record<string, unknown> };
  try {
    const context = makeContext(run, step, { signal, runSignal }, stdout, stderr);
    const outputs = await execute(run, context, stdout, stderr);
    run.values.addOutputs(step, outputs);
    end = { status: 'succeeded', outputs, ...(step.action === 'run' && { exitCode: 0 }) };
  } catch (error) {
    end = endOfError(error, runSignal);
    if (end.error !== undefined) stderr.write(`error: ${end.error}\n`);
  } finally {
    clear();
    stdout.close();
    stderr.close();
  }
  run.changeStep(step.key, { ...end, finishedAt: now() });
  return end;
}

async function execute(
  run: RunContext,
  context: StepContext,
  stdout: StepOutput,
  stderr: StepOutput,
): Promise<Record<string, unknown>> {
  const { step } = context;
  const load = actions[step.action];
  if (load !== undefined) {
    const action = await load();
    const { outputs } = await action.run(context);
    return outputs;
  }
  const shell = step.shell ?? run.workflow.shell ?? 'sh';
  await runShellStep({ context, values: run.values, shell, stdout, stderr, guardian: run.guardian });
  return outputsFromStdout(step, stdout);
}

function makeContext(
  run: RunContext,
  step: Step,
  signals: Pick<StepContext, 'signal' | 'runSignal'>,
  stdout: StepOutput,
  stderr: StepOutput,
): StepContext {
  const env = run.values.stepEnv(step);
  const scope = run.values.scope(env);
  const expand = (text: string) => expandVariables(resolve(text, scope), env);
  return {
    // The models of the workflow's own block may be named by its parameters too.
    workflow: withResolvedLlm(run.workflow, expand),
    step,
    with: mapTexts(step.with, expand) as JsonObject,
    env,
    workingDir: workingDir(run, step, (text) => expand(text)),
    artifactsDir: run.workflow.artifacts.enabled ? run.folders.artifacts : undefined,
    ...signals,
    secrets: run.values.secrets,
    mask: (text) => run.masker.text(text),
    addSecretValue: (value) => run.masker.add(value),
    stdout: (text) => stdout.write(text),
    log: (line) => stderr.write(`${line}\n`),
    event: async (event) => run.addEvent(step.key, event),
    session: run.session,
  };
}

/** The models of the workflow's own block may be named by its parameters. */
function withResolvedLlm(workflow: Workflow, expand: (text: string) => string): Workflow {
  const { llm } = workflow;
  return llm === undefined ? workflow : { ...workflow, llm: withWrittenKeyNames(mapTexts(llm, expand), llm) };
}

/** Absolute folder of a step; a relative one is under the workflow file's. */
function workingDir(run: RunContext, step: Step, expand: (text: string) => string): string {
  const written = step.workingDir ?? run.workflow.workingDir;
  if (written === undefined) {
    mkdirSync(run.folders.work, { recursive: true, mode: 0o700 });
    return run.folders.work;
  }
  const text = expand(written).replace(/^~(?=$|[\\/])/, homedir());
  const folder = isAbsolute(text) ? text : resolvePath(dirname(run.workflow.path), text);
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) {
    throw new StepError(`the working directory ${folder} is not there; make it, or change working_dir`);
  }
  return folder;
}

/** The time of a step is up. */
class TimeIsUp extends Error {}

function withTimeout(signal: AbortSignal, seconds: number | undefined): { signal: AbortSignal; clear: () => void } {
  if (seconds === undefined || seconds === 0) return { signal, clear: () => {} };
  const timer = new AbortController();
  const handle = setTimeout(
    () => timer.abort(new TimeIsUp(`the step did not finish within its timeout_sec of ${seconds} s`)),
    seconds * 1000,
  );
  return { signal: AbortSignal.any([signal, timer.signal]), clear: () => clearTimeout(handle) };
}

function endOfError(error: unknown, runSignal: AbortSignal): StepEnd & { exitCode?: number } {
  if (error instanceof TimeIsUp) return { status: 'failed', error: error.message };
  if (runSignal.aborted) return { status: 'aborted', error: (runSignal.reason as Error).message };
  if (error instanceof CommandFailed) return { status: 'failed', error: error.message, exitCode: error.exitCode };
  if (error instanceof StepError || error instanceof CallError) return { status: 'failed', error: error.message };
  // A defect of ours: the reader of the log gets the whole of it, and the step fails as any other.
  const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return { status: 'failed', error: `unexpected error: ${message}` };
}

function now(): string {
  return new Date().toISOString();
}
