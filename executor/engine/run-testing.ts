import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RunRequest } from '../../core/contract/messages.ts';
import type { RunDetail, RunSummary } from '../../core/contract/run.ts';
import { Network } from '../../core/net/network.ts';
import type { Answer } from '../../core/store/decisions.ts';
import { Store } from '../../core/store/store.ts';
import { parseParam } from '../../core/workflow/params.ts';
import { type RunEnd, runWorkflow } from './run.ts';
import { noDesktop } from './testing.ts';

export interface RunTestOptions extends Partial<Omit<RunRequest, 'params'>> {
  /** As the command line takes them. */
  params?: string[];
  signal?: AbortSignal;
  network?: Network;
}

/**
 * For tests: a folder with workflow files and a data directory, where runs are executed in this
 * process. What became of them is read over a connection of its own.
 */
export class RunTest {
  readonly folder = mkdtempSync(join(tmpdir(), 'run-'));
  readonly home = join(this.folder, 'home');
  readonly changed: string[] = [];

  close(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  path(name: string): string {
    return join(this.folder, name);
  }

  write(name: string, text: string): string {
    writeFileSync(this.path(name), text);
    return this.path(name);
  }

  /** The lines of a file that steps wrote; none where it is not there. */
  lines(name: string): string[] {
    const path = this.path(name);
    return existsSync(path) ? readFileSync(path, 'utf8').trimEnd().split('\n') : [];
  }

  /** Executes a new run of a workflow of this text. */
  async start(text: string, options: RunTestOptions = {}): Promise<RunDetail> {
    await this.execute({ path: this.write('flow.yaml', text), ...options });
    return this.look(options.runId);
  }

  async retry(options: RunTestOptions = {}): Promise<RunDetail> {
    await this.execute({ mode: 'retry', trigger: 'retry', ...options });
    return this.look(options.runId);
  }

  /** A person answers, and the run goes on. */
  async answer(answer: Partial<Answer> & Pick<Answer, 'step' | 'kind'>, runId = 'r1'): Promise<RunDetail> {
    this.store((store) => store.addAnswer(runId, { inputs: {}, ...answer }));
    await this.execute({ mode: 'resume' });
    return this.look();
  }

  async execute({ params = [], signal, network, ...request }: RunTestOptions): Promise<RunEnd> {
    return await runWorkflow(
      {
        mode: 'start',
        runId: 'r1',
        path: this.path('flow.yaml'),
        home: this.home,
        trigger: 'manual',
        params: params.map(parseParam),
        ...request,
      },
      {
        session: noDesktop,
        network: network ?? new Network({}, () => {}),
        signal: signal ?? new AbortController().signal,
        changed: (runId) => this.changed.push(runId),
      },
    );
  }

  /** What another process sees and does in the store. */
  store<T>(work: (store: Store) => T): T {
    const store = new Store(this.home);
    try {
      return work(store);
    } finally {
      store.close();
    }
  }

  look(runId = 'r1'): RunDetail {
    const detail = this.store((store) => store.getRun(runId));
    if (detail === undefined) throw new Error(`there is no run ${runId}`);
    return detail;
  }

  /** The run under a step, and one of its items. */
  child(step: string, item = '', runId = 'r1'): RunSummary {
    const child = this.store((store) => store.findChild(runId, step, item));
    if (child === undefined) throw new Error(`there is no run under ${step}`);
    return child;
  }

  printed(step: string, detail = this.look()): string {
    return readFileSync(detail.steps.find((one) => one.step === step)?.stdoutFile as string, 'utf8');
  }

  log(detail = this.look()): string {
    return readFileSync(join(detail.run.logDir, 'run.log'), 'utf8');
  }
}

/** The status of each step. */
export function statuses({ steps }: RunDetail): Record<string, string> {
  return Object.fromEntries(steps.map(({ step, status }) => [step, status]));
}

export function stepOf({ steps }: RunDetail, name: string): RunDetail['steps'][number] {
  const found = steps.find(({ step }) => step === name);
  if (found === undefined) throw new Error(`the run has no step ${name}`);
  return found;
}
