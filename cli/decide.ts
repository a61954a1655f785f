import { setTimeout as delay } from 'node:timers/promises';
import type { Command } from 'commander';
import type { RunDetail, RunSummary, StepSummary } from '../core/contract/run.ts';
import type { Store } from '../core/store/store.ts';
import { trayRuns } from '../main/tray-lock.ts';
import { driveRun, ofStored, type ShowFlags } from './drive-run.ts';
import { findRunThatIs, waitingUnder } from './find-run.ts';
import { openStore } from './open-store.ts';
import { checkFormat, print, UsageError } from './output.ts';

/** How often a run is looked at that another process goes on with, in ms. */
const lookEveryMs = 200;

/** What a person decides about a step that waits for approval. */
interface Decision {
  command: string;
  kind: 'approve' | 'reject' | 'push_back';
  description: string;
  example: string;
  /** What was done, for the person who did it. */
  done: string;
}

const decisions: readonly Decision[] = [
  {
    command: 'approve',
    kind: 'approve',
    description: 'approve the result of a step that waits; the run goes on',
    example: 'dagu approve invoices.yaml --step check --input AMOUNT=120.00',
    done: 'Approved',
  },
  {
    command: 'reject',
    kind: 'reject',
    description: 'reject the result of a step that waits; the run ends',
    example: 'dagu reject invoices.yaml --step check --reason "the total is wrong"',
    done: 'Rejected',
  },
  {
    command: 'push-back',
    kind: 'push_back',
    description: 'send the result of a step that waits back to be done again',
    example: 'dagu push-back invoices.yaml --step check --input COMMENT="leave out the fees"',
    done: 'Sent back',
  },
];

interface DecideFlags {
  runId?: string;
  step?: string;
  input: string[];
  inputsJson?: string;
  reason?: string;
  quiet?: boolean;
  format: string;
}

export function addDecisions(program: Command): void {
  for (const decision of decisions) add(program, decision);
}

function add(program: Command, decision: Decision): void {
  const collect = (value: string, values: string[]) => [...values, value];
  const command = program
    .command(decision.command)
    .description(decision.description)
    .argument('<workflow>', "the workflow's file or name")
    .option('-r, --run-id <id>', 'the run; else the newest that waits')
    .option('-s, --step <step>', 'the step; needed where several wait')
    .option('-i, --input <name=value>', 'a value that the step asks for; may be given several times', collect, [])
    .option('--inputs-json <json>', 'the values as a JSON object');
  if (decision.kind !== 'approve') command.option('--reason <text>', 'why, for the history');
  command
    .option('-q, --quiet', 'print nothing but errors')
    .option('-f, --format <format>', 'text or json', 'text')
    .addHelpText('after', `\nExample:\n  ${decision.example}`)
    .action(async (workflow: string, flags: DecideFlags) => {
      const format = checkFormat(flags.format);
      const inputs = readInputs(flags);
      const store = openStore();
      try {
        const detail = findRunThatIs(store, workflow, flags.runId, {
          statuses: ['waiting'],
          what: 'waiting for a person',
        });
        const { run, step } = waitingStep(store, detail, flags.step);
        checkInputs(step, inputs, decision);
        await decide(store, run, { decision, step, inputs, reason: flags.reason }, { ...flags, format });
      } finally {
        store.close();
      }
    });
}

interface Given {
  decision: Decision;
  step: StepSummary;
  inputs: Record<string, string>;
  reason: string | undefined;
}

async function decide(store: Store, run: RunSummary, given: Given, flags: ShowFlags): Promise<void> {
  const { decision, step, inputs, reason } = given;
  store.addAnswer(run.runId, {
    step: step.step,
    kind: decision.kind,
    inputs,
    ...(reason !== undefined && { reason }),
  });
  if (!flags.quiet && flags.format === 'text') print(`${decision.done}: step "${step.step}" of run ${run.runId}\n`);
  if (trayRuns(store.paths.locks)) {
    if (!flags.quiet && flags.format === 'text') print('The tray app goes on with the run.\n');
    return;
  }
  await goOn(store, run, flags);
}

/** Goes on with the run, unless another process does: that one may have come too early to see the answer. */
async function goOn(store: Store, run: RunSummary, flags: ShowFlags): Promise<void> {
  while (!(await driveRun(store, { mode: 'resume', ...ofStored(run) }, flags))) {
    if (store.openAnswers(run.runId).length === 0) {
      if (!flags.quiet && flags.format === 'text') print('Another process goes on with the run.\n');
      return;
    }
    await delay(lookEveryMs);
  }
}

function readInputs({ input, inputsJson }: DecideFlags): Record<string, string> {
  const inputs: Record<string, string> = inputsJson === undefined ? {} : parseInputs(inputsJson);
  for (const text of input) {
    const [, name, value] = /^([^=]+)=([\s\S]*)$/.exec(text) ?? [];
    if (name === undefined || value === undefined) throw new UsageError(`--input "${text}": use NAME=value`);
    if (Object.hasOwn(inputs, name)) throw new UsageError(`--input "${text}": "${name}" is given twice`);
    inputs[name] = value;
  }
  return inputs;
}

function parseInputs(text: string): Record<string, string> {
  const wrong = new UsageError(`--inputs-json: use a JSON object of names and values, such as {"AMOUNT":"120.00"}`);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw wrong;
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw wrong;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, typeof item === 'string' ? item : JSON.stringify(item)]),
  );
}

/** A step that waits for a decision, of the run that was asked for or of one under it. */
interface Waiting {
  run: RunSummary;
  step: StepSummary;
}

function waitingStep(store: Store, { run }: RunDetail, name: string | undefined): Waiting {
  const all = waitingUnder(store, run.runId);
  const named = name === undefined ? all : all.filter(({ step }) => step.step === name);
  const places = all.map((one) => `"${one.step.step}" of run ${one.run.runId}`).join(', ');
  const [only, ...more] = named;
  if (all.length === 0) throw new UsageError(`no step of run ${run.runId} waits for approval`);
  if (only === undefined) {
    throw new UsageError(`step "${name}" of run ${run.runId} does not wait for approval; what waits: ${places}`);
  }
  if (more.length > 0) throw new UsageError(`several steps wait: ${places}; name one with --step and --run-id`);
  return only;
}

function checkInputs({ step, approval }: StepSummary, inputs: Record<string, string>, { kind }: Decision): void {
  const { input = [], required = [] } = approval ?? {};
  const unknown = Object.keys(inputs).find((name) => !input.includes(name));
  if (unknown !== undefined) {
    const known = input.length === 0 ? 'it asks for nothing' : `it asks for ${input.join(', ')}`;
    throw new UsageError(`step "${step}" does not ask for "${unknown}"; ${known}`);
  }
  const missing = required.filter((name) => !Object.hasOwn(inputs, name));
  if (kind === 'approve' && missing.length > 0) {
    const flags = missing.map((name) => `--input ${name}=…`).join(' ');
    throw new UsageError(`step "${step}" needs ${missing.join(', ')}; give ${flags}`);
  }
}
