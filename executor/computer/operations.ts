import type { Via } from '../../core/contract/run.ts';
import { runAct } from './act.ts';
import { checkSubject, runExpect } from './conditions.ts';
import { runExtract } from './extract.ts';
import type { Operation } from './plan.ts';
import { sleep } from './time.ts';
import { maximizeFront } from './windows.ts';
import { holdDesktop, type OperationWork, type Work } from './work.ts';

/** What an operation that succeeded came to. */
export interface OperationResult {
  status: 'completed' | 'cache-hit';
  detail?: string;
  via?: Via;
  outputs?: Record<string, unknown>;
  /** Screenshots, relative to the run's artifacts folder. */
  files?: string[];
}

/** Runs one operation; throws a StepError or a CallError of the desktop when it fails. */
export async function runOperation(work: OperationWork, operation: Operation): Promise<OperationResult> {
  switch (operation.kind) {
    case 'launch':
      return await launch(work, operation);
    case 'act':
      return await runAct(work, operation);
    case 'extract':
      return await runExtract(work, operation);
    case 'expect': {
      const { reason } = await runExpect(work, operation);
      return { status: 'completed', detail: reason, via: 'exact' };
    }
    case 'wait':
      await sleep(operation.ms, work.time.signal);
      return { status: 'completed' };
    case 'screenshot':
      return await screenshot(work, operation.name);
  }
}

/** What an operation is about, in one line. */
export function subjectOf(work: Work, operation: Operation): string {
  switch (operation.kind) {
    case 'launch':
      return [operation.command, ...operation.args].join(' ');
    case 'act':
    case 'extract':
      return operation.instruction;
    case 'expect':
      return checkSubject(work, operation);
    case 'wait':
      return operation.text;
    case 'screenshot':
      return operation.name;
  }
}

/** How an operation that failed was at work. */
export function viaOfFailure(system: string, operation: Operation): Via | undefined {
  if (operation.kind === 'expect') return 'exact';
  if (operation.kind === 'extract') return 'element';
  return operation.kind === 'act' && operation.recorded[system] !== undefined ? 'element' : undefined;
}

async function launch(
  work: OperationWork,
  { command, args }: { command: string; args: string[] },
): Promise<OperationResult> {
  await holdDesktop(work);
  const { pid } = await work.desktop.launch({ command, args, cwd: work.context.workingDir });
  work.apps.launched(pid, command);
  return { status: 'completed' };
}

async function screenshot(work: OperationWork, name: string): Promise<OperationResult> {
  work.artifacts.requireStorage();
  await holdDesktop(work);
  await maximizeFront(work);
  const png = await work.screenshots.take(work.desktop, work.position);
  const file = await work.artifacts.save(name, png);
  return { status: 'completed', detail: file, files: [file] };
}
