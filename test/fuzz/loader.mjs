import { runnerImport } from 'vite';
import { root } from '../../build/freshness.mjs';

/**
 * A child of workflow-files.mjs: loads each text that it is sent, and answers with the CPU
 * time that took, or with what is wrong with the answer.
 */

/** @type {{ module: typeof import('../../core/workflow/load.ts') }} */
const { module: load } = await runnerImport('/core/workflow/load.ts', { configFile: false, root, logLevel: 'error' });
/** @type {{ module: typeof import('../../core/workflow/params.ts') }} */
const { module: params } = await runnerImport('/core/workflow/params.ts', {
  configFile: false,
  root,
  logLevel: 'error',
});

let isValid = false;

/**
 * @param {string} text
 * @returns {string | undefined} What is wrong.
 */
function tryText(text) {
  for (const strictStream of [true, false]) {
    const { workflow, problems, warnings } = load.loadWorkflow(text, '/flows/fuzz.yaml', { strictStream });
    if ((workflow === undefined) === (problems.length === 0)) return 'there is a workflow and a problem, or neither';
    for (const { message, line, column } of [...problems, ...warnings]) {
      if (typeof message !== 'string' || message === '') return 'a problem says nothing';
      if (line !== undefined && !(line >= 1 && column !== undefined && column >= 1))
        return `"${message}" has a place that is none`;
    }
    if (workflow === undefined) continue;
    isValid = true;
    const names = new Set(workflow.steps.map(({ key }) => key));
    if (names.size !== workflow.steps.length) return 'two steps have one key';
    if (!workflow.steps.every(({ depends }) => depends.every((key) => names.has(key))))
      return 'a dependency leads nowhere';
    try {
      params.resolveParams(workflow, params.parseParams('a b=c "d e"'));
    } catch (error) {
      if (!(error instanceof params.ParamError)) throw error;
    }
  }
  return undefined;
}

process.on('unhandledRejection', (reason) => process.send?.({ wrong: `unhandled rejection: ${String(reason)}` }));
process.on('message', (/** @type {string} */ text) => {
  isValid = false;
  const before = process.cpuUsage();
  /** @type {string | undefined} */
  let wrong;
  try {
    wrong = tryText(text);
  } catch (error) {
    wrong = `crash: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`;
  }
  const { user, system } = process.cpuUsage(before);
  process.send?.({ wrong, ms: (user + system) / 1000, isValid });
});
process.send?.({ ready: true });
