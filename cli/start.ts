import { existsSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { triggers } from '../core/contract/run.ts';
import { mask } from '../core/masking/sealed.ts';
import { readWorkflowFile } from '../core/process/workflow-file.ts';
import { newRunId } from '../core/store/run-id.ts';
import type { Store } from '../core/store/store.ts';
import { type GivenParam, ParamError, parseParam, resolveParams } from '../core/workflow/params.ts';
import type { Workflow } from '../core/workflow/types.ts';
import { driveRun, runIdTaken } from './drive-run.ts';
import { openStore } from './open-store.ts';
import { checkFormat, UsageError } from './output.ts';
import { splitParams } from './split-params.ts';
import { printFirstWarning, printProblems } from './validate.ts';

interface StartFlags {
  params?: string;
  name?: string;
  runId?: string;
  fromRunId?: string;
  defaultWorkingDir?: string;
  triggerType: string;
  quiet?: boolean;
  format: string;
}

type Format = ReturnType<typeof checkFormat>;

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
    .option('--from-run-id <id>', 'take the parameters of this run')
    .option('--default-working-dir <folder>', 'where steps work when the file does not say')
    .option('--trigger-type <type>', `what started the run: ${triggers.join(', ')}`, 'manual')
    .option('--labels <labels>', 'accepted for files and scripts of Dagu; nothing here reads labels')
    .option('-q, --quiet', 'print nothing but errors')
    .option('-f, --format <format>', 'text or json', 'text')
    .addHelpText('after', '\nExample:\n  dagu start invoices.yaml -- CUSTOMER="Blue Harbour"')
    .action(async (file: string, rest: string[], flags: StartFlags) => {
      const format = checkFormat(flags.format);
      checkFlags(flags);
      checkSeparator(file, rest);
      const params = [...splitParams(flags.params ?? ''), ...rest.map(parseParam)];
      const workflow = await load(file);
      if (workflow === undefined) {
        process.exitCode = 1;
        return;
      }
      if (flags.fromRunId === undefined) checkParams(workflow, params);
      const store = openStore();
      try {
        if (flags.fromRunId !== undefined) {
          const given = new Set(params.map(({ name }) => name));
          params.unshift(...paramsOf(store, flags.fromRunId).filter(({ name }) => !given.has(name)));
          checkParams(workflow, params);
        }
        await start(store, { workflow, params }, flags, format);
      } finally {
        store.close();
      }
    });
}

interface Startable {
  workflow: Workflow;
  params: GivenParam[];
}

function checkFlags({ name, runId, triggerType, defaultWorkingDir }: StartFlags): void {
  if (!(triggers as readonly string[]).includes(triggerType)) {
    throw new UsageError(`--trigger-type "${triggerType}": use one of ${triggers.join(', ')}`);
  }
  if (defaultWorkingDir !== undefined && !statSync(defaultWorkingDir, { throwIfNoEntry: false })?.isDirectory()) {
    throw new UsageError(`--default-working-dir "${defaultWorkingDir}": there is no such folder`);
  }
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

async function load(file: string): Promise<Workflow | undefined> {
  if (!existsSync(file)) throw new UsageError(`there is no workflow file "${file}"`);
  const loaded = await readWorkflowFile(file, { strictStream: false });
  printFirstWarning(file, loaded);
  if (loaded.workflow === undefined) printProblems(file, loaded);
  return loaded.workflow;
}

function checkParams(workflow: Workflow, params: GivenParam[]): void {
  try {
    resolveParams(workflow, params);
  } catch (error) {
    if (error instanceof ParamError) throw new UsageError(error.message);
    throw error;
  }
}

async function start(store: Store, { workflow, params }: Startable, flags: StartFlags, format: Format): Promise<void> {
  if (flags.runId !== undefined && store.getRun(flags.runId) !== undefined) throw runIdTaken(flags.runId);
  await driveRun(
    store,
    {
      mode: 'start',
      runId: flags.runId ?? newRunId(),
      path: workflow.path,
      params,
      trigger: flags.triggerType,
      ...(flags.name !== undefined && { name: flags.name }),
      ...(flags.defaultWorkingDir !== undefined && { defaultWorkingDir: resolve(flags.defaultWorkingDir) }),
    },
    { ...flags, format },
  );
}

/** The parameters that an earlier run had. A value that held a secret is not there to be read. */
function paramsOf(store: Store, runId: string): GivenParam[] {
  const detail = store.getRun(runId);
  if (detail === undefined) throw new UsageError(`--from-run-id "${runId}": there is no such run`);
  return Object.entries(detail.run.params).map(([name, value]) => {
    if (value.includes(mask)) {
      throw new UsageError(`--from-run-id "${runId}": its parameter "${name}" held a secret; give the parameters anew`);
    }
    return /^\d+$/.test(name) ? { value } : { name, value };
  });
}
