import { existsSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import { type RunDetail, runStatuses } from '../core/contract/run.ts';
import type { Store } from '../core/store/store.ts';
import { checkFormat, duration, openStore, print, statusWord, table, UsageError } from './output.ts';
import { eventText } from './progress.ts';

export function addStatus(program: Command): void {
  program
    .command('status')
    .description('show a run: its state, steps, timeline and outputs')
    .argument('<workflow>', "the workflow's file or name")
    .option('-r, --run-id <id>', 'the run; else the newest')
    .option('-f, --format <format>', 'text or json', 'text')
    .addHelpText('after', '\nExample:\n  dagu status invoices.yaml --format json')
    .action((workflow: string, flags: { runId?: string; format: string }) => {
      const format = checkFormat(flags.format);
      const store = openStore({ forReading: true });
      try {
        const detail = findRun(store, workflow, flags.runId);
        if (format === 'json') print(`${JSON.stringify(asJson(detail), null, 2)}\n`);
        else print(summary(detail) + timeline(detail));
      } finally {
        store.close();
      }
    });
}

/** The run that was asked for, of a workflow by its name or path; a usage error when there is none. */
export function findRun(store: Store, workflow: string, runId: string | undefined): RunDetail {
  const path = resolve(workflow);
  if (runId === undefined) {
    const [newest] = store.listRuns({ limit: 1, workflow, path });
    if (newest === undefined)
      throw new UsageError(`there is no run of "${workflow}"; dagu history lists the runs there are`);
    return store.getRun(newest.runId) as RunDetail;
  }
  const detail = store.getRun(runId);
  if (detail === undefined || (detail.run.name !== workflow && detail.run.path !== path)) {
    throw new UsageError(
      `there is no run "${runId}" of "${workflow}"; dagu history ${workflow} lists the runs there are`,
    );
  }
  return detail;
}

/** What a person wants to know when a run has ended, and where to find the rest. */
export function summary(detail: RunDetail): string {
  const { run, steps } = detail;
  const took = duration(run.startedAt, run.finishedAt);
  const head = `${run.name} ${statusWord(run.status)}${took && ` after ${took}`}${run.error ? `: ${run.error}` : ''}\n\n`;
  const rows = steps.map((step) => [
    `  ${step.step}`,
    statusWord(step.status),
    duration(step.startedAt, step.finishedAt),
    step.error ?? '',
  ]);
  return `${head}${table(rows)}${outputs(detail)}\n${places(detail)}`;
}

function outputs({ steps }: RunDetail): string {
  const rows = steps.flatMap((step) =>
    Object.entries(step.outputs).map(([name, value]) => [`  ${step.step}.${name}`, JSON.stringify(value)]),
  );
  return rows.length === 0 ? '' : `\nOutputs:\n${table(rows)}`;
}

function places({ run }: RunDetail): string {
  const screenshots = join(run.artifactsDir, 'computer');
  const hasShots = existsSync(screenshots) && readdirSync(screenshots).length > 0;
  return table([
    ['Run:', run.runId],
    ['Timeline:', `dagu status ${run.name} --run-id ${run.runId}`],
    ['Logs:', run.logDir],
    ...(hasShots ? [['Screenshots:', screenshots]] : []),
  ]);
}

function timeline({ events }: RunDetail): string {
  if (events.length === 0) return '';
  const rows = events.map((event) => [`  ${event.timestamp.slice(11, 19)}`, event.step, eventText(event)]);
  return `\nTimeline (UTC):\n${table(rows)}`;
}

/** The run for programs; `statusCode` is the number that Dagu uses. */
function asJson({ run, steps, events }: RunDetail): unknown {
  return { ...run, statusCode: runStatuses[run.status], steps, events };
}
