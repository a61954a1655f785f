import type { TSchema } from 'typebox';
import { ChatInput, chatOutputNames, checkChatStep } from './chat.ts';
import { checkComputerStep, computerOutputNames } from './computer.ts';
import { ComputerExtractInput, ComputerRunInput } from './computer-schema.ts';
import { checkDagRunStep, DagRunInput } from './dag-run.ts';
import type { Problem, Step, Workflow } from './types.ts';

/** What loading a file needs to know of an action. How it runs is in executor/actions.ts. */
interface ActionRules {
  /** The shape of `with`, for the schema that editors read. */
  input: TSchema;
  check(step: Step, workflow: Workflow): Problem[];
  /** Names of the outputs that the step will publish by itself. */
  outputNames(step: Step): string[];
  /** The step operates the desktop: screenshots need the run's artifacts. */
  usesDesktop: boolean;
}

const computerRules = {
  check: checkComputerStep,
  outputNames: (step: Step) => computerOutputNames(step.with),
  usesDesktop: true,
};

export const actionRules: Readonly<Record<string, ActionRules>> = {
  'chat.completion': { input: ChatInput, check: checkChatStep, outputNames: chatOutputNames, usesDesktop: false },
  'computer.run': { input: ComputerRunInput, ...computerRules },
  'computer.extract': { input: ComputerExtractInput, ...computerRules },
  // What the other workflow publishes is added where that is of the same file (load.ts).
  'dag.run': { input: DagRunInput, check: checkDagRunStep, outputNames: () => [], usesDesktop: false },
};
