import { resolve } from 'node:path';
import type { Command } from 'commander';
import { checkFormat, duration, openStore, print, statusWord, table, UsageError } from './output.ts';

export function addHistory(program: Command): void {
  program
    .command('history')
    .description('list runs, newest first')
    .argument('[workflow]', "the workflow's file or name; else all")
    .option('-n, --limit <number>', 'how many', '20')
    .option('-f, --format <format>', 'text or json', 'text')
    .addHelpText('after', '\nExample:\n  dagu history invoices.yaml --limit 5')
    .action((workflow: string | undefined, flags: { limit: string; format: string }) => {
      const format = checkFormat(flags.format);
      const limit = Number(flags.limit);
      if (!Number.isInteger(limit) || limit < 1)
        throw new UsageError(`--limit "${flags.limit}": use a positive number`);
      const store = openStore({ forReading: true });
      try {
        const runs = store.listRuns({ limit, ...(workflow !== undefined && { workflow, path: resolve(workflow) }) });
        if (format === 'json') print(`${JSON.stringify(runs, null, 2)}\n`);
        else if (runs.length === 0) print(workflow === undefined ? 'No runs yet\n' : `No runs of "${workflow}" yet\n`);
        else {
          const rows = runs.map((run) => [
            run.createdAt.replace('T', ' ').slice(0, 19),
            run.name,
            statusWord(run.status),
            duration(run.startedAt, run.finishedAt),
            run.runId,
            run.error ?? '',
          ]);
          print(table([['STARTED (UTC)', 'WORKFLOW', 'STATUS', 'TOOK', 'RUN', ''], ...rows]));
        }
      } finally {
        store.close();
      }
    });
}
