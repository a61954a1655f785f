import { CallError } from '../../core/contract/protocol.ts';
import type { Desktop, DesktopErrorCode } from '../../native/desktop.ts';
import { StepError } from '../action.ts';

type AnyCall = (params?: unknown, options?: { signal?: AbortSignal }) => Promise<unknown>;

/** The desktop with every call ended by the signal, by throwing the signal's reason. */
export function endingWith(desktop: Desktop, signal: AbortSignal): Desktop {
  const calls = Object.entries(desktop as Record<string, AnyCall>).map(([method, call]) => {
    const bound: AnyCall = async (params, options) => {
      try {
        return await call(params, { ...options, signal });
      } catch (error) {
        throw signal.aborted ? signal.reason : error;
      }
    };
    return [method, bound];
  });
  return Object.fromEntries(calls) as Desktop;
}

/** Whether a call to the desktop failed with one of the codes. */
export function failedWith(error: unknown, ...codes: (DesktopErrorCode | 'closed' | 'timeout')[]): error is CallError {
  return error instanceof CallError && (codes as string[]).includes(error.code);
}

/** A failure in the words of the step: what ended it, without the machinery behind it. */
export function asStepError(error: unknown): StepError | undefined {
  if (error instanceof StepError) return error;
  if (!(error instanceof CallError)) return undefined;
  return new StepError(
    error.code === 'closed' ? `the program that operates the desktop ended: ${error.message}` : error.message,
    { cause: error },
  );
}
