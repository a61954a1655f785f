import { Type } from 'typebox';
import { checker } from '../contract/check.ts';
import { EgressEntry, TimelineEvent } from '../contract/run.ts';
import type { Connection } from './connection.ts';
import { readRows, withoutNulls } from './rows.ts';
import { inNewestAttempt } from './steps.ts';

const checkEvent = checker(TimelineEvent, 'timeline event');
const Messages = Type.Array(Type.Unknown());
const checkMessages = checker(Messages, 'conversation in the database');
const checkEgress = checker(EgressEntry, 'network summary in the database');

/** Adds an event to the timeline of the run's newest attempt. */
export function addEvent(db: Connection, runId: string, event: TimelineEvent): void {
  db.run(
    `INSERT INTO events (run_id, attempt, step, sequence, event)
     VALUES (?1, (SELECT attempt FROM runs WHERE id = ?1), ?2, ?3, ?4)`,
    runId,
    event.step,
    event.sequence,
    JSON.stringify(checkEvent(event)),
  );
}

/** The newest events of an attempt and of the steps that it kept, oldest first. */
export function newestEvents(
  db: Connection,
  runId: string,
  { attempt, limit }: { attempt: number; limit: number },
): TimelineEvent[] {
  const rows = db.all(
    `SELECT event FROM (
       SELECT events.seq, event FROM events
       JOIN steps ON steps.run_id = events.run_id AND steps.attempt = ?2 AND steps.step = events.step
         AND steps.ran_in = events.attempt
       WHERE events.run_id = ?1 ORDER BY events.seq DESC LIMIT ?3
     ) ORDER BY seq`,
    runId,
    attempt,
    limit,
  );
  return rows.map(({ event }) => checkEvent(JSON.parse(event as string)));
}

/** The last event's sequence of each step that has events in the run's newest attempt. */
export function lastSequences(db: Connection, runId: string): Map<string, number> {
  const rows = db.all(
    `SELECT step, max(sequence) AS last FROM events
     WHERE ${inNewestAttempt} GROUP BY step`,
    runId,
  );
  return new Map(rows.map(({ step, last }) => [step as string, last as number]));
}

/** Adds to the sums of what a run exchanged over the network. */
export function addEgress(db: Connection, runId: string, entries: readonly EgressEntry[]): void {
  db.transaction(() => {
    for (const entry of entries) addEgressEntry(db, runId, checkEgress(entry));
  });
}

function addEgressEntry(db: Connection, runId: string, entry: EgressEntry): void {
  db.run(
    `INSERT INTO egress (run_id, host, kind, proxy, loopback, pictures, requests, bytes_sent, bytes_received)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET loopback = excluded.loopback, pictures = max(pictures, excluded.pictures),
       requests = requests + excluded.requests, bytes_sent = bytes_sent + excluded.bytes_sent,
       bytes_received = bytes_received + excluded.bytes_received`,
    runId,
    entry.host,
    entry.kind,
    entry.proxy ?? '',
    Number(entry.loopback),
    Number(entry.pictures),
    entry.requests,
    entry.bytesSent,
    entry.bytesReceived,
  );
}

/** What a run and the runs under it exchanged over the network. */
export function egressOf(db: Connection, runId: string): EgressEntry[] {
  const rows = db.all(
    `WITH RECURSIVE family (id) AS (VALUES (?) UNION ALL SELECT runs.id FROM runs JOIN family ON parent_id = family.id)
     SELECT host, kind, nullif(proxy, '') AS proxy, max(loopback) AS loopback, max(pictures) AS pictures,
       sum(requests) AS requests, sum(bytes_sent) AS bytesSent, sum(bytes_received) AS bytesReceived
     FROM egress WHERE run_id IN family GROUP BY host, kind, proxy ORDER BY host, kind, proxy`,
    runId,
  );
  return rows.map((row) =>
    checkEgress(withoutNulls({ ...row, loopback: Boolean(row.loopback), pictures: Boolean(row.pictures) })),
  );
}

/** Keeps the conversation of a chat step, its secrets masked by the caller. */
export function saveSession(db: Connection, runId: string, step: string, messages: readonly unknown[]): void {
  db.run(
    `INSERT INTO sessions (run_id, step, messages) VALUES (?, ?, ?)
     ON CONFLICT DO UPDATE SET messages = excluded.messages`,
    runId,
    step,
    JSON.stringify(messages),
  );
}

/** The conversation of a chat step as it was kept last. */
export function session(db: Connection, runId: string, step: string): unknown[] | undefined {
  const row = db.get('SELECT messages FROM sessions WHERE run_id = ? AND step = ?', runId, step);
  return row === undefined
    ? undefined
    : readRows(db.path, runId, () => checkMessages(JSON.parse(row.messages as string)));
}
