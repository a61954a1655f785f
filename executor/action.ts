import type { TimelineEvent } from '../core/contract/run.ts';
import type { JsonObject, Step, Workflow } from '../core/workflow/types.ts';
import type { Desktop } from '../native/desktop.ts';

/** A step failed for a reason that its reader can act on; the message is shown as it is, masked. */
export class StepError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'StepError';
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

/** All that an action gets for one attempt at a step. */
export interface StepContext {
  workflow: Workflow;
  step: Step;
  /** `with` with its references resolved at the start of the step. */
  with: JsonObject;
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
  /** Adds an event to the run's timeline: stored before this resolves. */
  event(event: NewEvent): Promise<void>;
  session: DesktopSession;
}

/** What a step that succeeded publishes as `${steps.<id>.outputs.<name>}`. */
export interface StepResult {
  outputs: Record<string, unknown>;
}

/** An action: one folder in executor/ and one line in the table of executor/actions.ts. */
export interface Action {
  /** Runs one attempt. Throws a {@link StepError} when the step fails; throws `signal.reason` when stopped. */
  run(context: StepContext): Promise<StepResult>;
}
