import type { Command } from 'commander';
import type { RunStatus } from '../core/contract/run.ts';
import { driveRun, ofStored } from './drive-run.ts';
import { findRunThatIs } from './find-run.ts';
import { openStore } from './open-store.ts';
import { checkFormat, UsageError } from './output.ts';

/** What a run may be tried again after. */
const ended: readonly RunStatus[] = ['failed', 'aborted', 'rejected', 'partially_succeeded', 'succeeded'];

export function addRetry(program: Command): void {
  program
    .command('retry')
    .description('run the steps of an ended run again that did not succeed')
    .argument('<workflow>', "the workflow's file or name")
    .option('-r, --run-id <id>', 'the run; else the newest that ended')
    .option('-s, --step <step>', 'begin at this step, with all that depend on it, also when they succeeded')
    .option('-q, --quiet', 'print nothing but errors')
    .option('-f, --format <format>', 'text or json', 'text')
    .addHelpText('after', '\nExample:\n  dagu retry invoices.yaml --step post')
    .action(async (workflow: string, flags: { runId?: string; step?: string; quiet?: boolean; format: string }) => {
      const format = checkFormat(flags.format);
      const store = openStore();
      try {
        const { run, steps } = findRunThatIs(store, workflow, flags.runId, { statuses: ended, what: 'at its end' });
        const names = steps.filter(({ handler }) => handler === undefined).map(({ step }) => step);
        if (flags.step !== undefined && !names.includes(flags.step)) {
          throw new UsageError(`--step "${flags.step}": the run has the steps ${names.join(', ')}`);
        }
        await driveRun(
          store,
          {
            ...ofStored(run),
            mode: 'retry',
            trigger: 'retry',
            ...(flags.step !== undefined && { fromStep: flags.step }),
          },
          { ...flags, format },
        );
      } finally {
        store.close();
      }
    });
}
