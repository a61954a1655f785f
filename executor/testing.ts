import type { StepContext } from './action.ts';

/** For tests of actions: a step of a run that has no other runs under it, and keeps nothing. */
export const aloneInRun: Pick<StepContext, 'scope' | 'tokens' | 'runChild' | 'findWorkflow' | 'conversations'> = {
  scope: () => undefined,
  tokens: { begin: () => () => {} },
  runChild: () => Promise.reject(new Error('no runs under this one')),
  findWorkflow: () => Promise.reject(new Error('no other workflows')),
  conversations: { of: () => undefined, save: () => {} },
};
