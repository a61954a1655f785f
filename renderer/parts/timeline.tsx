import { Bot, Hourglass, Info, type LucideIcon, Monitor, MousePointerClick, Target } from 'lucide-react';
import type { RunDetail, StepSummary, TimelineEvent, Via } from '../../core/contract/run.ts';
import type { Words } from '../../core/contract/words/en.ts';
import { firstLine, messageWords, waitWords } from '../../core/contract/words/sentence.ts';
import { plainError } from '../error-text.ts';
import { selectorsInWords } from '../selector-text.ts';
import { useTexts } from '../texts.ts';
import { timelineOf } from '../timeline.ts';
import { Decided } from './approval.tsx';
import { StepLogs } from './log.tsx';
import { Screenshots, useScreenshots } from './screenshots.tsx';
import { Alert } from './states.tsx';
import { StatusIcon } from './status.tsx';
import { Length } from './time.tsx';

/** What happened, step by step: a row for each operation, waits and messages between them. */
export function Timeline({ detail, selected }: { detail: RunDetail; selected: string | undefined }) {
  const { words } = useTexts();
  const { sections, longestMs, screenshots: all } = timelineOf(detail, selected);
  const pictures = { of: useScreenshots(detail.run.runId), all };
  return (
    <section className="timeline" aria-label={words.run.timeline}>
      {sections.length === 0 && <p className="quiet">{words.run.emptyTimeline}</p>}
      {sections.map(({ step, events }) => (
        <article key={`${step.handler ?? ''} ${step.step}`} aria-label={step.step}>
          <header>
            <StatusIcon status={step.status} label={words.stepStatus[step.status]} />
            <h2>{step.step}</h2>
            {step.startedAt !== undefined && <ClockTime time={step.startedAt} />}
          </header>
          <StepFacts step={step} alone={events.length === 0} shownByRun={detail.run.error} />
          <StepLogs runId={detail.run.runId} attempt={detail.run.attempt} step={step} />
          {events.length === 0 && selected !== undefined && <p className="quiet">{words.run.quietStep}</p>}
          <ol>
            {events.map((event) =>
              event.type === 'tool' ? (
                <Operation key={event.id} event={event} longestMs={longestMs} pictures={pictures} />
              ) : (
                <Message key={event.id} event={event} told={step.error} pictures={pictures} />
              ),
            )}
          </ol>
        </article>
      ))}
    </section>
  );
}

/** What the rows need to show their screenshots. */
type Pictures = Pick<Parameters<typeof Screenshots>[0], 'of' | 'all'>;

/** What a step came to, where that is not told by its events: its error, its code, its results. */
function StepFacts({ step, alone, shownByRun }: { step: StepSummary; alone: boolean; shownByRun: string | undefined }) {
  const { words } = useTexts();
  const outputs = Object.entries(step.outputs);
  return (
    <>
      {step.error !== undefined && !shownByRun?.includes(step.error) && <Alert>{plainError(step.error)}</Alert>}
      {alone && step.exitCode !== undefined && step.exitCode !== 0 && (
        <p className="quiet">{words.run.exitCode(String(step.exitCode))}</p>
      )}
      {step.approval !== undefined && <Decided approval={step.approval} />}
      {outputs.length > 0 && (
        <dl className="outputs">
          {outputs.map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{typeof value === 'string' ? value : JSON.stringify(value)}</dd>
            </div>
          ))}
        </dl>
      )}
    </>
  );
}

function Operation({ event, longestMs, pictures }: { event: TimelineEvent; longestMs: number; pictures: Pictures }) {
  const { words, formats } = useTexts();
  const kinds: Record<string, string> = words.operation;
  const detail = detailOf(event);
  return (
    <li className={`operation ${event.status}`}>
      <StatusIcon status={event.status} label={words.eventStatus[event.status]} />
      <div className="operation-text">
        <p>
          <span className="quiet">{kinds[event.name ?? ''] ?? event.name}</span>{' '}
          {selectorsInWords(firstLine(event.content), words)}
        </p>
        {detail !== '' && <p className="detail">{selectorsInWords(detail, words)}</p>}
        <p className="facts quiet">
          {event.via !== undefined && <ViaLabel via={event.via} />}
          {event.tokens !== undefined && event.tokens > 0 && (
            <span>{words.run.tokens(formats.number(event.tokens))}</span>
          )}
        </p>
      </div>
      {event.durationMs !== undefined && <Duration ms={event.durationMs} longestMs={longestMs} />}
      <Screenshots files={event.files ?? []} {...pictures} />
    </li>
  );
}

/** What came of an operation, where that says more than its row: a check that holds says the same twice. */
function detailOf({ content, name, via, status, files = [] }: TimelineEvent): string {
  if (name === 'expect' && via === 'exact' && status === 'completed') return '';
  const detail = content.split('\n').slice(1).join('\n');
  return files.includes(detail) ? '' : detail;
}

interface MessageProps {
  event: TimelineEvent;
  /** The step's error, which the page shows already. */
  told: string | undefined;
  pictures: Pictures;
}

function Message({ event, told, pictures }: MessageProps) {
  const { words } = useTexts();
  const text = messageText(event, told, words);
  if (text === undefined) return null;
  const Icon = event.status === 'waiting' ? Hourglass : Info;
  return (
    <li className={`message ${event.status}`}>
      <Icon size={14} aria-hidden />
      <p>{text}</p>
      <ClockTime time={event.timestamp} />
      <Screenshots files={event.files ?? []} {...pictures} />
    </li>
  );
}

/** What a message says; nothing where it only repeats the step's error and has no picture of it. */
function messageText(event: TimelineEvent, told: string | undefined, words: Words): string | undefined {
  if (event.status === 'waiting') return waitWords(event, words);
  if (event.status !== 'failed' || !told?.includes(event.content)) return messageWords(event, words);
  return event.files === undefined || event.files.length === 0 ? undefined : words.run.atFailure;
}

function ClockTime({ time }: { time: string }) {
  const { formats } = useTexts();
  const date = new Date(time);
  return (
    <time className="quiet" dateTime={time} title={formats.full(date)}>
      {formats.clock(date)}
    </time>
  );
}

const viaIcons: Record<Via, LucideIcon> = { element: MousePointerClick, screen: Monitor, model: Bot, exact: Target };

function ViaLabel({ via }: { via: Via }) {
  const { words } = useTexts();
  const Icon = viaIcons[via];
  const { name, meaning } = words.via[via];
  return (
    <span className="via" title={meaning}>
      <Icon size={14} aria-hidden />
      {name}
    </span>
  );
}

/** How long an operation took, with a bar beside it that is as long in proportion to the longest one. */
function Duration({ ms, longestMs }: { ms: number; longestMs: number }) {
  const share = longestMs === 0 ? 0 : (100 * ms) / longestMs;
  return (
    <span className="duration">
      <svg aria-hidden="true" className="bar">
        <rect width="100%" height="100%" rx="2" className="bar-all" />
        <rect width={`${Math.max(2, share)}%`} height="100%" rx="2" className="bar-part" />
      </svg>
      <Length ms={ms} />
    </span>
  );
}
