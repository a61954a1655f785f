import type { Command } from 'commander';
import { readWorkflowFile } from '../core/process/workflow-file.ts';
import type { Loaded } from '../core/workflow/load.ts';
import type { LocatedProblem } from '../core/workflow/stream.ts';
import { printError, problemLine } from './output.ts';

export function addValidate(program: Command): void {
  program
    .command('validate')
    .description('check a workflow file without running it')
    .argument('<file>', 'the workflow file')
    .option('--show-unresolved', 'also tell references that have a value only when the workflow runs')
    .addHelpText('after', '\nExample:\n  dagu validate invoices.yaml')
    .action(async (file: string, { showUnresolved }: { showUnresolved?: boolean }) => {
      const loaded = await readWorkflowFile(file, { strictStream: true });
      printWarnings(loaded.warnings);
      if (showUnresolved) printWarnings(loaded.unresolved);
      if (loaded.workflow === undefined) {
        printProblems(file, loaded);
        process.exitCode = 1;
      }
    });
}

/** `Validation failed for FILE`, then a line a problem. */
export function printProblems(file: string, { problems }: Loaded): void {
  const list = problems.map((problem) => `- ${problemLine(problem).replaceAll('\n', '\n  ')}\n`).join('');
  printError(`Validation failed for ${file}\n${list}`);
}

function printWarnings(warnings: readonly LocatedProblem[]): void {
  if (warnings.length > 0) printError(warnings.map((warning) => `warning: ${problemLine(warning)}\n`).join(''));
}

/** The first warning, and how many more `validate` tells. */
export function printFirstWarning(file: string, { warnings: [first, ...more] }: Loaded): void {
  if (first === undefined) return;
  const rest = more.length === 0 ? '' : ` (and ${more.length} more: dagu validate ${file})`;
  printError(`warning: ${problemLine(first)}${rest}\n`);
}
