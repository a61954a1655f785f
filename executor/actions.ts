import type { Action } from './action.ts';

/** The actions by name; each loads its own libraries, and only when a step uses it. */
export const actions: Readonly<Record<string, () => Promise<Action>>> = {
  'chat.completion': async () => (await import('./chat/action.ts')).chatCompletion,
  'computer.run': async () => (await import('./computer/action.ts')).computerRun,
  'computer.extract': async () => (await import('./computer/action.ts')).computerRun,
  'dag.run': async () => (await import('./engine/dag-run.ts')).dagRun,
  foreach: async () => (await import('./engine/foreach.ts')).foreach,
};
