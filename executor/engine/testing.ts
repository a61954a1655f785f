import { mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Masker } from '../../core/masking/masker.ts';
import { Network } from '../../core/net/network.ts';
import type { StepChange } from '../../core/store/shapes.ts';
import type { Store } from '../../core/store/store.ts';
import type { Step, Workflow } from '../../core/workflow/types.ts';
import type { DesktopSession } from '../action.ts';
import { RunContext } from './run-context.ts';
import { runStep, type StepEnd } from './step.ts';
import { RunValues, type ValueSources } from './values.ts';

/** For tests: a session whose desktop cannot be opened. */
export const noDesktop: DesktopSession = {
  desktop: () => Promise.reject(new Error('no desktop')),
  workingApp: undefined,
};

/** For tests: a step as a workflow file makes it, `run: true` where nothing is said. */
export function makeStep(step: Partial<Step> = {}): Step {
  const key = step.key ?? step.id ?? 'a';
  return {
    key,
    name: key,
    action: 'run',
    run: ['true'],
    with: {},
    depends: [],
    env: [],
    continueOn: { failure: false, skipped: false, exitCodes: [], outputs: [], markSuccess: false },
    preconditions: [],
    outputNames: [],
    path: ['steps', 0],
    ...step,
  };
}

/** For tests: a workflow in a folder. */
export function makeWorkflow(folder: string, workflow: Partial<Workflow> = {}): Workflow {
  return {
    name: 'flow',
    path: join(folder, 'flow.yaml'),
    type: 'graph',
    params: [],
    consts: {},
    env: [],
    dotenv: [],
    secrets: [],
    steps: [],
    handlers: {},
    preconditions: [],
    schedules: [],
    overlapPolicy: 'skip',
    catchupWindowMs: 0,
    artifacts: { enabled: true },
    locals: [],
    ...workflow,
  };
}

export interface TestRunOptions extends Partial<Omit<ValueSources, 'workflow'>> {
  workflow?: Partial<Workflow>;
  /** Looks at each change of a step as it comes. */
  onChange?: (change: StepChange & { step: string }) => void;
}

/** For tests: what runs steps in a folder, without a store. */
export class TestRun {
  readonly run: RunContext;
  /** Every change of a step, in order. */
  readonly changes: (StepChange & { step: string })[];
  readonly folder: string;

  static async open(folder: string, options: TestRunOptions = {}): Promise<TestRun> {
    const { workflow, params = {}, ownNames = {}, ...sources } = options;
    const made = makeWorkflow(folder, workflow);
    const values = await RunValues.open({ workflow: made, params, ownNames, ...sources });
    return new TestRun(folder, made, values, options);
  }

  private constructor(folder: string, workflow: Workflow, values: RunValues, { onChange }: TestRunOptions) {
    const changes: TestRun['changes'] = [];
    const store: Pick<Store, 'changeSteps' | 'addEvent'> = {
      changeSteps(_, added) {
        for (const { step, change } of added) {
          changes.push({ step, ...change });
          onChange?.({ step, ...change });
        }
      },
      addEvent() {},
    };
    const run = join(folder, 'run');
    const folders = { logs: join(run, 'logs'), artifacts: join(run, 'artifacts'), work: join(run, 'work') };
    mkdirSync(folders.logs, { recursive: true });
    this.folder = folder;
    this.changes = changes;
    this.run = new RunContext({
      request: { runId: 'r1' },
      workflow,
      values,
      folders,
      session: noDesktop,
      network: new Network({}, () => {}),
      store: store as Store,
      masker: new Masker(values.secrets),
      changed: () => {},
    });
  }

  /** Runs a step of the workflow, or one of its own, to its end. */
  async step(step: Partial<Step> | Step, signal: AbortSignal = new AbortController().signal): Promise<StepEnd> {
    const end = await runStep(this.run, 'path' in step ? (step as Step) : makeStep(step), 0, signal);
    this.run.flush();
    return end;
  }

  /** The last state of a step in the store. */
  last(step = 'a'): StepChange & { step: string } {
    return Object.assign({}, ...this.changes.filter((change) => change.step === step));
  }

  stdout(step = 'a'): string {
    return readFileSync(this.last(step).stdoutFile as string, 'utf8');
  }

  stderr(step = 'a'): string {
    return readFileSync(this.last(step).stderrFile as string, 'utf8');
  }

  /** Folder for a step's scripts and output files. */
  get stepFiles(): string {
    return join(dirname(this.run.folders.work), 'step-files');
  }

  async close(): Promise<void> {
    await this.run.guardian.close();
  }
}
