import { randomUUID } from 'node:crypto';
import { appendFileSync, existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { CallError } from '../../core/contract/protocol.ts';
import type { ApprovalState, StepStatus } from '../../core/contract/run.ts';
import { safeName } from '../../core/store/paths.ts';
import { withWrittenKeyNames } from '../../core/workflow/llm.ts';
import { expandVariables, mapTexts, resolve, type Scope } from '../../core/workflow/references.ts';
import type { JsonObject, Step, Workflow } from '../../core/workflow/types.ts';
import { type StepContext, StepError, type StepResult, StepWaits } from '../action.ts';
import { actions } from '../actions.ts';
import { continuesAfterFailure, OutputWatch } from './continue-on.ts';
import type { InvocationParts } from './invocation.ts';
import { openCopy, pathFrom } from './output-copy.ts';
import { collectOutputs, isCaptured } from './outputs.ts';
import { whyNotMet } from './preconditions.ts';
import { withPrivateFile } from './private-file.ts';
import { endTree } from './process-tree.ts';
import { after, pause, type Retries, resolveRetries, triesAgain, waitMs } from './retry.ts';
import type { RunContext, RunFolders } from './run-context.ts';
import { CommandFailed, type CommandPlace, runCommands } from './shell.ts';
import { orStepError, StepOutput } from './step-output.ts';
import { TokenLedger } from './token-ledger.ts';

/** How a step ended, or that it waits for a person. */
export interface StepEnd {
  status: Exclude<StepStatus, 'not_started' | 'running' | 'retrying'>;
  error?: string;
  /** Set where `continue_on` lets the run go on after the failure. */
  continues?: boolean;
}

/** A step's end as the store keeps it. */
interface FullEnd extends StepEnd {
  exitCode?: number;
  outputs?: Record<string, unknown>;
  approval?: ApprovalState;
}

/** The exit code of a step whose time was up, as `timeout` gives it. */
const timeoutExitCode = 124;

/**
 * Runs one step from its first to its last state in the store: its preconditions once, then
 * as many tries as its retry policy allows, each with the whole of `timeout_sec`; what a try
 * left running ends before the next. `continue_on` is looked at after the last one. Never
 * throws for what the step did.
 */
export async function runStep(run: RunContext, step: Step, position: number, runSignal: AbortSignal): Promise<StepEnd> {
  const base = join(run.folders.logs, `${String(position + 1).padStart(2, '0')}-${safeName(step.key)}`);
  const logs = { stdoutFile: `${base}.out`, stderrFile: `${base}.err` };
  run.changeStep(step.key, { status: 'running', startedAt: now(), ...logs });
  // On the disk before the step does anything.
  run.flush();
  const { continues, ...end } = await new StepRun(run, step, logs, runSignal).toEnd();
  run.changeStep(step.key, { ...end, finishedAt: now() });
  return { status: end.status, ...(end.error !== undefined && { error: end.error }), ...(continues && { continues }) };
}

/** What a step's texts mean, and where it works: the same for all its tries. */
interface Setting {
  env: Record<string, string>;
  scope: Scope;
  expand(text: string): string;
  workingDir: string;
  artifactsDir: string | undefined;
}

/** Where one try writes. */
interface Streams {
  stdout: StepOutput;
  stderr: StepOutput;
}

class StepRun {
  readonly #run: RunContext;
  readonly #step: Step;
  readonly #logs: { stdoutFile: string; stderrFile: string };
  readonly #runSignal: AbortSignal;
  readonly #scratch: string;
  /** The output file of all tries, one after another. */
  readonly #outputFile: string | undefined;
  /** Tries after the first. */
  #retries = 0;
  #outputMatches = false;
  /** The first try takes up what waited for a person. */
  #goesOn: boolean;

  constructor(run: RunContext, step: Step, logs: { stdoutFile: string; stderrFile: string }, runSignal: AbortSignal) {
    this.#run = run;
    this.#step = step;
    this.#logs = logs;
    this.#runSignal = runSignal;
    this.#goesOn = run.goingOn.delete(step.key);
    this.#scratch = scratchFolder(run.folders);
    const writesOutputs = step.action === 'run' && step.declaredOutputs !== undefined;
    this.#outputFile = writesOutputs ? join(this.#scratch, `${randomUUID()}.outputs`) : undefined;
  }

  async toEnd(): Promise<FullEnd> {
    this.#tell(`--- again, ${now()} ---\n`);
    try {
      const setting = this.#setting();
      const unmet = this.#goesOn ? undefined : await this.#whyNotMet(setting);
      if (unmet !== undefined) return { status: 'skipped', error: unmet };
      return await this.#tries(setting, resolveRetries(this.#step.retryPolicy, setting.expand));
    } catch (error) {
      const end = endOfError(error, this.#runSignal);
      if (end.error !== undefined) this.#writeError(end.error);
      return this.#failed(end);
    }
  }

  async #tries(setting: Setting, retries: Retries): Promise<FullEnd> {
    for (;;) {
      const mark = this.#run.guardian.newMark();
      const end = await this.#try(setting, mark);
      if (end.status !== 'failed') return end;
      this.#goesOn = false;
      if (!triesAgain(retries, this.#retries, end.exitCode ?? 1)) return this.#failed(end);
      if (this.#step.action === 'run') await endTree({ roots: [], mark });
      await this.#waitForNext(retries, end);
    }
  }

  async #waitForNext(retries: Retries, { error, exitCode }: FullEnd): Promise<void> {
    const wait = waitMs(retries, this.#retries);
    this.#retries += 1;
    this.#tell(`--- try ${this.#retries + 1} of ${retries.limit + 1}, after ${wait / 1000} s ---\n`);
    this.#run.changeStep(this.#step.key, {
      status: 'retrying',
      retries: this.#retries,
      ...(error !== undefined && { error }),
      ...(exitCode !== undefined && { exitCode }),
    });
    await pause(wait, this.#runSignal);
    this.#run.changeStep(this.#step.key, { status: 'running', retries: this.#retries });
    this.#run.flush();
  }

  /** A line of ours in each of the step's logs that there are. */
  #tell(line: string): void {
    for (const path of Object.values(this.#logs)) {
      if (existsSync(path)) orStepError(path, () => appendFileSync(path, line));
    }
  }

  /** Why no try was made. */
  #writeError(error: string): void {
    const stderr = new StepOutput(this.#logs.stderrFile, this.#run.masker, { capture: false });
    stderr.write(`error: ${error}\n`);
    stderr.close();
  }

  /** The end of a step whose last try failed, as `continue_on` has it. */
  #failed(end: FullEnd): FullEnd {
    const { continueOn } = this.#step;
    if (end.status !== 'failed') return end;
    const failed = { exitCode: end.exitCode ?? 1, outputMatches: this.#outputMatches };
    if (!continuesAfterFailure(continueOn, failed)) return end;
    if (!continueOn.markSuccess) return { ...end, continues: true };
    this.#tell('continue_on.mark_success: the step counts as succeeded\n');
    return { status: 'succeeded', ...(end.exitCode !== undefined && { exitCode: end.exitCode }) };
  }

  #setting(): Setting {
    const run = this.#run;
    const { values, workflow } = run;
    const step = this.#step;
    const { stdoutFile, stderrFile } = this.#logs;
    const file = this.#outputFile;
    const given = run.stepValues(step);
    const context = {
      ...given.context,
      'paths.step_stdout_file': stdoutFile,
      'paths.step_stderr_file': stderrFile,
      ...(file !== undefined && { 'paths.step_output_file': file }),
    };
    const ownNames = {
      ...given.env,
      DAG_RUN_STEP_STDOUT_FILE: stdoutFile,
      DAG_RUN_STEP_STDERR_FILE: stderrFile,
      ...(file !== undefined && { DAGU_OUTPUT_FILE: file }),
    };
    const env = values.stepEnv(step, { env: ownNames, context });
    const scope = values.scope(env, step, context);
    const expand = (text: string) => expandVariables(resolve(text, scope), env);
    return {
      env,
      scope,
      expand,
      workingDir: workingDir(run, step, expand),
      artifactsDir: workflow.artifacts.enabled ? run.folders.artifacts : undefined,
    };
  }

  async #whyNotMet(setting: Setting): Promise<string | undefined> {
    const { preconditions } = this.#step;
    if (preconditions.length === 0) return undefined;
    const stderr = new StepOutput(this.#logs.stderrFile, this.#run.masker, { capture: false });
    try {
      const command = this.#place(setting, this.#runSignal, this.#run.guardian.newMark(), {
        stdout: () => {},
        stderr: (chunk) => stderr.write(chunk),
      });
      return await whyNotMet(preconditions, { parts: this.#parts(setting), command });
    } finally {
      stderr.close();
    }
  }

  async #try(setting: Setting, mark: string): Promise<FullEnd> {
    const { streams, watches } = this.#makeStreams();
    const { stdout, stderr } = streams;
    const { signal, clear } = withTimeout(this.#runSignal, this.#step.timeoutSec);
    try {
      stdout.copyTo(openCopy(this.#step.stdout, setting, setting.expand));
      stderr.copyTo(openCopy(this.#step.stderr, setting, setting.expand));
      const place = this.#place(setting, signal, mark, {
        stdout: (chunk) => stdout.write(chunk),
        stderr: (chunk) => stderr.write(chunk),
      });
      const result = await this.#execute(this.#context(setting, signal, streams), setting, place, streams);
      this.#run.values.addOutputs(this.#step, result.outputs);
      return this.#succeeded(result, setting);
    } catch (error) {
      const end = endOfError(error, this.#runSignal);
      if (end.error !== undefined) stderr.write(`error: ${end.error}\n`);
      return end;
    } finally {
      clear();
      stdout.close();
      stderr.close();
      this.#outputMatches = watches.some(({ matches }) => matches);
    }
  }

  #makeStreams(): { streams: Streams; watches: OutputWatch[] } {
    const step = this.#step;
    const { stdoutFile, stderrFile } = this.#logs;
    const make = (name: 'stdout' | 'stderr', path: string, watch: OutputWatch | undefined) =>
      new StepOutput(path, this.#run.masker, { capture: isCaptured(step, name), watch });
    const { outputs } = step.continueOn;
    const watches = outputs.length === 0 ? [] : [new OutputWatch(outputs), new OutputWatch(outputs)];
    const streams = { stdout: make('stdout', stdoutFile, watches[0]), stderr: make('stderr', stderrFile, watches[1]) };
    return { streams, watches };
  }

  /** Does what the step is for, and gives what it publishes. */
  async #execute(context: StepContext, setting: Setting, place: CommandPlace, streams: Streams): Promise<StepResult> {
    const step = this.#step;
    const products = {
      ...streams,
      workingDir: setting.workingDir,
      expand: setting.expand,
      outputFile: this.#outputFile,
    };
    const load = actions[step.action];
    if (load !== undefined) {
      const action = await load();
      const { outputs, ...how } = await action.run(context);
      return { ...how, outputs: { ...outputs, ...(await collectOutputs(step, products)) } };
    }
    const work = async () => {
      await runCommands(step.run, this.#parts(setting), place);
      return { outputs: await collectOutputs(step, products) };
    };
    if (this.#outputFile === undefined) return await work();
    this.#run.guardian.removeAtEnd(this.#scratch);
    return await withPrivateFile({ path: this.#outputFile, text: '', mode: 0o600 }, work);
  }

  #succeeded({ outputs, isPartial }: StepResult, { expand }: Setting): FullEnd {
    const { approval, key } = this.#step;
    const end = { outputs, ...(this.#step.action === 'run' && { exitCode: 0 }) };
    if (approval === undefined) return { status: isPartial ? 'partially_succeeded' : 'succeeded', ...end };
    return {
      status: 'waiting',
      ...end,
      approval: {
        state: 'waiting',
        ...(approval.prompt !== undefined && { prompt: expand(approval.prompt) }),
        input: approval.input,
        required: approval.required,
        rewindTo: approval.rewindTo ?? key,
        inputs: {},
      },
    };
  }

  #parts({ scope, expand }: Setting): InvocationParts {
    const { workflow, values } = this.#run;
    return { step: this.#step, workflow, scope, expand, params: values.positional() };
  }

  #place(
    { workingDir, env }: Setting,
    signal: AbortSignal,
    mark: string,
    streams: Pick<CommandPlace, 'stdout' | 'stderr'>,
  ): CommandPlace {
    return { cwd: workingDir, env, signal, guardian: this.#run.guardian, mark, scratch: this.#scratch, ...streams };
  }

  #context(setting: Setting, signal: AbortSignal, { stdout, stderr }: Streams): StepContext {
    const run = this.#run;
    const step = this.#step;
    const { env, scope, expand, workingDir, artifactsDir } = setting;
    const pushBack = run.pushBacks.of(step);
    return {
      // The models of the workflow's own block may be named by its parameters too.
      workflow: withResolvedLlm(run.workflow, expand),
      step,
      with: mapTexts(step.with, expand) as JsonObject,
      scope,
      env,
      workingDir,
      artifactsDir,
      signal,
      runSignal: this.#runSignal,
      secrets: run.values.secrets,
      mask: (text) => run.masker.text(text),
      addSecretValue: (value) => run.masker.add(value),
      stdout: (text) => stdout.write(text),
      log: (line) => stderr.write(`${line}\n`),
      event: async (event, when) => run.addEvent(step.key, event, when),
      fetchFor: run.fetchFor,
      tokens: new TokenLedger(run),
      session: run.session,
      runChild: (request) => run.runChild(step, request, { env, workingDir, signal, goesOn: this.#goesOn }),
      findWorkflow: (name) => run.findWorkflow(step, name),
      conversations: run.conversationsFor(step),
      ...(pushBack !== undefined && { pushBack }),
    };
  }
}

/** The models of the workflow's own block may be named by its parameters. */
function withResolvedLlm(workflow: Workflow, expand: (text: string) => string): Workflow {
  const { llm } = workflow;
  return llm === undefined ? workflow : { ...workflow, llm: withWrittenKeyNames(mapTexts(llm, expand), llm) };
}

/** Folder for the scripts of a run's commands, and the files that they write outputs to. */
export function scratchFolder({ work }: RunFolders): string {
  return join(dirname(work), 'step-files');
}

/** Absolute folder of a step, or of the run where no step is given; a relative one is under the workflow file's. */
export function workingDir(run: RunContext, step: Pick<Step, 'workingDir'>, expand: (text: string) => string): string {
  const written = step.workingDir ?? run.workflow.workingDir ?? run.request.defaultWorkingDir;
  if (written === undefined) {
    mkdirSync(run.folders.work, { recursive: true, mode: 0o700 });
    return run.folders.work;
  }
  const folder = pathFrom(dirname(run.workflow.path), expand(written));
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) {
    throw new StepError(`the working directory ${folder} is not there; make it, or change working_dir`);
  }
  return folder;
}

/** The time of a try is up. */
class TimeIsUp extends Error {}

function withTimeout(signal: AbortSignal, seconds: number | undefined): { signal: AbortSignal; clear: () => void } {
  if (seconds === undefined || seconds === 0) return { signal, clear: () => {} };
  const timer = new AbortController();
  const clear = after(seconds * 1000, () =>
    timer.abort(new TimeIsUp(`the step did not finish within its timeout_sec of ${seconds} s`)),
  );
  return { signal: AbortSignal.any([signal, timer.signal]), clear };
}

function endOfError(error: unknown, runSignal: AbortSignal): FullEnd {
  if (error instanceof TimeIsUp) return { status: 'failed', error: error.message, exitCode: timeoutExitCode };
  if (runSignal.aborted) return { status: 'aborted', error: (runSignal.reason as Error).message };
  if (error instanceof StepWaits) return { status: 'waiting' };
  if (error instanceof CommandFailed) return { status: 'failed', error: error.message, exitCode: error.exitCode };
  if (error instanceof StepError || error instanceof CallError) return { status: 'failed', error: error.message };
  // A defect of ours: the reader of the log gets the whole of it, and the step fails as any other.
  const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return { status: 'failed', error: `unexpected error: ${message}` };
}

function now(): string {
  return new Date().toISOString();
}
