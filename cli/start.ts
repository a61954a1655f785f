import { existsSync } from 'node:fs';
import type { Command } from 'commander';
import type { RunDetail } from '../core/contract/run.ts';
import { readWorkflowFile } from '../core/process/workflow-file.ts';
import { newRunId } from '../core/store/run-id.ts';
import type { Store } from '../core/store/store.ts';
import { type GivenParam, ParamError, parseParam, resolveParams } from '../core/workflow/params.ts';
import type { Workflow } from '../core/workflow/types.ts';
import { forkNodeExecutor } from '../main/node-processes.ts';
import { Supervisor } from '../main/supervisor.ts';
import { complain, openStore, print, UsageError } from './output.ts';
import { Progress } from './progress.ts';
import { splitParams } from './split-params.ts';
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
    .usage('[options] <file> [-- params...]')
    .argument('<file>', 'the workflow file')
    .argument('[params...]', 'parameters, after --: values in order, or NAME=value')
    .option('-p, --params <params>', 'parameters as one text: NAME=value NAME2="a value"')
    .option('-N, --name <name>', "the run's name for the workflow")
    .option('-r, --run-id <id>', 'an id for the run')
    .option('-q, --quiet', 'print nothing but errors')
    .addHelpText('after', '\nExample:\n  dagu start invoices.yaml -- CUSTOMER="Blue Harbour"')
    .action(async (file: string, rest: string[], flags: StartFlags) => {
      checkFlags(flags);
      checkSeparator(file, rest);
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

/** Parameters come after `--`; a word before it is more likely a file or a flag gone wrong. */
function checkSeparator(file: string, params: string[]): void {
  const separator = process.argv.indexOf('--');
  const separated = separator === -1 ? 0 : process.argv.length - separator - 1;
  if (params.length <= separated) return;
  throw new UsageError(`parameters come after --: dagu start ${file} -- ${params.join(' ')}`);
}

async function load(file: string, params: GivenParam[]): Promise<Startable | undefined> {
  if (!existsSync(file)) throw new UsageError(`there is no workflow file "${file}"`);
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
    throw runIdTaken(flags.runId);
  }
  const runId = flags.runId ?? newRunId();
  const supervisor = new Supervisor({ home: store.paths.home, fork: forkNodeExecutor });
  const progress = new Progress(store, runId);
  if (!flags.quiet) supervisor.onChanged(() => progress.changed());
  const { finished } = supervisor.start({
    mode: 'start',
    runId,
    path: workflow.path,
    params,
    trigger: 'manual',
    ...(flags.name !== undefined && { name: flags.name }),
  });
  const release = stopOnSignals(supervisor);
  const end = await finished;
  release();
  progress.close();
  if (end.code === 'run_exists') throw runIdTaken(runId);
  if (end.code !== undefined) throw new UsageError(end.error);
  const detail = store.getRun(runId);
  if (detail === undefined) throw new UsageError(end.error ?? 'the run did not begin');
  if (!flags.quiet) {
    progress.show(detail);
    print(`\n${summary(detail)}`);
  } else if (!succeeded(detail)) complain(`${detail.run.error}`);
  if (!succeeded(detail)) process.exitCode = 1;
}

function runIdTaken(runId: string): UsageError {
  return new UsageError(`--run-id "${runId}": there is a run with this id already`);
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
