import { expandVariables, resolve } from '../../core/workflow/references.ts';
import { whyNotMet } from './preconditions.ts';
import type { RunContext } from './run-context.ts';
import { scratchFolder, workingDir } from './step.ts';

/**
 * Looks whether a run's own preconditions are met, as {@link whyNotMet} does. Their commands run
 * as those of a step that says nothing of its own; what they print is not kept.
 */
export async function whyRunNotMet(run: RunContext, signal: AbortSignal): Promise<string | undefined> {
  const { workflow, values, guardian, folders } = run;
  if (workflow.preconditions.length === 0) return undefined;
  const { env } = values;
  const scope = values.scope();
  const expand = (text: string) => expandVariables(resolve(text, scope), env);
  return await whyNotMet(workflow.preconditions, {
    parts: { step: {}, workflow, scope, expand, params: values.positional() },
    command: {
      cwd: workingDir(run, {}, expand),
      env,
      signal,
      guardian,
      mark: guardian.newMark(),
      scratch: scratchFolder(folders),
      stdout: () => {},
      stderr: () => {},
    },
  });
}
