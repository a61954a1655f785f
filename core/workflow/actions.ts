import { chatOutputNames, checkChatStep } from './chat.ts';
import { checkComputerStep, computerOutputNames } from './computer.ts';
import type { Problem, Step, Workflow } from './types.ts';

/** What loading a file needs to know of an action. How it runs is in executor/actions.ts. */
interface ActionRules {
  check(step: Step, workflow: Workflow): Problem[];
  /** Names of the outputs that the step will publish. */
  outputNames(step: Step): string[];
  /** The step operates the desktop: screenshots need the run's artifacts. */
  usesDesktop: boolean;
}

const computerRules: ActionRules = {
  check: checkComputerStep,
  outputNames: (step) => computerOutputNames(step.with),
  usesDesktop: true,
};

export const actionRules: Readonly<Record<string, ActionRules>> = {
  'chat.completion': { check: checkChatStep, outputNames: chatOutputNames, usesDesktop: false },
  'computer.run': computerRules,
  'computer.extract': computerRules,
};
