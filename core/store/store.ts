import { join } from 'node:path';
import type { EgressEntry, RunDetail, RunStatus, RunSummary, TimelineEvent } from '../contract/run.ts';
import { Connection } from './connection.ts';
import { markDeadRuns } from './dead-runs.ts';
import * as decisions from './decisions.ts';
import { checkFreeSpace } from './free-space.ts';
import { type DataPaths, openDataPaths } from './paths.ts';
import * as reading from './reading.ts';
import * as records from './records.ts';
import * as retention from './retention.ts';
import { listRuns } from './run-list.ts';
import * as runs from './runs.ts';
import type { Attempt, NewRun, NewStep, RunQuery, RunState, StepChange } from './shapes.ts';
import { changeStep, resetStep } from './steps.ts';
import { countTokens, type PassedBudget, type TokenBudgets, type TokenEntry } from './tokens.ts';
import * as workflows from './workflow-records.ts';

export { type NewRun, type NewStep, RunExists, type StepChange } from './shapes.ts';

/**
 * The runs of one data directory. Each change is one transaction, on the disk before the
 * call returns. A run is written by its own process alone, which holds the lock of the run at
 * the top of its family; when that lock is free and the run is not at its end, the process died,
 * and whoever looks next writes so. What the disk or the file itself refuses is a StoreFailure.
 */
export class Store {
  readonly paths: DataPaths;
  readonly #db: Connection;

  constructor(home: string, options: { forReading: boolean } = { forReading: false }) {
    this.paths = openDataPaths(home);
    this.#db = new Connection(this.paths.database, options);
  }

  close(): void {
    this.#db.close();
  }

  /** The file whose OS lock the process of a run holds; of a run under others, its root's. */
  runLockPath(rootId: string): string {
    return join(this.paths.locks, `run-${rootId}.lock`);
  }

  /** A number that rises whenever another connection changed the database. */
  dataVersion(): number {
    return this.#db.get('PRAGMA data_version')?.data_version as number;
  }

  /** Throws, with code `disk_full`, where there is no space for another run. */
  checkFreeSpace(): void {
    checkFreeSpace(this.paths.home);
  }

  // Runs, written by their own process.

