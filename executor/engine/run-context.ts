import { join } from 'node:path';
import type { RunRequest } from '../../core/contract/messages.ts';
import type { RunStatus, TimelineEvent } from '../../core/contract/run.ts';
import type { Masker } from '../../core/masking/masker.ts';
import { openSealed } from '../../core/masking/sealed.ts';
import type { FetchFor, Network } from '../../core/net/network.ts';
import type { StepChange, Store } from '../../core/store/store.ts';
import type { Step, Workflow } from '../../core/workflow/types.ts';
import type { ChildEnd, ChildRequest, Conversations, DesktopSession, NewEvent, StepContext } from '../action.ts';
import { EgressRecord } from './egress-record.ts';
import type { SourcedWorkflow } from './find-workflow.ts';
import { Guardian } from './guardian.ts';
import { PushBacks } from './push-back.ts';
import { RunLog } from './run-log.ts';
import type { Secret } from './secrets.ts';
import type { StopWatch } from './stop-watch.ts';
import type { RunValues, StepValues } from './values.ts';

/** The folders of one run. */
export interface RunFolders {
  logs: string;
  artifacts: string;
  /** Where steps work when neither they nor the workflow name a folder. */
  work: string;
}

/** Runs workflows as runs under a step of another run. */
export interface RunsUnder {
  run(above: RunContext, step: Step, request: ChildRequest, place: StepPlace): Promise<ChildEnd>;
  /** The workflow that a step names: that of the run under the step, where there is one already. */
  find(above: RunContext, step: Step, name: string): Promise<SourcedWorkflow>;
  /** Ends those under a run that wait for a person, in order, but for those of some steps. */
  stopWaiting(above: RunContext, reason: string, except: readonly string[]): Promise<void>;
}

/** Where a step runs others under it. */
export interface StepPlace extends Pick<StepContext, 'env' | 'workingDir' | 'signal'> {
  /** The step goes on after it waited: runs under it that have ended stay as they are. */
  goesOn: boolean;
}

/** What a run is made of. */
export interface RunParts {
  request: Pick<RunRequest, 'runId' | 'defaultWorkingDir'>;
  workflow: Workflow;
  values: RunValues;
  folders: RunFolders;
  session: DesktopSession;
  network: Network;
  store: Store;
  masker: Masker;
  /** Called after each change that is stored. */
  changed: () => void;
  /** Text of the workflow's file. */
  source?: string;
  /** How many runs are above it. */
  depth?: number;
  /** Ends what commands leave behind; one of this run alone where it is absent. */
  guardian?: Guardian;
  /** Where the numbers of the timeline's events go on, by step. */
  sequences?: ReadonlyMap<string, number>;
  pushBacks?: PushBacks;
  stops?: Pick<StopWatch, 'look'>;
  runsUnder?: RunsUnder;
  /** What the run above masks. */
  secretsAbove?: readonly Secret[];
  /** Told of the secrets of runs under this one, which the runs above mask too. */
  adopt?: (secrets: readonly Secret[]) => void;
}

/** What the parts of the engine share about one run that this process executes. */
export class RunContext {
  readonly request: RunParts['request'];
  readonly workflow: Workflow;
  readonly values: RunValues;
  readonly folders: RunFolders;
  readonly session: DesktopSession;
  readonly masker: Masker;
  readonly guardian: Guardian;
  readonly fetchFor: FetchFor;
  readonly pushBacks: PushBacks;
  readonly log: RunLog;
  /** What handlers are told of the run. */
  status: RunStatus = 'running';
  /** Names of the steps that wait, for the handler `wait`. */
  waitingSteps: readonly string[] = [];
  /** Steps that began before the run came to wait, and now go on. */
  readonly goingOn = new Set<string>();
  readonly store: Store;
  readonly source: string;
  readonly depth: number;
  readonly stops: Pick<StopWatch, 'look'> | undefined;
  readonly changed: () => void;
  readonly #runsUnder: RunsUnder | undefined;
  readonly #adopt: ((secrets: readonly Secret[]) => void) | undefined;
  /** Secrets of the run above, and of those under this one, by their names here. */
  readonly #others: Map<string, Secret>;
  readonly #egress: EgressRecord;
  readonly #sequences: Map<string, number>;
  #unwritten: { step: string; change: StepChange }[] = [];
  /** What else is to be written with it. */
  #later: (() => void)[] = [];

