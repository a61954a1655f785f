import { ArrowLeft, Square } from 'lucide-react';
import { useCallback, useState } from 'react';
import type { RunDetail, RunSummary } from '../../core/contract/run.ts';
import { isEnded, stoppedByPerson } from '../../core/contract/run-state.ts';
import { stateSentence } from '../../core/contract/words/sentence.ts';
import { call, failureWords } from '../bridge.ts';
import { plainError } from '../error-text.ts';
import { useLive } from '../live.ts';
import { PageHeading } from '../parts/heading.tsx';
import { Alert, Failing, Loading } from '../parts/states.tsx';
import { StatusIcon, toneOf } from '../parts/status.tsx';
import { StepsList } from '../parts/steps.tsx';
import { Ago } from '../parts/time.tsx';
import { Timeline } from '../parts/timeline.tsx';
import { hrefOf } from '../route.ts';
import { useTexts } from '../texts.ts';
import { useTitle } from '../title.ts';
import '../styles/run.css';

/** One run: its state, its steps, and what happened. */
export function RunPage({ runId, back }: { runId: string; back: string }) {
  const { words } = useTexts();
  const load = useCallback(() => call('getRun', { runId }), [runId]);
  const subscribe = useCallback(
    (changed: () => void) => window.dagu.on('runChanged', (notice) => notice.runId === runId && changed()),
    [runId],
  );
  const { value, error, reload } = useLive(load, subscribe);
  useTitle(value?.run.name ?? words.runs.title);
  return (
    <div className="page run">
      <a className="back" href={hrefOf({ page: 'runs' })}>
        <ArrowLeft size={14} aria-hidden />
        {back}
      </a>
      {error !== undefined ? (
        <Failing title={words.run.failedTitle} error={error} retry={reload} />
      ) : value === undefined ? (
        <Loading />
      ) : (
        <Run detail={value} />
      )}
    </div>
  );
}

function Run({ detail }: { detail: RunDetail }) {
  const [selected, select] = useState<string>();
  return (
    <>
      <RunHeader detail={detail} />
      <RunError run={detail.run} />
      <div className="run-body">
        <StepsList steps={detail.steps} selected={selected} select={select} />
        <Timeline detail={detail} selected={selected} />
      </div>
    </>
  );
}

function RunHeader({ detail }: { detail: RunDetail }) {
  const { words, formats } = useTexts();
  const { run } = detail;
  return (
    <header className="page-header run-header">
      <div className="run-title">
        <PageHeading>{run.name}</PageHeading>
        <p className={`sentence ${toneOf(run.status)}`}>
          <StatusIcon status={run.status} />
          <span role="status">{stateSentence(detail, words, formats)}</span>
        </p>
        <p className="quiet facts">
          {run.startedAt !== undefined && <Ago time={run.startedAt} say={words.run.startedAgo} />}
          {run.startedAt !== undefined && run.finishedAt !== undefined && (
            <span>{words.run.took(formats.duration(Date.parse(run.finishedAt) - Date.parse(run.startedAt)))}</span>
          )}
        </p>
      </div>
      <StopButton run={run} />
    </header>
  );
}

/** Why the run ended as it did, unless its sentence says all: a person stopped it. */
function RunError({ run: { status, error } }: { run: RunSummary }) {
  if (error === undefined || error === stoppedByPerson) return null;
  const text = plainError(error);
  return status === 'aborted' ? <p className="quiet">{text}</p> : <Alert>{text}</Alert>;
}

function StopButton({ run }: { run: RunSummary }) {
  const { words } = useTexts();
  const [stopping, setStopping] = useState(false);
  const [failure, setFailure] = useState<unknown>();
  if (isEnded(run.status)) return null;
  const stop = async () => {
    if (stopping) return;
    setStopping(true);
    setFailure(undefined);
    try {
      await call('stopRun', { runId: run.runId });
    } catch (error) {
      setFailure(error);
      setStopping(false);
    }
  };
  return (
    <>
      <button type="button" className="stop" aria-disabled={stopping} onClick={stop}>
        <Square size={14} aria-hidden />
        {stopping ? words.run.stopping : words.run.stop}
      </button>
      {failure !== undefined && <Alert title={words.run.stopFailed}>{failureWords(failure, words)}</Alert>}
    </>
  );
}
