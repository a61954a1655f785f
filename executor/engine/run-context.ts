import type { RunRequest } from '../../core/contract/messages.ts';
import type { TimelineEvent } from '../../core/contract/run.ts';
import type { Masker } from '../../core/masking/masker.ts';
import type { StepChange, Store } from '../../core/store/store.ts';
import type { Workflow } from '../../core/workflow/types.ts';
import type { DesktopSession, NewEvent } from '../action.ts';
import { Guardian } from './guardian.ts';
import type { RunValues } from './values.ts';

/** The folders of one run. */
export interface RunFolders {
  logs: string;
  artifacts: string;
  /** Where steps work when neither they nor the workflow name a folder. */
  work: string;
}

/** What the parts of the engine share about the run that this process executes. */
export class RunContext {
  readonly request: RunRequest;
  readonly workflow: Workflow;
  readonly values: RunValues;
  readonly folders: RunFolders;
  readonly session: DesktopSession;
  readonly masker: Masker;
  readonly guardian = new Guardian();
  readonly #store: Store;
  readonly #changed: () => void;
  readonly #sequences = new Map<string, number>();
  #unwritten: { step: string; change: StepChange }[] = [];

  constructor(parts: {
    request: RunRequest;
    workflow: Workflow;
    values: RunValues;
    folders: RunFolders;
    session: DesktopSession;
    store: Store;
    masker: Masker;
    changed: () => void;
  }) {
    this.request = parts.request;
    this.workflow = parts.workflow;
    this.values = parts.values;
    this.folders = parts.folders;
    this.session = parts.session;
    this.masker = parts.masker;
    this.#store = parts.store;
    this.#changed = parts.changed;
  }

  /**
   * Keeps a step's new state, masked, for the next `flush`, which comes at the end of this
   * turn of the event loop at the latest: one step's end and the next one's start are one
   * transaction.
   */
  changeStep(step: string, change: StepChange): void {
    if (this.#unwritten.length === 0) setImmediate(() => this.flush());
    const { outputs, ...rest } = change;
    const masked = {
      ...this.masker.json(rest),
      ...(outputs !== undefined && { outputs: this.masker.values(outputs) }),
    };
    this.#unwritten.push({ step, change: masked });
  }

  /** Writes what is kept to the disk, and then tells the world. */
  flush(): void {
    if (this.#unwritten.length === 0) return;
    this.#store.changeSteps(this.request.runId, this.#unwritten);
    this.#unwritten = [];
    this.#changed();
  }

  /** Adds an event to the timeline, masked and cut to its size. */
  addEvent(step: string, event: NewEvent): void {
    this.flush();
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
    this.#store.addEvent(this.request.runId, complete);
    this.#changed();
  }
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
