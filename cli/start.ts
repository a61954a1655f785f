import { existsSync } from 'node:fs';
import type { Command } from 'commander';
import type { RunDetail } from '../core/contract/run.ts';
import { readWorkflowFile } from '../core/process/workflow-file.ts';
import type { Store } from '../core/store/store.ts';
import { type GivenParam, ParamError, parseParam, resolveParams } from '../core/workflow/params.ts';
import type { Workflow } from '../core/workflow/types.ts';
import { forkNodeExecutor } from '../main/node-processes.ts';
import { Supervisor } from '../main/supervisor.ts';
import { openStore, print, UsageError } from './output.ts';
import { Progress } from './progress.ts';
import { summary } from './status.ts';
import { printFirstWarning, printProblems } from './validate.ts';

interface StartFlags {
  params?: string;
  name?: string;
  runId?: string;
  quiet?: boolean;
}

export function addStart(program: Command): void {
  program
    .command('start')
    .description('run a workflow and wait for its end')
    .argument('<file>', 'the workflow file')
    .argument('[params...]', 'parameters, after --: values in order, or NAME=value')
    .option('-p, --params <params>', 'parameters as one text: NAME=value NAME2="a value"')
    .option('-N, --name <name>', "the run's name for the workflow")
    .option('-r, --run-id <id>', 'an id for the run')
    .option('-q, --quiet', 'print nothing but errors')
    .addHelpText('after', '\nExample:\n  dagu start invoices.yaml -- CUSTOMER="Blue Harbour"')
    .action(async (file: string, rest: string[], flags: StartFlags) => {
      checkFlags(flags);
      const workflow = await load(file, [...splitParams(flags.params ?? ''), ...rest.map(parseParam)]);
      if (workflow === undefined) {
        process.exitCode = 1;
        return;
      }
      const store = openStore();
      try {
        await start(store, workflow, flags);
      } finally {
        store.close();
      }
    });
}

interface Startable {
  workflow: Workflow;
  params: GivenParam[];
}

function checkFlags({ name, runId }: StartFlags): void {
  if (name !== undefined && !/^[-A-Za-z0-9._]{1,40}$/.test(name)) {
    throw new UsageError(`--name "${name}": use 1 to 40 letters, digits, '-', '.' or '_'`);
  }
  if (runId !== undefined && !/^[-a-zA-Z0-9_]{1,64}$/.test(runId)) {
    throw new UsageError(`--run-id "${runId}": use 1 to 64 letters, digits, '-' or '_'`);
  }
}

async function load(file: string, params: GivenParam[]): Promise<Startable | undefined> {
  if (!existsSync(file)) throw new UsageError(`there is no workflow file ${file}`);
  const loaded = await readWorkflowFile(file, { strictStream: false });
  printFirstWarning(file, loaded);
  if (loaded.workflow === undefined) {
    printProblems(file, loaded);
    return undefined;
  }
  try {
    resolveParams(loaded.workflow, params);
  } catch (error) {
    if (error instanceof ParamError) throw new UsageError(error.message);
    throw error;
  }
  return { workflow: loaded.workflow, params };
}

async function start(store: Store, { workflow, params }: Startable, flags: StartFlags): Promise<void> {
  if (flags.runId !== undefined && store.getRun(flags.runId) !== undefined) {
    throw new UsageError(`--run-id "${flags.runId}": there is a run with this id already`);
  }
  const supervisor = new Supervisor({ home: store.paths.home, fork: forkNodeExecutor });
  const progress = new Progress(store);
  if (!flags.quiet) supervisor.onChanged((runId) => progress.show(runId));
  const { runId, finished } = supervisor.start({
    path: workflow.path,
    params,
    trigger: 'manual',
    ...(flags.runId !== undefined && { runId: flags.runId }),
    ...(flags.name !== undefined && { name: flags.name }),
  });
  const release = stopOnSignals(supervisor);
  const end = await finished;
  release();
  const detail = store.getRun(runId);
  if (detail === undefined) throw new UsageError(end.error ?? 'the run did not begin');
  if (!flags.quiet) print(`\n${summary(detail)}`);
  else if (!succeeded(detail)) process.stderr.write(`Error: ${detail.run.error}\n`);
  if (!succeeded(detail)) process.exitCode = 1;
}

function succeeded({ run }: RunDetail): boolean {
  return run.status === 'succeeded' || run.status === 'partially_succeeded' || run.status === 'waiting';
}

/** Ctrl+C and the like stop the run, whose handlers still run; a second time they end it. */
function stopOnSignals(supervisor: Supervisor): () => void {
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  const stop = () => {
    process.stderr.write('Stopping the run; press Ctrl+C again to leave at once\n');
    void supervisor.stopAll('stopped by the person who started it').catch(() => {});
    for (const signal of signals) process.off(signal, stop);
  };
  for (const signal of signals) process.on(signal, stop);
  return () => {
    for (const signal of signals) process.off(signal, stop);
  };
}

/** Cuts `A=1 B="two words" plain` at its blanks; quotes keep a value together. */
function splitParams(text: string): GivenParam[] {
  const words = text.match(/(?:[^\s"']+|"[^"]*"|'[^']*')+/g) ?? [];
  return words.map((word) =>
    parseParam(word.replaceAll(/"([^"]*)"|'([^']*)'/g, (_, double, single) => double ?? single)),
  );
}
