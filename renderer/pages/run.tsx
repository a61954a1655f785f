import { RotateCw, Square } from 'lucide-react';
import { useCallback, useState } from 'react';
import type { AttemptSummary } from '../../core/contract/api.ts';
import type { RunDetail, RunSummary } from '../../core/contract/run.ts';
import { isEnded, stoppedByPerson } from '../../core/contract/run-state.ts';
import { stateSentence } from '../../core/contract/words/sentence.ts';
import { useAction } from '../action.ts';
import { call, failureWords } from '../bridge.ts';
import { plainError } from '../error-text.ts';
import { useLive } from '../live.ts';
import { Approvals } from '../parts/approval.tsx';
import { Back } from '../parts/back.tsx';
import { PageHeading } from '../parts/heading.tsx';
import { Attempts, Children, Egress } from '../parts/run-facts.tsx';
import { Alert, Failing, Loading } from '../parts/states.tsx';
import { StatusIcon, toneOf } from '../parts/status.tsx';
import { StepsList } from '../parts/steps.tsx';
import { Ago } from '../parts/time.tsx';
import { Timeline } from '../parts/timeline.tsx';
import { useTexts } from '../texts.ts';
import { useTitle } from '../title.ts';
import '../styles/allow.css';
import '../styles/form.css';
import '../styles/run.css';

/** A run as one of its attempts left it, and which attempts there are. */
interface Shown {
  detail: RunDetail;
  attempts: AttemptSummary[];
}

/** One run: its state, its steps, and what happened. */
export function RunPage({ runId, back }: { runId: string; back: string }) {
  const { words } = useTexts();
  /** An earlier attempt that a person chose; absent for the newest one, whichever that is. */
  const [attempt, setAttempt] = useState<number>();
  const load = useCallback(() => readRun(runId, attempt), [runId, attempt]);
  const subscribe = useCallback((changed: () => void) => onChangeOf(runId, changed), [runId]);
  const { value, error, reload } = useLive(load, subscribe);
  useTitle(value?.detail.run.name ?? words.runs.title);
  const parent = value?.detail.run.parent;
  const choose = (chosen: number) => setAttempt(chosen === value?.attempts.length ? undefined : chosen);
  return (
    <div className="page run">
      <Back to={parent === undefined ? { page: 'runs' } : { page: 'run', runId: parent.runId }}>
        {parent === undefined ? back : words.run.childOf}
      </Back>
      {error !== undefined ? (
        <Failing title={words.run.failedTitle} error={error} retry={reload} />
      ) : value === undefined ? (
        <Loading />
      ) : (
        <Run {...value} choose={choose} />
      )}
    </div>
  );
}

async function readRun(runId: string, attempt: number | undefined): Promise<Shown> {
  const [detail, { attempts }] = await Promise.all([
    call('getRun', { runId, ...(attempt !== undefined && { attempt }) }),
    call('listAttempts', { runId }),
  ]);
  return { detail, attempts };
}

/** A run under this one changes what this one shows of it; it is told of by its own id. */
function onChangeOf(runId: string, changed: () => void): () => void {
  return window.dagu.on('runChanged', (notice) => notice.runId === runId && changed());
}

function Run({ detail, attempts, choose }: Shown & { choose(attempt: number): void }) {
  const [selected, select] = useState<string>();
  const { run, steps, children } = detail;
  const isNewest = run.attempt === attempts.length;
  return (
    <>
      <RunHeader detail={detail} isNewest={isNewest}>
        <Attempts attempts={attempts} shown={run.attempt} choose={choose} />
      </RunHeader>
      <RunError run={run} />
      {isNewest && run.status === 'waiting' && <Approvals runId={run.runId} steps={steps} />}
      {run.status === 'waiting' && <Children runs={children.filter(({ status }) => status === 'waiting')} />}
      <div className="run-body">
        <StepsList steps={steps} selected={selected} select={select} />
        <div className="run-column">
          <Timeline detail={detail} selected={selected} />
          {selected === undefined && <Children runs={children} />}
          {selected === undefined && <Egress detail={detail} />}
        </div>
      </div>
    </>
  );
}

interface RunHeaderProps {
  detail: RunDetail;
  isNewest: boolean;
  children: React.ReactNode;
}

function RunHeader({ detail, isNewest, children }: RunHeaderProps) {
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
          {children}
        </p>
      </div>
      {/* A run under another is stopped, and tried again, with that one. */}
      {isNewest &&
        run.parent === undefined &&
        (isEnded(run.status) ? <RetryButton run={run} /> : <StopButton run={run} />)}
    </header>
  );
}

/** Why the run ended as it did, unless its sentence says all: a person stopped it. */
function RunError({ run: { status, error } }: { run: RunSummary }) {
  if (error === undefined || error === stoppedByPerson) return null;
  const text = plainError(error);
  return status === 'aborted' ? <p className="quiet">{text}</p> : <Alert>{text}</Alert>;
}

function StopButton({ run: { runId } }: { run: RunSummary }) {
  const { words } = useTexts();
  const stop = useAction(() => call('stopRun', { runId }));
  const isStopping = stop.isGoing || stop.isDone;
  return (
    <>
      <button type="button" className="stop" aria-disabled={isStopping} onClick={() => !isStopping && stop.run()}>
        <Square size={14} aria-hidden />
        {isStopping ? words.run.stopping : words.run.stop}
      </button>
      {stop.failure !== undefined && <Alert title={words.run.stopFailed}>{failureWords(stop.failure, words)}</Alert>}
    </>
  );
}

/** Tries a run again that has ended otherwise than well. */
function RetryButton({ run: { runId, status, attempt } }: { run: RunSummary }) {
  const { words } = useTexts();
  const retry = useAction(() => call('retryRun', { runId }));
  if (status === 'succeeded') return null;
  return (
    <>
      <button
        key={attempt}
        type="button"
        aria-disabled={retry.isGoing}
        title={words.run.retryHint}
        onClick={() => retry.run()}
      >
        <RotateCw size={14} aria-hidden />
        {retry.isGoing ? words.run.retrying : words.run.retry}
      </button>
      {retry.failure !== undefined && <Alert title={words.run.retryFailed}>{failureWords(retry.failure, words)}</Alert>}
    </>
  );
}
