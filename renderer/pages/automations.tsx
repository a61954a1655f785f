import { CalendarClock, FileQuestion, Play, SlidersHorizontal, Workflow } from 'lucide-react';
import { useCallback, useId } from 'react';
import type { RunSummary } from '../../core/contract/run.ts';
import { isEnded } from '../../core/contract/run-state.ts';
import type { ScheduleEntry, WorkflowFile } from '../../core/contract/workflow-file.ts';
import { useAction } from '../action.ts';
import { call, failureWords } from '../bridge.ts';
import { useLive } from '../live.ts';
import { PageHeading } from '../parts/heading.tsx';
import { Alert, Empty, Failing, Loading } from '../parts/states.tsx';
import { RunStatusLabel } from '../parts/status.tsx';
import { Ago } from '../parts/time.tsx';
import { goTo, hrefOf } from '../route.ts';
import { useRuns } from '../runs-data.ts';
import { type PageTexts, useTexts } from '../texts.ts';
import { useTitle } from '../title.ts';
import { onWorkflowsChanged } from '../workflows-data.ts';
import '../styles/automations.css';

/** The workflow files of the folder, each with its Run button. */
export function AutomationsPage() {
  const { words } = useTexts();
  useTitle(words.automations.title);
  const load = useCallback(() => call('listWorkflows', {}), []);
  const { value, error, reload } = useLive(load, onWorkflowsChanged);
  return (
    <div className="page">
      <header className="page-header">
        <PageHeading>{words.automations.title}</PageHeading>
        {value !== undefined && <p className="quiet folder">{words.automations.folder(value.folder)}</p>}
      </header>
      {error !== undefined ? (
        <Failing title={words.automations.failedTitle} error={error} retry={reload} />
      ) : value === undefined ? (
        <Loading />
      ) : (
        <Automations {...value} />
      )}
    </div>
  );
}

function Automations({ folder, workflows }: { folder: string; workflows: WorkflowFile[] }) {
  const { words } = useTexts();
  const { value: runs } = useRuns();
  if (workflows.length === 0) {
    return (
      <Empty icon={Workflow} title={words.automations.emptyTitle}>
        <p>{words.automations.emptyText(folder)}</p>
      </Empty>
    );
  }
  return (
    <ul className="automations" aria-label={words.automations.list}>
      {workflows.map((workflow) => (
        <Automation key={workflow.path} workflow={workflow} lastRun={runs?.find((run) => run.path === workflow.path)} />
      ))}
    </ul>
  );
}

interface AutomationProps {
  workflow: WorkflowFile;
  lastRun: RunSummary | undefined;
}

function Automation({ workflow, lastRun }: AutomationProps) {
  const { words } = useTexts();
  const { name, description, file, problem, schedules, trust } = workflow;
  const start = useAction(async () => {
    const { runId } = await call('startRun', { path: workflow.path });
    goTo({ page: 'run', runId });
  });
  const isAsked = problem === undefined && trust !== 'allowed';
  return (
    <li>
      <div className="automation">
        <div className="automation-text">
          <h2>{name}</h2>
          {description !== undefined && <p className="description">{description}</p>}
          <p className="quiet facts">
            <span className="file">{file}</span>
            {problem === undefined && <LastRun run={lastRun} />}
          </p>
          {problem === undefined && schedules.map((entry) => <Scheduled key={entryKey(entry)} entry={entry} />)}
          {problem !== undefined && <Problem problem={problem} />}
          {isAsked && (
            <p className="notice">
              <FileQuestion size={16} aria-hidden />
              {trust === 'new' ? words.automations.newFile : words.automations.changedFile}
            </p>
          )}
        </div>
        {isAsked ? <Look workflow={workflow} /> : <Start workflow={workflow} lastRun={lastRun} start={start} />}
      </div>
      {start.failure !== undefined && (
        <Alert title={words.automations.startFailed(name)}>{failureWords(start.failure, words)}</Alert>
      )}
    </li>
  );
}

