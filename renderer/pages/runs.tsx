import { History } from 'lucide-react';
import { useState } from 'react';
import type { RunStatus, RunSummary } from '../../core/contract/run.ts';
import { PageHeading } from '../parts/heading.tsx';
import { Empty, Failing, Loading } from '../parts/states.tsx';
import { RunStatusLabel } from '../parts/status.tsx';
import { Ago, Took } from '../parts/time.tsx';
import { goTo, hrefOf } from '../route.ts';
import { useRunsList } from '../runs-data.ts';
import { useTexts } from '../texts.ts';
import { useTitle } from '../title.ts';
import '../styles/form.css';
import '../styles/runs.css';

/** Which runs are shown, by what they mean to a person. */
const filters = {
  all: undefined,
  working: ['running', 'not_started', 'queued'],
  needs: ['waiting'],
  problem: ['failed', 'aborted', 'rejected', 'partially_succeeded'],
  done: ['succeeded'],
} as const satisfies Record<string, readonly RunStatus[] | undefined>;
type Filter = keyof typeof filters;

/** The runs, newest first, live. */
export function RunsPage() {
  const { words } = useTexts();
  useTitle(words.runs.title);
  const [filter, setFilter] = useState<Filter>('all');
  const { value, error, reload, more } = useRunsList(filters[filter]);
  return (
    <div className="page">
      <header className="page-header">
        <PageHeading>{words.runs.title}</PageHeading>
        <FilterChoice filter={filter} choose={setFilter} />
      </header>
      {error !== undefined ? (
        <Failing title={words.runs.failedTitle} error={error} retry={reload} />
      ) : value === undefined ? (
        <Loading />
      ) : value.length === 0 && filter !== 'all' ? (
        <p className="quiet">{words.runs.noneOfFilter}</p>
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

function FilterChoice({ filter, choose }: { filter: Filter; choose(filter: Filter): void }) {
  const { words } = useTexts();
  return (
    <label className="filter">
      <span className="quiet">{words.runs.filter}</span>
      <select value={filter} onChange={(event) => choose(event.target.value as Filter)}>
        {Object.entries(words.runs.filters).map(([key, text]) => (
          <option key={key} value={key}>
            {text}
          </option>
        ))}
      </select>
    </label>
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
