import { InvalidValue } from '../../core/contract/check.ts';
import { checkDagRunInput, type DagRunInput } from '../../core/workflow/dag-run.ts';
import { givenParams } from '../../core/workflow/params.ts';
import type { Json } from '../../core/workflow/types.ts';
import { type Action, type ChildEnd, type StepContext, StepError, StepWaits } from '../action.ts';
import { toSortedJson } from '../json.ts';

/**
 * The `dag.run` action: another workflow as a run under the step. Its outputs become the step's;
 * the step's own output is one line of JSON about the run.
 */
export const dagRun: Action = {
  run: async (context) => {
    const { dag, params } = readInput(context);
    const { workflow, source } = await context.findWorkflow(dag);
    const end = await context.runChild({
      workflow,
      source,
      // Resolved already: what they hold is data, whatever it looks like.
      params: givenParams(params as Json | undefined),
      item: '',
    });
    context.signal.throwIfAborted();
    if (end.status === 'waiting') throw new StepWaits();
    const { runId, status, outputs } = end;
    context.stdout(`${toSortedJson({ name: workflow.name, runId, status, outputs })}\n`);
    if (status !== 'succeeded' && status !== 'partially_succeeded') throw new StepError(whyFailed(workflow.name, end));
    return { outputs, ...(status === 'partially_succeeded' && { isPartial: true as const }) };
  },
};

function readInput(context: StepContext): DagRunInput {
  try {
    return checkDagRunInput(context.with);
  } catch (error) {
    if (error instanceof InvalidValue) throw new StepError(error.message, { cause: error });
    throw error;
  }
}

function whyFailed(name: string, { status, error, runId }: ChildEnd): string {
  const what = status === 'failed' ? 'failed' : `was ${status}`;
  return `workflow "${name}" ${what}${error === undefined ? '' : `: ${error}`} (run ${runId})`;
}
