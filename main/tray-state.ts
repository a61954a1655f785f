import type { RunDetail, RunSummary } from '../core/contract/run.ts';
import type { Words } from '../core/contract/words/en.ts';
import type { Formats } from '../core/contract/words/formats.ts';
import { stateSentence } from '../core/contract/words/sentence.ts';

/** What the tray icon shows. */
export type TrayIcon = 'idle' | 'working' | 'problem';

export interface TrayState {
  icon: TrayIcon;
  /** The state in one sentence: hover text, and the menu's first line. */
  sentence: string;
  /** What can be stopped, as the menu lists it. */
  stoppable: { runId: string; label: string }[];
}

export interface TrayInput {
  /** The runs at work, oldest first. */
  active: readonly RunDetail[];
  /** Runs that wait for a person. */
  waiting: readonly RunSummary[];
  /** The run that ended last, unless a person has seen the app since. */
  unseen?: RunDetail | undefined;
}

/** What the tray shows: what needs a person first, then work, then a failure that nobody has seen yet. */
export function trayState({ active, waiting, unseen }: TrayInput, words: Words, formats: Formats): TrayState {
  const stoppable = active.map(({ run }) => ({ runId: run.runId, label: words.tray.stop(run.name) }));
  const named = (detail: RunDetail) => words.tray.named(detail.run.name, stateSentence(detail, words, formats));
  const [first] = active;
  const [question] = waiting;
  if (question !== undefined) {
    const { tray, sentence } = words;
    const text =
      waiting.length === 1 ? tray.named(question.name, sentence.waitingAnswer) : tray.needMany(waiting.length);
    return { icon: first === undefined ? 'problem' : 'working', sentence: text, stoppable };
  }
  if (first !== undefined) {
    return {
      icon: 'working',
      sentence: active.length === 1 ? named(first) : words.tray.workingMany(active.length),
      stoppable,
    };
  }
  if (unseen !== undefined && isFailure(unseen.run)) return { icon: 'problem', sentence: named(unseen), stoppable };
  return { icon: 'idle', sentence: words.tray.idle, stoppable };
}

function isFailure({ status }: RunSummary): boolean {
  return status === 'failed' || status === 'partially_succeeded' || status === 'rejected';
}