  constructor(parts: RunParts) {
    this.request = parts.request;
    this.workflow = parts.workflow;
    this.values = parts.values;
    this.folders = parts.folders;
    this.session = parts.session;
    this.masker = parts.masker;
    this.guardian = parts.guardian ?? new Guardian();
    this.pushBacks = parts.pushBacks ?? new PushBacks();
    this.log = new RunLog(runLogPath(parts.folders), (text) => this.masker.text(text));
    this.store = parts.store;
    this.source = parts.source ?? '';
    this.depth = parts.depth ?? 0;
    this.stops = parts.stops;
    this.changed = parts.changed;
    this.#runsUnder = parts.runsUnder;
    this.#adopt = parts.adopt;
    this.#sequences = new Map(parts.sequences);
    this.#others = new Map(parts.secretsAbove?.map((secret) => [secret.name, secret]));
    this.#egress = new EgressRecord((added) => {
      const add = () => this.store.addEgress(this.runId, added);
      // That a request leaves is on the disk before it does; how much came back is not waited for.
      if (added.some(({ requests }) => requests > 0)) this.#write(add);
      else this.later(add);
    });
    this.fetchFor = (purpose) => parts.network.fetch(purpose, this.#egress.log);
  }

  get runId(): string {
    return this.request.runId;
  }

  /**
   * Keeps a step's new state, masked, for the next `flush`, which comes at the end of this
   * turn of the event loop at the latest: one step's end and the next one's start are one
   * transaction.
   */
  changeStep(step: string, change: StepChange): void {
    this.#flushSoon();
    const { outputs, ...rest } = change;
    const kept = {
      ...this.masker.json(rest),
      ...(outputs !== undefined && { outputs: this.masker.seal(outputs) }),
    };
    this.#unwritten.push({ step, change: kept });
    if (change.finishedAt !== undefined) {
      this.log.line(`step "${step}" ${change.status}${change.error === undefined ? '' : `: ${change.error}`}`);
    }
  }

  /** Does a write with the next `flush`, in one transaction with what else there is. */
  later(write: () => void): void {
    this.#flushSoon();
    this.#later.push(write);
  }

  /** Writes what is kept to the disk, and then tells the world. */
  flush(): void {
    if (this.#unwritten.length + this.#later.length > 0) this.#write(() => {});
  }

  #flushSoon(): void {
    if (this.#unwritten.length + this.#later.length === 0) setImmediate(() => this.flush());
  }

  /** Writes at once, with all that is kept. */
  #write(write: () => void): void {
    const [unwritten, later] = [this.#unwritten, this.#later];
    const writes = [
      ...later,
      ...(unwritten.length > 0 ? [() => this.store.changeSteps(this.runId, unwritten)] : []),
      write,
    ];
    const writeAll = () => {
      for (const one of writes) one();
    };
    if (later.length === 0) writeAll();
    else this.store.together(writeAll);
    // What failed stays, and is tried with the next.
    this.#unwritten = this.#unwritten.slice(unwritten.length);
    this.#later = this.#later.slice(later.length);
    this.changed();
  }

  /** Writes all that is kept of the run before its end. */
  close(): void {
    this.#egress.flush();
    this.flush();
  }

  /**
   * Adds an event to the timeline, masked and cut to its size.
   *
   * @param soon with the next flush; at once where nothing is said
   */
  addEvent(step: string, event: NewEvent, { soon } = { soon: false }): void {
    const sequence = (this.#sequences.get(step) ?? 0) + 1;
    this.#sequences.set(step, sequence);
    const complete: TimelineEvent = {
      ...this.masker.json(event),
      content: cutToBytes(this.masker.text(event.content), maxContentBytes),
      sequence,
      id: `computer-1-${sequence}`,
      step,
      timestamp: new Date().toISOString(),
    };
    const add = () => this.store.addEvent(this.runId, complete);
    if (soon) this.later(add);
    else this.#write(add);
  }

  /** What a step gets besides what all do: a handler how the run stands, another what a person sent back. */
  stepValues(step: Step): StepValues {
    if (step.path[0] !== 'handler_on') return this.pushBacks.valuesFor(step);
    const waiting = this.status === 'waiting' && { DAG_WAITING_STEPS: this.waitingSteps.join(',') };
    return { env: { DAG_RUN_STATUS: this.status, ...waiting }, context: { 'run.status': this.status } };
  }

  async runChild(step: Step, request: ChildRequest, place: StepPlace): Promise<ChildEnd> {
    this.flush();
    return await this.#under().run(this, step, request, place);
  }

  async findWorkflow(step: Step, name: string): Promise<SourcedWorkflow> {
    return await this.#under().find(this, step, name);
  }

  #under(): RunsUnder {
    if (this.#runsUnder === undefined) throw new Error('this run was made without a way to run others under it');
    return this.#runsUnder;
  }

  /** Ends runs under this one that wait for a person, but for those of some steps. */
  async stopWaiting(reason: string, except: readonly string[] = []): Promise<void> {
    await this.#runsUnder?.stopWaiting(this, reason, except);
  }

  /** Masks the secrets of runs under this one from now on, here and in the runs above. */
  adoptSecrets(secrets: readonly Secret[]): void {
    const fresh = secrets.filter(({ name, value }) => this.#others.get(name)?.value !== value);
    for (const secret of fresh) {
      this.masker.add(secret.value, secret.name);
      this.#others.set(secret.name, secret);
    }
    if (fresh.length > 0) this.#adopt?.(fresh);
  }

  /** A value as the store has it, with the secrets that are known now in place. */
  unseal<T>(sealed: T): T {
    return openSealed(sealed, [...this.#others.values(), ...this.values.secrets]);
  }

  conversationsFor(step: Step): Conversations {
    return {
      of: (key) => {
        this.flush();
        return this.store.session(this.runId, key);
      },
      save: (messages) => {
        const masked = this.masker.json(messages);
        this.later(() => this.store.saveSession(this.runId, step.key, masked));
      },
    };
  }
}

/** The run's own log: `DAG_RUN_LOG_FILE`. */
export function runLogPath({ logs }: RunFolders): string {
  return join(logs, 'run.log');
}

const maxContentBytes = 4096;

/** The beginning of a text that fits the bytes, cut between characters. */
function cutToBytes(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= maxBytes) return text;
  let end = maxBytes;
  while (((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return bytes.subarray(0, end).toString('utf8');
}
