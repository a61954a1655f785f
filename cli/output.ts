import type { RunStatus, StepStatus } from '../core/contract/run.ts';
import { StoreFailure } from '../core/store/database.ts';
import { dataHome } from '../core/store/paths.ts';
import { Store } from '../core/store/store.ts';
import { fieldName } from '../core/workflow/field-name.ts';
import type { LocatedProblem } from '../core/workflow/stream.ts';

/** The command cannot do what it was asked for; the message is one line for the person at it. */
export class UsageError extends Error {}

/** The runs of this user's data directory; a directory that cannot be used is a usage error. */
export function openStore(options?: { forReading: boolean }): Store {
  const home = dataHome();
  try {
    return new Store(home, options);
  } catch (error) {
    if (error instanceof StoreFailure) throw error;
    throw new UsageError(`the data directory ${home} cannot be used: ${(error as Error).message}`);
  }
}

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

/** A status as a word for people. */
export function statusWord(status: RunStatus | StepStatus): string {
  return status.replaceAll('_', ' ');
}

/** Rows in columns, two blanks between them. */
export function table(rows: string[][]): string {
  const widths: number[] = [];
  for (const row of rows) for (const [at, cell] of row.entries()) widths[at] = Math.max(widths[at] ?? 0, cell.length);
  return rows
    .map(
      (row) => `${row.map((cell, at) => (at === row.length - 1 ? cell : cell.padEnd(widths[at] ?? 0))).join('  ')}\n`,
    )
    .join('');
}

let outputWorks = true;
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (!outputWorks) return;
  outputWorks = false;
  // A reader that went away, as `head` does, has what it wanted.
  if (error.code === 'EPIPE') return;
  process.exitCode = 1;
  complain(`the output could not be written: ${error.message}`);
});
// Where nobody reads the complaints there is nobody to tell; the exit code stays.
process.stderr.on('error', () => {});

/**
 * Prints text. A reader that went away ends the printing and nothing else; any other
 * failure is told once and makes the exit code 1. The command goes on in both cases.
 */
export function print(text: string): void {
  if (outputWorks) process.stdout.write(text);
}

/** Says in one line on standard error what went wrong. */
export function complain(message: string): void {
  process.stderr.write(`Error: ${message}\n`);
}
