import { writeSync } from 'node:fs';
import type { RunStatus, StepStatus } from '../core/contract/run.ts';
import { fieldName } from '../core/workflow/field-name.ts';
import type { LocatedProblem } from '../core/workflow/stream.ts';

/** The command cannot do what it was asked for; the message is one line for the person at it. */
export class UsageError extends Error {}

/** `text` or `json`. */
export function checkFormat(format: string): 'text' | 'json' {
  if (format === 'text' || format === 'json') return format;
  throw new UsageError(`--format "${format}": use text or json`);
}

/** `line 4, column 7: field 'steps[0].run': …` */
export function problemLine({ line, column, message, path }: LocatedProblem): string {
  const place = line === undefined ? '' : `line ${line}, column ${column}: `;
  const named = path.length === 0 || message.includes("field '") ? message : `field '${fieldName(path)}': ${message}`;
  return `${place}${named}`;
}

/** A duration for people: `0.4 s`, `12.3 s`, `2 min 5 s`. */
export function duration(startedAt: string | undefined, finishedAt: string | undefined): string {
  if (startedAt === undefined || finishedAt === undefined) return '';
  const ms = Date.parse(finishedAt) - Date.parse(startedAt);
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  return `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1000)} s`;
}

/** A number of bytes for people: `812 bytes`, `1.2 MB`. */
export function byteCount(bytes: number): string {
  if (bytes < 1000) return `${bytes} bytes`;
  const units = ['kB', 'MB', 'GB', 'TB'];
  const power = Math.min(units.length, Math.floor(Math.log10(bytes) / 3));
  return `${(bytes / 1000 ** power).toFixed(1)} ${units[power - 1]}`;
}

/** A status as a word for people. */
export function statusWord(status: RunStatus | StepStatus): string {
  return status.replaceAll('_', ' ');
}

/** What became of standard output; nothing before the first text, since to make the stream takes its time. */
let outputWorks: boolean | undefined;

/**
 * Prints text. A reader that went away ends the printing and nothing else; any other
 * failure is told once and makes the exit code 1. The command goes on in both cases.
 */
export function print(text: string): void {
  if (outputWorks === undefined) {
    outputWorks = true;
    process.stdout.on('error', outputFailed);
  }
  if (outputWorks) process.stdout.write(text);
}

function outputFailed(error: NodeJS.ErrnoException): void {
  if (!outputWorks) return;
  outputWorks = false;
  // A reader that went away, as `head` does, has what it wanted.
  if (error.code === 'EPIPE') return;
  process.exitCode = 1;
  complain(`the output could not be written: ${error.message}`);
}

/**
 * Prints text on standard error. Where nobody reads the complaints there is nobody to tell;
 * the exit code stays.
 */
export function printError(text: string): void {
  let rest = Buffer.from(text);
  try {
    // Not through process.stderr, which takes as long to make as many a command to run.
    while (rest.length > 0) rest = rest.subarray(writeSync(2, rest));
  } catch (error) {
    // It takes no more for now: the stream waits until it does.
    if ((error as NodeJS.ErrnoException).code === 'EAGAIN') process.stderr.on('error', () => {}).write(rest);
  }
}

/** Says in one line on standard error what went wrong. */
export function complain(message: string): void {
  printError(`Error: ${message}\n`);
}
