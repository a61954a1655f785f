import { resolve } from 'node:path';
import type { Command } from 'commander';
import { type RunStatus, runStatuses } from '../core/contract/run.ts';
import { openStore } from './open-store.ts';
import { checkFormat, duration, print, statusWord, UsageError } from './output.ts';
import { table } from './table.ts';

interface HistoryFlags {
  limit: string;
  status?: string;
  before?: string;
  format: string;
}

export function addHistory(program: Command): void {
  program
    .command('history')
    .description('list runs, newest first')
    .argument('[workflow]', "the workflow's file or name; else all")
    .option('-n, --limit <number>', 'how many', '20')
    .option('-s, --status <status>', `only runs with this status: ${Object.keys(runStatuses).join(', ')}`)
    .option('--before <run id>', 'only runs older than this one: the next page')
    .option('-f, --format <format>', 'text or json', 'text')
    .addHelpText('after', '\nExample:\n  dagu history invoices.yaml --status failed --limit 5')
    .action((workflow: string | undefined, flags: HistoryFlags) => {
      const format = checkFormat(flags.format);
      const limit = checkLimit(flags.limit);
      const status = checkStatus(flags.status);
      const store = openStore({ forReading: true });
      try {
        if (flags.before !== undefined && store.getRun(flags.before) === undefined) {
          throw new UsageError(`--before "${flags.before}": there is no such run`);
        }
        const runs = store.listRuns({
          limit,
          ...(workflow !== undefined && { workflow, path: resolve(workflow) }),
          ...(status !== undefined && { statuses: [status] }),
          ...(flags.before !== undefined && { before: flags.before }),
        });
        if (format === 'json') print(`${JSON.stringify(runs, null, 2)}\n`);
        else if (runs.length === 0) print(nothing(workflow, flags));
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

function checkLimit(text: string): number {
  const limit = Number(text);
  if (!Number.isInteger(limit) || limit < 1) throw new UsageError(`--limit "${text}": use a positive number`);
  return limit;
}

function checkStatus(text: string | undefined): RunStatus | undefined {
  if (text === undefined || Object.hasOwn(runStatuses, text)) return text as RunStatus | undefined;
  throw new UsageError(`--status "${text}": use one of ${Object.keys(runStatuses).join(', ')}`);
}

function nothing(workflow: string | undefined, { status, before }: HistoryFlags): string {
  const which = workflow === undefined ? '' : ` of "${workflow}"`;
  return status === undefined && before === undefined ? `No runs${which} yet\n` : `No such runs${which}\n`;
}
