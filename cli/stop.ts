import { setTimeout as delay } from 'node:timers/promises';
import type { Command } from 'commander';
import type { RunDetail, RunStatus } from '../core/contract/run.ts';
import { isEnded } from '../core/contract/run-state.ts';
import type { Store } from '../core/store/store.ts';
import { trayRuns } from '../main/tray-lock.ts';
import { executeRun, ofStored, type ShowFlags } from './drive-run.ts';
import { findRunThatIs } from './find-run.ts';
import { openStore } from './open-store.ts';
import { checkFormat, print, statusWord, UsageError } from './output.ts';
import { asJson } from './status.ts';

const active: readonly RunStatus[] = ['running', 'not_started', 'queued', 'waiting'];

/** How long the command waits for the run's end, in ms: its handlers run, and they may take their time. */
const waitMs = 60_000;
const lookEveryMs = 200;

export function addStop(program: Command): void {
  program
    .command('stop')
    .description('stop a run in order: its abort and exit handlers run')
    .argument('<workflow>', "the workflow's file or name")
    .option('-r, --run-id <id>', 'the run; else the newest at work')
    .option('-q, --quiet', 'print nothing but errors')
    .option('-f, --format <format>', 'text or json', 'text')
    .addHelpText('after', '\nExample:\n  dagu stop invoices.yaml')
    .action(async (workflow: string, flags: { runId?: string; quiet?: boolean; format: string }) => {
      const format = checkFormat(flags.format);
      const store = openStore();
      try {
        const detail = findRunThatIs(store, workflow, flags.runId, { statuses: active, what: 'at work' });
        await stop(store, detail, { ...flags, format });
      } finally {
        store.close();
      }
    });
}

async function stop(store: Store, { run }: RunDetail, flags: ShowFlags): Promise<void> {
  store.requestStop(run.runId, 'stopped with dagu stop');
  const hasProcess = run.status === 'running' || run.status === 'not_started';
  if (hasProcess || trayRuns(store.paths.locks)) return await waitForEnd(store, run.runId, flags);
  // Nobody works on a run that waits: this command does, for its handlers.
  const detail = await executeRun(store, { mode: 'resume', ...ofStored(run) });
  if (detail === undefined) await waitForEnd(store, run.runId, flags);
  else tell(detail, flags);
}

async function waitForEnd(store: Store, runId: string, flags: ShowFlags): Promise<void> {
  const end = Date.now() + waitMs;
  for (;;) {
    const detail = store.getRun(runId);
    if (detail === undefined) throw new UsageError(`run ${runId} is gone`);
    if (isEnded(detail.run.status)) return tell(detail, flags);
    if (Date.now() > end) {
      throw new UsageError(
        `run ${runId} was asked to stop and is still at work; dagu status --run-id ${runId} shows it`,
      );
    }
    await delay(lookEveryMs);
  }
}

function tell(detail: RunDetail, { quiet, format }: ShowFlags): void {
  const { runId, name, status } = detail.run;
  if (format === 'json') print(`${JSON.stringify(asJson(detail), null, 2)}\n`);
  else if (!quiet) print(`Run ${runId} of "${name}" ${statusWord(status)}\n`);
}
