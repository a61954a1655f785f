import type { StepStatus } from '../../core/contract/run.ts';
import type { ContinueOn, Step } from '../../core/workflow/types.ts';
import { type TextPattern, textPattern } from './text-pattern.ts';

/** How a step ended, as far as its dependents need to know. */
export interface EndForDependents {
  status: StepStatus;
  /** Whether `continue_on` lets the run go on after this failure; its `failure` decides where it is absent. */
  continues?: boolean;
}

/** Whether a step that ended so lets those that depend on it run. */
export function letsDependentsRun(step: Pick<Step, 'continueOn'>, end: EndForDependents): boolean {
  switch (end.status) {
    case 'succeeded':
    case 'partially_succeeded':
      return true;
    case 'skipped':
      return step.continueOn.skipped;
    case 'failed':
      return end.continues ?? step.continueOn.failure;
    default:
      return false;
  }
}

/** Whether `continue_on` lets the run go on after a failure, which comes after all tries. */
export function continuesAfterFailure(
  { failure, exitCodes }: ContinueOn,
  failed: { exitCode: number; outputMatches: boolean },
): boolean {
  return failure || exitCodes.includes(failed.exitCode) || failed.outputMatches;
}

/** The longest beginning of a line that patterns are compared with, in characters. */
const longestLine = 64 * 1024;

/** Looks for the texts of `continue_on.output` in a stream as it comes, line by line. */
export class OutputWatch {
  readonly #patterns: TextPattern[];
  readonly #decoder = new TextDecoder();
  #line = '';
  #matches = false;

  /** Throws a StepError for a regular expression that cannot be read. */
  constructor(outputs: readonly string[]) {
    this.#patterns = outputs.map((output) => textPattern(output, (line, literal) => line.includes(literal)));
  }

  /** Whether one of the texts was found. */
  get matches(): boolean {
    return this.#matches;
  }

  push(chunk: Buffer): void {
    if (this.#matches || this.#patterns.length === 0) return;
    const [first = '', ...further] = this.#decoder.decode(chunk, { stream: true }).split('\n');
    this.#add(first);
    for (const text of further) {
      this.end();
      this.#add(text);
    }
  }

  /** The last line is complete. */
  end(): void {
    const line = this.#line.replace(/\r$/, '');
    this.#matches ||= this.#patterns.some((pattern) => pattern(line));
    this.#line = '';
  }

  #add(text: string): void {
    if (this.#line.length < longestLine) this.#line += text.slice(0, longestLine - this.#line.length);
  }
}
