import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { type EgressEntry, type RunDetail, runStatuses } from '../core/contract/run.ts';
import type { Store } from '../core/store/store.ts';
import { findRun, waitingUnder } from './find-run.ts';
import { openStore } from './open-store.ts';
import { byteCount, checkFormat, duration, print, statusWord } from './output.ts';
import { eventText } from './progress.ts';
import { table } from './table.ts';

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
        else print(summary(store, detail) + timeline(detail));
      } finally {
        store.close();
      }
    });
}

/** What a person wants to know when a run has ended, and where to find the rest. */
export function summary(store: Store, detail: RunDetail): string {
  const { run, steps } = detail;
  const took = duration(run.startedAt, run.finishedAt);
  const head = `${run.name} ${statusWord(run.status)}${took && ` after ${took}`}${run.error ? `: ${run.error}` : ''}\n\n`;
  const rows = steps.map((step) => [
    `  ${step.step}`,
    statusWord(step.status),
    duration(step.startedAt, step.finishedAt),
    step.error ?? '',
  ]);
  return `${head}${table(rows)}${waiting(store, detail)}${children(detail)}${outputs(detail)}${egress(detail)}\n${places(detail)}`;
}

/** What a person is asked for, here or in a run under this one, and how to answer. */
function waiting(store: Store, { run }: RunDetail): string {
  const texts = waitingUnder(store, run.runId).map(({ run: { name, runId }, step: { step, approval } }) => {
    const { prompt, input = [], required = [] } = approval ?? {};
    const flags = input.map((one) => (required.includes(one) ? ` --input ${one}=…` : ` [--input ${one}=…]`));
    const answer = `dagu approve ${name} --run-id ${runId} --step ${step}${flags.join('')}`;
    return `\nStep "${step}" waits for approval${prompt === undefined ? '' : `: ${prompt}`}\n  ${answer}\n`;
  });
  return texts.join('');
}

/** Runs under this one: of sub-workflows and of items. */
function children({ children }: RunDetail): string {
  const rows = children.map((child) => [
    `  ${child.parent?.step ?? ''}${child.parent?.item ? ` ${child.parent.item}` : ''}`,
    child.name,
    statusWord(child.status),
    duration(child.startedAt, child.finishedAt),
    child.runId,
    child.error ?? '',
  ]);
  return rows.length === 0 ? '' : `\nRuns under it:\n${table(rows)}`;
}

/** What left this computer, or that nothing did. */
function egress({ egress }: RunDetail): string {
  if (egress.length === 0) return '';
  const left = egress.filter(({ loopback }) => !loopback);
  if (left.length === 0) return '\nNothing left this computer\n';
  return `\nLeft this computer:\n${table(left.map(egressRow))}`;
}

function egressRow({ host, kind, requests, bytesSent, pictures, proxy }: EgressEntry): string[] {
  const via = proxy === undefined ? '' : `by the proxy ${proxy}`;
  const times = `${requests} ${requests === 1 ? 'request' : 'requests'}`;
  return [`  ${host}`, kind, times, byteCount(bytesSent), pictures ? 'with pictures' : 'no pictures', via];
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
    ['Run:', run.attempt === 1 ? run.runId : `${run.runId}, attempt ${run.attempt}`],
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
export function asJson({ run, ...rest }: RunDetail): unknown {
  return { ...run, statusCode: runStatuses[run.status], ...rest };
}