function Look({ workflow: { path, name } }: { workflow: WorkflowFile }) {
  const { words } = useTexts();
  return (
    <button
      type="button"
      className="primary"
      aria-label={words.automations.lookName(name)}
      onClick={() => goTo({ page: 'allow', path })}
    >
      {words.automations.look}
    </button>
  );
}

function Start({ workflow, lastRun, start }: AutomationProps & { start: ReturnType<typeof useAction<[]>> }) {
  const texts = useTexts();
  const { words, formats } = texts;
  const reasonId = useId();
  const { path, name, missingParams, params } = workflow;
  const reason = whyNotRunnable(workflow, lastRun, texts);
  const asks = missingParams.length > 0;
  const hint = reason ?? (asks ? words.automations.needs(formats.list(missingParams)) : undefined);
  const openForm = () => reason === undefined && goTo({ page: 'start', path });
  const run = () => reason === undefined && start.run();
  return (
    <div className="automation-actions">
      {/* Not `disabled`: the keyboard still reaches it, and hears why. */}
      <button
        type="button"
        className="primary"
        aria-disabled={reason !== undefined || start.isGoing}
        aria-label={words.automations.runName(name)}
        aria-describedby={hint === undefined ? undefined : reasonId}
        title={hint}
        onClick={asks ? openForm : run}
      >
        <Play size={14} aria-hidden />
        {start.isGoing ? words.automations.starting : words.automations.run}
      </button>
      {!asks && params.length > 0 && (
        <button
          type="button"
          aria-disabled={reason !== undefined}
          aria-label={words.automations.runWithName(name)}
          onClick={openForm}
        >
          <SlidersHorizontal size={14} aria-hidden />
          {words.automations.runWith}
        </button>
      )}
      {hint !== undefined && (
        // The file's problem stands there already; a screen reader at the button needs the reason all the same.
        <p id={reasonId} className={workflow.problem === undefined ? 'quiet hint' : 'only-heard'}>
          {hint}
        </p>
      )}
    </div>
  );
}

/** Why a click cannot run a workflow, for its reader; nothing when it can. */
export function whyNotRunnable(
  { problem, maxActiveRuns }: WorkflowFile,
  lastRun: RunSummary | undefined,
  { words }: Pick<PageTexts, 'words'>,
): string | undefined {
  if (problem !== undefined) return words.automations.broken;
  const isAtWork = lastRun !== undefined && !isEnded(lastRun.status) && lastRun.status !== 'waiting';
  return isAtWork && maxActiveRuns === undefined ? words.automations.running : undefined;
}

function LastRun({ run }: { run: RunSummary | undefined }) {
  const { words } = useTexts();
  if (run === undefined) return <span>{words.automations.notRunYet}</span>;
  return (
    <a className="last-run" href={hrefOf({ page: 'run', runId: run.runId })}>
      <RunStatusLabel status={run.status} /> <Ago time={run.finishedAt ?? run.startedAt ?? run.createdAt} />
    </a>
  );
}

const entryKey = ({ does, expression }: ScheduleEntry) => `${does} ${expression}`;

/** When a workflow starts, or ends, by itself. */
function Scheduled({ entry: { does, expression, next, problem } }: { entry: ScheduleEntry }) {
  const { words, formats } = useTexts();
  if (problem !== undefined) return <Alert>{words.automations.badSchedule(problem)}</Alert>;
  if (next === undefined) return null;
  const { next: start, nextStop: stop, nextRestart: restart } = words.automations;
  return (
    <p className="quiet scheduled" title={expression}>
      <CalendarClock size={14} aria-hidden />
      {{ start, stop, restart }[does](formats.moment(new Date(next)))}
    </p>
  );
}

function Problem({ problem: { message, line, column } }: { problem: NonNullable<WorkflowFile['problem']> }) {
  const { words } = useTexts();
  const place =
    line === undefined
      ? undefined
      : column === undefined
        ? words.automations.problemAtLine(line)
        : words.automations.problemAt(line, column);
  return <Alert {...(place !== undefined && { title: place })}>{message}</Alert>;
}
