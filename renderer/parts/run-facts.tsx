import type { AttemptSummary } from '../../core/contract/api.ts';
import type { EgressEntry, RunDetail, RunSummary } from '../../core/contract/run.ts';
import { hrefOf } from '../route.ts';
import { useTexts } from '../texts.ts';
import { RunStatusLabel } from './status.tsx';
import { Took } from './time.tsx';

/** The runs under a run: sub-workflows and the items of a `foreach`. */
export function Children({ runs }: { runs: RunSummary[] }) {
  const { words } = useTexts();
  if (runs.length === 0) return null;
  return (
    <section className="run-facts" aria-label={words.run.children}>
      <h2>{words.run.children}</h2>
      <ul>
        {runs.map((run) => (
          <li key={run.runId}>
            <a href={hrefOf({ page: 'run', runId: run.runId })}>{words.run.item(run.name, run.parent?.item ?? '')}</a>
            <RunStatusLabel status={run.status} />
            {run.startedAt !== undefined && (
              <span className="quiet">
                <Took from={run.startedAt} {...(run.finishedAt !== undefined && { to: run.finishedAt })} />
              </span>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

/** What a run sent over the network, host by host. What stayed on this computer is told last. */
export function Egress({ detail: { run, egress } }: { detail: RunDetail }) {
  const { words } = useTexts();
  if (run.startedAt === undefined) return null;
  const left = egress.filter(({ loopback }) => !loopback);
  return (
    <section className="run-facts" aria-label={words.run.egress}>
      <h2>{words.run.egress}</h2>
      {left.length === 0 && <p className="quiet">{words.run.nothingLeft}</p>}
      <ul>
        {[...left, ...egress.filter(({ loopback }) => loopback)].map((entry) => (
          <Sent key={`${entry.host} ${entry.kind} ${entry.proxy ?? ''}`} entry={entry} />
        ))}
      </ul>
    </section>
  );
}

function Sent({ entry }: { entry: EgressEntry }) {
  const { words, formats } = useTexts();
  const kinds: Record<string, string> = words.run.kinds;
  const { host, kind, bytesSent, bytesReceived, requests, pictures, loopback, proxy } = entry;
  const facts = [
    words.run.sent(formats.bytes(bytesSent), requests),
    words.run.received(formats.bytes(bytesReceived)),
    ...(pictures ? [words.run.pictures] : []),
    ...(proxy === undefined ? [] : [words.run.through(proxy)]),
    ...(loopback ? [words.run.loopback] : []),
  ];
  return (
    <li className={loopback ? 'quiet' : undefined}>
      <strong>{words.run.sentTo(host, kinds[kind] ?? kind)}</strong> <span>{formats.list(facts)}</span>
    </li>
  );
}

interface AttemptsProps {
  attempts: AttemptSummary[];
  shown: number;
  choose(attempt: number): void;
}

/** Which attempt of a run is shown; nothing where there is one. */
export function Attempts({ attempts, shown, choose }: AttemptsProps) {
  const { words } = useTexts();
  if (attempts.length < 2) return null;
  return (
    <label className="attempts">
      <span className="only-heard">{words.run.attempts}</span>
      <select value={shown} onChange={(event) => choose(Number(event.target.value))}>
        {attempts.map(({ attempt, status }) => (
          <option key={attempt} value={attempt}>
            {words.run.item(words.run.attempt(attempt, attempts.length), words.runStatus[status])}
          </option>
        ))}
      </select>
    </label>
  );
}
