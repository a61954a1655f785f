import { closeSync, existsSync, fstatSync, openSync, readSync } from 'node:fs';
import { StringDecoder } from 'node:string_decoder';
import { setTimeout as delay } from 'node:timers/promises';
import type { Command } from 'commander';
import type { RunDetail, StepSummary } from '../core/contract/run.ts';
import { isEnded } from '../core/contract/run-state.ts';
import type { Store } from '../core/store/store.ts';
import { findRun } from './find-run.ts';
import { openStore } from './open-store.ts';
import { checkFormat, print, UsageError } from './output.ts';

/** How often a run that is followed is looked at, in ms. */
const lookEveryMs = 200;

const chunkBytes = 64 * 1024;

interface LogsFlags {
  runId?: string;
  step?: string;
  follow?: boolean;
  format: string;
}

export function addLogs(program: Command): void {
  program
    .command('logs')
    .description("print what a run's steps printed")
    .argument('<workflow>', "the workflow's file or name")
    .option('-r, --run-id <id>', 'the run; else the newest')
    .option('-s, --step <step>', 'one step; else all')
    .option('-F, --follow', 'go on printing until the run ends')
    .option('-f, --format <format>', 'text or json', 'text')
    .addHelpText('after', '\nExample:\n  dagu logs invoices.yaml --step read --follow')
    .action(async (workflow: string, flags: LogsFlags) => {
      const format = checkFormat(flags.format);
      if (flags.follow && format === 'json') throw new UsageError('--follow prints text; leave --format json away');
      const store = openStore({ forReading: true });
      try {
        const detail = findRun(store, workflow, flags.runId);
        const steps = chosen(detail, flags.step);
        if (format === 'json') print(`${JSON.stringify(steps.map(asJson), null, 2)}\n`);
        else await printLogs(store, detail, flags);
      } finally {
        store.close();
      }
    });
}

function chosen({ steps }: RunDetail, name: string | undefined): StepSummary[] {
  const list = name === undefined ? steps : steps.filter(({ step }) => step === name);
  if (list.length === 0) {
    throw new UsageError(`--step "${name}": the run has the steps ${steps.map(({ step }) => step).join(', ')}`);
  }
  return list;
}

async function printLogs(store: Store, first: RunDetail, { step, follow }: LogsFlags): Promise<void> {
  const printer = new LogPrinter({ titles: step === undefined && first.steps.length > 1 });
  for (let detail = first; ; ) {
    // Read before its files, so that what it wrote at its end is seen.
    const ended = isEnded(detail.run.status) || detail.run.status === 'waiting';
    for (const one of chosen(detail, step)) printer.print(one);
    if (!follow || ended) return;
    await delay(lookEveryMs);
    const next = store.getRun(detail.run.runId);
    if (next === undefined) return;
    detail = next;
  }
}

function filesOf({ stdoutFile, stderrFile }: StepSummary): string[] {
  return [stdoutFile, stderrFile].filter((file) => file !== undefined);
}

/** Prints what was added to the logs of steps since the last time, under the step's name where it changes. */
class LogPrinter {
  readonly #titles: boolean;
  readonly #files = new Map<string, { position: number; decoder: StringDecoder }>();
  #titled = new Set<string>();
  #last: string | undefined;

  constructor({ titles }: { titles: boolean }) {
    this.#titles = titles;
  }

  print(step: StepSummary): void {
    const texts = filesOf(step).map((file) => this.#read(file));
    const started = step.status !== 'not_started';
    if (texts.every((text) => text === '') && (this.#titled.has(step.step) || !started)) return;
    if (this.#titles && this.#last !== step.step) print(`== ${step.step}\n`);
    this.#last = step.step;
    this.#titled.add(step.step);
    for (const text of texts) if (text !== '') print(text);
  }

  #read(file: string): string {
    const state = this.#files.get(file) ?? { position: 0, decoder: new StringDecoder('utf8') };
    this.#files.set(file, state);
    const { text, position } = readFrom(file, state.position, state.decoder);
    state.position = position;
    return text;
  }
}

/** The text of a file from a place on, which the decoder may cut within a character. */
function readFrom(file: string, from: number, decoder: StringDecoder): { text: string; position: number } {
  if (!existsSync(file)) return { text: '', position: from };
  const descriptor = openSync(file, 'r');
  try {
    let position = from;
    let text = '';
    const buffer = Buffer.alloc(Math.min(chunkBytes, Math.max(1, fstatSync(descriptor).size - from)));
    for (;;) {
      const bytes = readSync(descriptor, buffer, 0, buffer.length, position);
      if (bytes === 0) return { text, position };
      position += bytes;
      text += decoder.write(buffer.subarray(0, bytes));
    }
  } finally {
    closeSync(descriptor);
  }
}

function asJson({ step, status, stdoutFile, stderrFile }: StepSummary): unknown {
  const whole = (file: string | undefined) =>
    file === undefined ? '' : readFrom(file, 0, new StringDecoder('utf8')).text;
  return { step, status, stdout: whole(stdoutFile), stderr: whole(stderrFile) };
}
