import { closeSync, openSync, readSync } from 'node:fs';
import type { StepSummary } from '../../core/contract/run.ts';
import type { Step } from '../../core/workflow/types.ts';
import { continuesAfterFailure, OutputWatch } from './continue-on.ts';
import type { StepEnd } from './step.ts';

/**
 * The end of a step as an earlier process of the run stored it. Whether `continue_on` lets
 * the run go on is looked up anew, in the step's logs too.
 */
export function restoredEnd(step: Step, { status, error, exitCode = 1, stdoutFile, stderrFile }: StepSummary): StepEnd {
  if (status === 'not_started' || status === 'running' || status === 'retrying') {
    throw new Error(`the step "${step.key}" is not at its end: ${status}`);
  }
  const end = { status, ...(error !== undefined && { error }) };
  if (status !== 'failed') return end;
  const outputMatches = [stdoutFile, stderrFile].some((path) => isIn(path, step.continueOn.outputs));
  return { ...end, continues: continuesAfterFailure(step.continueOn, { exitCode, outputMatches }) };
}

function isIn(path: string | undefined, outputs: readonly string[]): boolean {
  if (path === undefined || outputs.length === 0) return false;
  const file = openIfThere(path);
  if (file === undefined) return false;
  try {
    const watch = new OutputWatch(outputs);
    const chunk = Buffer.alloc(64 * 1024);
    for (let read = readSync(file, chunk); read > 0; read = readSync(file, chunk)) watch.push(chunk.subarray(0, read));
    watch.end();
    return watch.matches;
  } finally {
    closeSync(file);
  }
}

/** A log is made at its first byte. */
function openIfThere(path: string): number | undefined {
  try {
    return openSync(path, 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
