import type { RunStatus, TimelineEvent } from '../core/contract/run.ts';
import type { FetchFor } from '../core/net/network.ts';
import type { GivenParam } from '../core/workflow/params.ts';
import type { Scope } from '../core/workflow/references.ts';
import type { JsonObject, Step, Workflow } from '../core/workflow/types.ts';
import type { Desktop } from '../native/desktop.ts';

/** A step failed for a reason that its reader can act on; the message is shown as it is, masked. */
export class StepError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'StepError';
  }
}

/**
 * Thrown by an action whose step cannot end before a person answers. The step then waits,
 * and runs again when the run goes on.
 */
export class StepWaits extends Error {
  constructor() {
    super('the step waits for a person');
    this.name = 'StepWaits';
  }
}

/** An event as an action makes it; the run adds step, sequence, id and time, and masks the text. */
export type NewEvent = Omit<TimelineEvent, 'sequence' | 'id' | 'step' | 'timestamp'>;

/** What the steps of one run share about the desktop. */
export interface DesktopSession {
  /**
   * The driver of the run, started at the first call. After the driver died the call
   * starts another, which lets up what the dead one held down.
   */
  desktop(): Promise<Desktop>;
  /** Image name of the application that the run's last computer step worked in. */
  workingApp: string | undefined;
}

/** A run under a step, as the step asks for it. */
export interface ChildRequest {
  workflow: Workflow;
  /** Text of the file that the workflow is from; that of the step's own where it is absent. */
  source?: string;
  /** Values for the workflow's parameters; a body has those of the workflow around it. */
  params: readonly GivenParam[];
  /** Names the run among those of the step: an item's key, a tool call's number; empty for the only one. */
  item: string;
  /**
   * Set for the body of a `foreach`: what `${foreach.…}` stands for. Its steps also see what the
   * step itself does: variables, parameters, and outputs of the steps before it.
   */
  foreach?: Readonly<Record<string, unknown>>;
  /**
   * Makes the run's outputs when it succeeded, where they are not those of its steps. A
   * {@link StepError} fails the run.
   *
   * @param scope what references mean after the run's last step
   */
  collect?(scope: Scope): Record<string, unknown>;
}

/** How a run under a step ended, or that it waits. */
export interface ChildEnd {
  runId: string;
  status: RunStatus;
  /** Empty where it did not succeed. */
  outputs: Record<string, unknown>;
  error?: string;
}

/** A person sent the step's result, or that of a later step, back to be done again. */
export interface PushBack {
  /** How often, from 1. */
  iteration: number;
  /** What the person gave, by name; those that the step's own approval asks for, where it has one. */
  inputs: Readonly<Record<string, string>>;
  /** RFC 3339, UTC. */
  at?: string;
}

/** Conversations of chat steps, kept with the run. */
export interface Conversations {
  /** The conversation of this step, or another one of the workflow by its key, as it was kept last. */
  of(step: string): unknown[] | undefined;
  /** Keeps this step's, secrets masked: on the disk with what is stored next, the step's end at the latest. */
  save(messages: readonly unknown[]): void;
}

/** What models take, counted for the run with all runs under it and for the day. */
export interface TokenCount {
  /**
   * A request to a model begins: it counts as what it is expected to take, until the function that
   * is returned tells what it took. Throws a {@link StepError} where it would pass a budget.
   *
   * @param model `<provider>/<model>`
   */
  begin(model: string, expected: number): (used: number) => void;
}

/** All that an action gets for one attempt at a step. */
export interface StepContext {
  workflow: Workflow;
  step: Step;
  /** `with` with its references resolved at the start of the step. */
  with: JsonObject;
  /** What references mean to the step, for what of it is resolved as it runs. */
  scope: Scope;
  /** Environment of the step: params, env, outputs and secrets. */
  env: Record<string, string>;
  workingDir: string;
  /** Folder for the run's artifacts; absent when `artifacts.enabled` is false. Made when first needed. */
  artifactsDir: string | undefined;
  /** Aborts when the run is stopped or the step's time is up; its `reason` is an Error that says which. */
  signal: AbortSignal;
  /** Aborts when the whole run is stopped, and not when the step's time is up. */
  runSignal: AbortSignal;
  /** Declared secrets with their values, in the order of their names. */
  secrets: readonly { name: string; value: string }[];
  /** Replaces every secret value by `*******`. */
  mask(text: string): string;
  /** Adds values to mask from now on (answers of `ask`). */
  addSecretValue(value: string): void;
  /** Writes to the step's output, masked. */
  stdout(text: string): void;
  /** Writes one line to the step's log (stderr), masked. */
  log(line: string): void;
  /** Adds an event to the run's timeline: stored before this resolves, or `soon`, with what is stored next. */
  event(event: NewEvent, when?: { soon: boolean }): Promise<void>;
  /** The way to the network for every request of the step: honours the system's proxy and certificates, and is recorded. */
  fetchFor: FetchFor;
  tokens: TokenCount;
  session: DesktopSession;
  /**
   * Runs a workflow as a run under this one, or takes up the one that there is for the item:
   * one that succeeded is not run again, one that failed goes on with what had not succeeded.
   */
  runChild(request: ChildRequest): Promise<ChildEnd>;
  /**
   * The workflow of a name: a document of the step's own file, else a file beside it, else one
   * of the folder of workflows. Rejects with a {@link StepError} when there is none.
   */
  findWorkflow(name: string): Promise<{ workflow: Workflow; source: string }>;
  conversations: Conversations;
  /** Set where the step runs again since a person sent a result back. */
  pushBack?: PushBack;
}

/** What a step that succeeded publishes as `${steps.<id>.outputs.<name>}`. */
export interface StepResult {
  outputs: Record<string, unknown>;
  /** The step succeeded in part. */
  isPartial?: true;
}

/** An action: one folder in executor/ and one line in the table of executor/actions.ts. */
export interface Action {
  /**
   * Runs one attempt. Throws a {@link StepError} when the step fails, {@link StepWaits} when it
   * waits for a person, and `signal.reason` when stopped.
   */
  run(context: StepContext): Promise<StepResult>;
}
