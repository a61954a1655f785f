import { History } from 'lucide-react';
import type { RunSummary } from '../../core/contract/run.ts';
import { PageHeading } from '../parts/heading.tsx';
import { Empty, Failing, Loading } from '../parts/states.tsx';
import { RunStatusLabel } from '../parts/status.tsx';
import { Ago, Took } from '../parts/time.tsx';
import { goTo, hrefOf } from '../route.ts';
import { useRuns } from '../runs-data.ts';
import { useTexts } from '../texts.ts';
import { useTitle } from '../title.ts';
import '../styles/runs.css';

/** The runs, newest first, live. */
export function RunsPage() {
  const { words } = useTexts();
  useTitle(words.runs.title);
  const { value, error, reload, more } = useRuns();
  return (
    <div className="page">
      <header className="page-header">
        <PageHeading>{words.runs.title}</PageHeading>
      </header>
      {error !== undefined ? (
        <Failing title={words.runs.failedTitle} error={error} retry={reload} />
      ) : value === undefined ? (
        <Loading />
      ) : value.length === 0 ? (
        <Empty icon={History} title={words.runs.emptyTitle}>
          <p>{words.runs.emptyText}</p>
          <a href={hrefOf({ page: 'automations' })}>{words.runs.toAutomations}</a>
        </Empty>
      ) : (
        <>
          <RunsTable runs={value} />
          {more !== undefined && (
            <button type="button" className="more" onClick={more}>
              {words.runs.more}
            </button>
          )}
        </>
      )}
    </div>
  );
}

function RunsTable({ runs }: { runs: RunSummary[] }) {
  const { words } = useTexts();
  return (
    <table className="runs">
      <thead>
        <tr>
          <th scope="col">{words.runs.name}</th>
          <th scope="col">{words.runs.state}</th>
          <th scope="col">{words.runs.started}</th>
          <th scope="col" className="took">
            {words.runs.took}
          </th>
          <th scope="col" className="by">
            {words.runs.by}
          </th>
        </tr>
      </thead>
      <tbody>
        {runs.map((run) => (
          <RunRow key={run.runId} run={run} />
        ))}
      </tbody>
    </table>
  );
}

function RunRow({ run }: { run: RunSummary }) {
  const { words } = useTexts();
  const route = { page: 'run', runId: run.runId } as const;
  const triggers: Record<string, string> = words.runs.triggers;
  return (
    // A larger target for the pointer; the keyboard has the link.
    <tr onClick={() => goTo(route)}>
      <th scope="row">
        <a href={hrefOf(route)} onClick={(event) => event.stopPropagation()}>
          {run.name}
        </a>
      </th>
      <td>
        <RunStatusLabel status={run.status} />
      </td>
      <td>{run.startedAt === undefined ? words.runs.notStarted : <Ago time={run.startedAt} />}</td>
      <td className="took">
        {run.startedAt !== undefined && (
          <Took from={run.startedAt} {...(run.finishedAt !== undefined && { to: run.finishedAt })} />
        )}
      </td>
      <td className="by">{triggers[run.trigger] ?? run.trigger}</td>
    </tr>
  );
}
