import { Play, Workflow } from 'lucide-react';
import { useCallback, useId, useState } from 'react';
import type { WorkflowFile } from '../../core/contract/api.ts';
import type { RunSummary } from '../../core/contract/run.ts';
import { isEnded } from '../../core/contract/run-state.ts';
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

function Automation({ workflow, lastRun }: { workflow: WorkflowFile; lastRun: RunSummary | undefined }) {
  const texts = useTexts();
  const { words } = texts;
  const [starting, setStarting] = useState(false);
  const [failure, setFailure] = useState<unknown>();
  const reasonId = useId();
  const reason = whyNotRunnable(workflow, lastRun, texts);

  const run = async () => {
    if (reason !== undefined || starting) return;
    setStarting(true);
    setFailure(undefined);
    try {
      const { runId } = await call('startRun', { path: workflow.path });
      goTo({ page: 'run', runId });
    } catch (error) {
      setFailure(error);
    } finally {
      setStarting(false);
    }
  };

  return (
    <li>
      <div className="automation">
        <div className="automation-text">
          <h2>{workflow.name}</h2>
          {workflow.description !== undefined && <p className="description">{workflow.description}</p>}
          <p className="quiet facts">
            <span className="file">{workflow.file}</span>
            {workflow.problem === undefined && <LastRun run={lastRun} />}
          </p>
          {workflow.problem !== undefined && <Problem problem={workflow.problem} />}
          {reason !== undefined && (
            // The file's problem stands there already; a screen reader at the button needs the reason all the same.
            <p id={reasonId} className={workflow.problem === undefined ? 'quiet' : 'only-heard'}>
              {reason}
            </p>
          )}
        </div>
        {/* Not `disabled`: the keyboard still reaches it, and hears why. */}
        <button
          type="button"
          className="primary"
          aria-disabled={reason !== undefined || starting}
          aria-label={words.automations.runName(workflow.name)}
          aria-describedby={reason === undefined ? undefined : reasonId}
          title={reason}
          onClick={run}
        >
          <Play size={14} aria-hidden />
          {starting ? words.automations.starting : words.automations.run}
        </button>
      </div>
      {failure !== undefined && (
        <Alert title={words.automations.startFailed(workflow.name)}>{failureWords(failure, words)}</Alert>
      )}
    </li>
  );
}

/** Why one click cannot run a workflow, for its reader; nothing when it can. */
export function whyNotRunnable(
  { problem, missingParams }: WorkflowFile,
  lastRun: RunSummary | undefined,
  { words, formats }: PageTexts,
): string | undefined {
  if (problem !== undefined) return words.automations.broken;
  if (missingParams.length > 0) return words.automations.needs(formats.list(missingParams));
  if (lastRun !== undefined && !isEnded(lastRun.status)) return words.automations.running;
  return undefined;
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

function onWorkflowsChanged(changed: () => void): () => void {
  return window.dagu.on('workflowsChanged', changed);
}
