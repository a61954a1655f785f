import { existsSync, readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { openStore, print, UsageError } from './output.ts';
import { findRun } from './status.ts';

export function addLogs(program: Command): void {
  program
    .command('logs')
    .description("print what a run's steps printed")
    .argument('<workflow>', "the workflow's file or name")
    .option('-r, --run-id <id>', 'the run; else the newest')
    .option('-s, --step <step>', 'one step; else all')
    .addHelpText('after', '\nExample:\n  dagu logs invoices.yaml --step read')
    .action((workflow: string, flags: { runId?: string; step?: string }) => {
      const store = openStore({ forReading: true });
      try {
        const { steps } = findRun(store, workflow, flags.runId);
        const chosen = flags.step === undefined ? steps : steps.filter(({ step }) => step === flags.step);
        if (chosen.length === 0) {
          throw new UsageError(
            `--step "${flags.step}": the run has the steps ${steps.map(({ step }) => step).join(', ')}`,
          );
        }
        for (const { step, stdoutFile, stderrFile } of chosen) {
          if (chosen.length > 1) print(`== ${step}\n`);
          for (const file of [stdoutFile, stderrFile]) {
            if (file !== undefined && existsSync(file)) print(readFileSync(file, 'utf8'));
          }
        }
      } finally {
        store.close();
      }
    });
}
