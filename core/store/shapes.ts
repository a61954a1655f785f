import type { RunRequest } from '../contract/messages.ts';
import { CallError } from '../contract/protocol.ts';
import type { RunStatus, RunSummary, StepSummary } from '../contract/run.ts';

/** A run as it is made. Its params are sealed (core/masking/sealed.ts). */
export interface NewRun extends Omit<RunSummary, 'status' | 'attempt'> {
  /** The workflow file's text, which a retry or a resumption runs whatever became of the file. */
  source: string;
  /** Folder of steps where neither they nor the workflow name one. */
  workDir?: string;
  /** `not_started` where it is absent. */
  status?: 'not_started' | 'queued';
  /** Of a queued run: what its process is asked to do. */
  request?: RunRequest;
}

/** A step as it stands when its run is created. */
export type NewStep = Pick<StepSummary, 'step' | 'action'> & Partial<Pick<StepSummary, 'handler'>>;

/**
 * What changes when a step starts or ends; what is absent stays. A change to `running` takes
 * away what an earlier try left: its end, exit code and error. Outputs are sealed.
 */
export type StepChange = Partial<Omit<StepSummary, 'step' | 'action' | 'handler' | 'pushBacks'>> &
  Pick<StepSummary, 'status'>;

/** One attempt at a run. */
export interface Attempt {
  attempt: number;
  status: RunStatus;
  trigger: string;
  startedAt?: string;
  finishedAt?: string;
  error?: string;
}

/** All that a process needs to go on with a run. Outputs and params are sealed. */
export interface RunState {
  summary: RunSummary;
  /** Absent for a run of a version that did not keep it. */
  workflowText?: string;
  params: Record<string, string>;
  steps: StepSummary[];
  workDir?: string;
  request?: RunRequest;
  /** The last event's sequence of each step that has events in this attempt. */
  sequences: Map<string, number>;
}

/** Which runs a list holds; without `children`, runs of their own alone. */
export interface RunQuery {
  limit: number;
  /** A workflow's name or path. For a text that may be a relative path, `path` is what it is as a path. */
  workflow?: string;
  path?: string;
  statuses?: readonly RunStatus[];
  /** Made at this moment (RFC 3339, UTC) or later. */
  from?: string;
  /** Made before this moment. */
  to?: string;
  /** Id of the run after which the page begins: the last one of the page before. */
  before?: string;
  /** Also runs under others. */
  children?: boolean;
}

/** A run's id is taken: code `run_exists`. */
export class RunExists extends CallError {
  constructor(runId: string) {
    super('run_exists', `there is a run with the id ${runId} already`);
    this.name = 'RunExists';
  }
}

/** Code `not_found`. */
export function noSuchRun(runId: string): CallError {
  return new CallError('not_found', `there is no run with the id ${runId}`);
}
