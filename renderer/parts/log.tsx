import { useCallback, useState } from 'react';
import type { StepSummary } from '../../core/contract/run.ts';
import { call, failureWords } from '../bridge.ts';
import { useLive } from '../live.ts';
import { useTexts } from '../texts.ts';
import { Alert } from './states.tsx';

/** The end of a log that is shown, in bytes: a page holds no file of any size. */
const shownBytes = 65_536;

/** How often a log is read anew while its step is at work, in ms: what a step prints is no change of its run. */
const readEveryMs = 1000;

/** What a step printed, read when a person opens it. */
export function StepLogs({ runId, attempt, step }: { runId: string; attempt: number; step: StepSummary }) {
  const { words } = useTexts();
  return (
    <>
      {step.stdoutFile !== undefined && (
        <StepLog title={words.run.log} runId={runId} attempt={attempt} step={step} stream="stdout" />
      )}
      {step.stderrFile !== undefined && (
        <StepLog title={words.run.stderr} runId={runId} attempt={attempt} step={step} stream="stderr" />
      )}
    </>
  );
}

interface StepLogProps {
  title: string;
  runId: string;
  attempt: number;
  step: StepSummary;
  stream: 'stdout' | 'stderr';
}

function StepLog({ title, ...log }: StepLogProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details className="log" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{title}</summary>
      {isOpen && <LogText {...log} />}
    </details>
  );
}

function LogText({ runId, attempt, step: { step, status }, stream }: Omit<StepLogProps, 'title'>) {
  const { words, formats } = useTexts();
  const load = useCallback(async () => {
    const part = await call('readLog', { runId, attempt, step, stream, from: -shownBytes, limit: shownBytes });
    return { text: new TextDecoder().decode(part.bytes), isCut: part.from > 0 };
  }, [runId, attempt, step, stream]);
  const isAtWork = status === 'running' || status === 'retrying';
  const subscribe = useCallback((changed: () => void) => whileAtWork(isAtWork, changed), [isAtWork]);
  const { value, error } = useLive(load, subscribe);
  if (error !== undefined) return <Alert title={words.run.logFailed}>{failureWords(error, words)}</Alert>;
  if (value === undefined) return null;
  return (
    <>
      {value.isCut && <p className="quiet">{words.run.logCut(formats.bytes(shownBytes))}</p>}
      <pre className="log-text" tabIndex={-1}>
        {value.text}
      </pre>
    </>
  );
}

function whileAtWork(isAtWork: boolean, changed: () => void): () => void {
  if (!isAtWork) return () => {};
  const timer = setInterval(changed, readEveryMs);
  return () => clearInterval(timer);
}