  /** Writes a run with its steps. Throws `RunExists` where its id is taken. */
  createRun(run: NewRun, steps: readonly NewStep[]): void {
    runs.createRun(this.#db, run, steps);
  }

  /** Makes of a queued run one that is about to start, with what its process found out. Code `nothing_to_do`. */
  takeQueued(run: NewRun, steps: readonly NewStep[]): void {
    runs.takeQueued(this.#db, run, steps);
  }

  /** The moment is that of the attempt's first start; a later one leaves it. */
  startRun(runId: string, at: string): void {
    runs.startRun(this.#db, runId, at);
  }

  /** Nothing more can happen in the run until a person answers; its process then ends and lets the lock go. */
  waitRun(runId: string): void {
    runs.waitRun(this.#db, runId);
  }

  /** Writes a run's end; a request to stop it is done with. */
  finishRun(runId: string, status: RunStatus, at: string, error?: string): void {
    runs.finishRun(this.#db, runId, status, at, error);
  }

  /** Begins the next attempt at an ended run, which keeps the named steps; gives its number. Code `not_ended`. */
  newAttempt(runId: string, attempt: { trigger: string; at: string; keep: readonly string[] }): number {
    return runs.newAttempt(this.#db, runId, attempt);
  }

  /** Takes up a run that waits or is queued; one process alone gets the open answers. Code `nothing_to_do`. */
  /** Gives a run under another, which begins anew, other parameters, sealed. */
  setParams(runId: string, params: Record<string, string>): void {
    runs.setParams(this.#db, runId, params);
  }

  resumeRun(runId: string, at: string): decisions.Answer[] {
    return decisions.resumeRun(this.#db, runId, at);
  }

  /** What the work writes is on the disk together, or not at all. */
  together(work: () => void): void {
    this.#db.transaction(work);
  }

  /** Writes changes of steps in the run's newest attempt, all or none. */
  changeSteps(runId: string, changes: readonly { step: string; change: StepChange }[]): void {
    this.#db.transaction(() => {
      for (const { step, change } of changes) changeStep(this.#db, runId, step, change);
    });
  }

  /** Takes steps back to where they have not begun, for a push-back, all or none. */
  resetSteps(runId: string, steps: readonly string[]): void {
    this.#db.transaction(() => {
      for (const step of steps) resetStep(this.#db, runId, step);
    });
  }

  /** Adds an event to the timeline of the newest attempt. */
  addEvent(runId: string, event: TimelineEvent): void {
    records.addEvent(this.#db, runId, event);
  }

  /** Counts tokens of models for a run and the day, unless they would pass a budget, which is then told. */
  countTokens(runId: string, entry: TokenEntry, budgets?: TokenBudgets): PassedBudget | undefined {
    return countTokens(this.#db, runId, entry, budgets);
  }

  /** Adds to the sums of what the run exchanged over the network. */
  addEgress(runId: string, entries: readonly EgressEntry[]): void {
    records.addEgress(this.#db, runId, entries);
  }

  /** Keeps the conversation of a chat step, its secrets masked by the caller. */
  saveSession(runId: string, step: string, messages: readonly unknown[]): void {
    records.saveSession(this.#db, runId, step, messages);
  }

  /** The conversation of a chat step as it was kept last. */
  session(runId: string, step: string): unknown[] | undefined {
    return records.session(this.#db, runId, step);
  }

  /** Keeps a question, or what became of it. */
  saveAsk(runId: string, ask: decisions.Ask): void {
    decisions.saveAsk(this.#db, runId, ask);
  }

  // Runs, read by anybody.

  /** Runs, newest first. Code `not_found` where the run is gone that the page begins after. */
  listRuns(query: RunQuery): RunSummary[] {
    this.markDeadRuns();
    return listRuns(this.#db, query);
  }

  /** A run as its newest attempt, or the given one, left it; `undefined` when there is none. */
  getRun(runId: string, { attempt }: { attempt?: number } = {}): RunDetail | undefined {
    this.markDeadRuns();
    return reading.getRun(this.#db, runId, attempt);
  }

  /** What a process needs to go on with a run, secrets sealed. */
  stateOf(runId: string): RunState | undefined {
    return reading.stateOf(this.#db, runId);
  }

  /** The attempts at a run, the first one first. */
  attempts(runId: string): Attempt[] {
    return reading.attempts(this.#db, runId);
  }

  /** The run under another that belongs to a step and an item of it. */
  findChild(parentId: string, step: string, item: string): RunSummary | undefined {
    return reading.findChild(this.#db, parentId, step, item);
  }

  /** Runs under another, in the order of their creation. */
  listChildren(parentId: string): RunSummary[] {
    return reading.listChildren(this.#db, parentId);
  }

  /** Questions of a run that nobody answered yet. */
  openAsks(runId: string): decisions.Ask[] {
    return decisions.openAsks(this.#db, runId);
  }

  /** Writes the end of every run whose process is gone. */
  markDeadRuns(): void {
    markDeadRuns(this.#db, (rootId) => this.runLockPath(rootId));
  }

  // What people ask of runs.

  /** Keeps an answer for the run's process to take up. Code `not_waiting`. */
  addAnswer(runId: string, answer: decisions.Answer): void {
    decisions.addAnswer(this.#db, runId, answer);
  }

  /** Answers that no process took up yet. */
  sealAnswers(runId: string, seal: (answer: decisions.Answer) => decisions.Answer): void {
    decisions.sealAnswers(this.#db, runId, seal);
  }

  openAnswers(runId: string): decisions.Answer[] {
    return decisions.openAnswers(this.#db, runId);
  }

  /** Whether a run that waits has something to go on with: an answer to it or a run under it, or a stop. */
  /** Whether a waiting run, or a waiting one under it, has an answer or is asked to stop: it goes on as a whole. */
  isAnswered(runId: string): boolean {
    if (this.hasOwnAnswer(runId)) return true;
    return this.listChildren(runId).some((child) => child.status === 'waiting' && this.isAnswered(child.runId));
  }

  /** Whether a run itself has an answer that no process took up, or is asked to stop. */
  hasOwnAnswer(runId: string): boolean {
    return this.openAnswers(runId).length > 0 || this.stopRequest(runId) !== undefined;
  }

  isAsked(runId: string): boolean {
    return decisions.isAsked(this.#db, runId);
  }

  /** Asks a run to end; false where it is at its end already. */
  requestStop(runId: string, reason: string): boolean {
    return decisions.requestStop(this.#db, runId, reason);
  }

  /** Why a run is asked to end; `undefined` when nobody asked. */
  stopRequest(runId: string): string | undefined {
    return decisions.stopRequest(this.#db, runId);
  }

  /** Deletes ended runs of a workflow with their folders; gives their ids, newest first. */
  removeRuns(removal: retention.Removal): string[] {
    this.markDeadRuns();
    return retention.removeRuns(this.#db, this.paths, removal);
  }

  /** Deletes the oldest ended runs beyond the limits; gives their ids. */
  prune(limits: retention.Retention): string[] {
    this.markDeadRuns();
    return retention.prune(this.#db, this.paths, limits);
  }

  // Workflow files of the watched folder.

  isTrusted(path: string, hash: string): boolean {
    return workflows.isTrusted(this.#db, path, hash);
  }

  hasTrusted(path: string): boolean {
    return workflows.hasTrusted(this.#db, path);
  }

  trust(path: string, hash: string, by: string): void {
    workflows.trust(this.#db, path, hash, by);
  }

  scheduleMark(path: string): string | undefined {
    return workflows.scheduleMark(this.#db, path);
  }

  setScheduleMark(path: string, until: string): void {
    workflows.setScheduleMark(this.#db, path, until);
  }
}
