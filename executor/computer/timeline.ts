import type { Via } from '../../core/contract/run.ts';
import { logDuration } from '../../core/workflow/durations.ts';
import type { NewEvent, StepContext } from '../action.ts';

/** What came of an operation, as its event and its log line tell it. */
export interface OperationReport {
  kind: string;
  /** From 1. */
  position: number;
  status: 'completed' | 'failed' | 'skipped' | 'cache-hit';
  subject: string;
  detail?: string;
  via?: Via;
  durationMs: number;
  files?: string[];
}

/** A message of the step itself: its code and what fills it are for translation. */
export interface Lifecycle {
  status: 'running' | 'completed' | 'failed' | 'waiting';
  /** The reason of a wait. */
  name?: 'desktop' | 'screen';
  content: string;
  code: string;
  parameters?: Record<string, string | number>;
  files?: string[];
}

const mostBytes = 4096;
const mostSubject = 80;
const verbs = { completed: 'Done', failed: 'Failed', skipped: 'Skipped', 'cache-hit': 'Done' } as const;

/** The step's events and log lines. Texts are masked before they are cut: half a secret is no longer recognised. */
export class Timeline {
  readonly #context: StepContext;
  readonly #total: number;

  constructor(context: StepContext, total: number) {
    this.#context = context;
    this.#total = total;
  }

  /** Logs a line about an operation, or, with position 0, about the work before the first. */
  log(position: number, line: string): void {
    const prefix = position === 0 ? '[start]' : `[${position}/${this.#total}]`;
    this.#context.log(`${prefix} ${this.#context.mask(line)}`);
  }

  async operation(report: OperationReport): Promise<void> {
    const { kind, position, status, detail, via, files } = report;
    const durationMs = Math.round(report.durationMs);
    const facts = [status, logDuration(durationMs), ...(via === undefined ? [] : [`via ${via}`])].join(', ');
    this.log(position, `${kind} ${this.#shortSubject(report.subject)} → ${verbs[status]} (${facts})`);
    const content = detail === undefined || detail === '' ? report.subject : `${report.subject}\n${detail}`;
    await this.#add({
      type: 'tool',
      name: kind,
      status,
      content,
      position,
      ...(via !== undefined && { via }),
      durationMs,
      ...(files !== undefined && { files }),
    });
  }

  async lifecycle(position: number, lifecycle: Lifecycle): Promise<void> {
    this.log(position, lifecycle.content);
    await this.#add({ type: 'lifecycle', ...lifecycle });
  }

  async #add(event: NewEvent): Promise<void> {
    const { mask } = this.#context;
    const parameters = event.parameters && maskValues(event.parameters, mask);
    await this.#context.event({
      ...event,
      content: cutBytes(mask(event.content)),
      ...(parameters !== undefined && { parameters }),
    });
  }

  #shortSubject(subject: string): string {
    const runes = [...this.#context.mask(subject).replace(/\s+/g, ' ').trim()];
    const short = runes.length > mostSubject ? `${runes.slice(0, mostSubject).join('')}…` : runes.join('');
    return JSON.stringify(short);
  }
}

function maskValues(
  values: Record<string, string | number>,
  mask: (text: string) => string,
): Record<string, string | number> {
  const entries = Object.entries(values).map(([key, value]) => [key, typeof value === 'string' ? mask(value) : value]);
  return Object.fromEntries(entries);
}

/** A text cut to the bytes that an event holds, between characters. */
function cutBytes(text: string): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= mostBytes) return text;
  let end = mostBytes;
  while (((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
  return bytes.toString('utf8', 0, end);
}
