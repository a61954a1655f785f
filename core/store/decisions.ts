import { type Static, Type } from 'typebox';
import { checker } from '../contract/check.ts';
import { CallError } from '../contract/protocol.ts';
import { isEnded } from '../contract/run-state.ts';
import { mapTexts, sealText } from '../masking/sealed.ts';
import type { Connection } from './connection.ts';
import { jsonOrNull, readRows } from './rows.ts';
import { nothingToDo, startRun, statusOf } from './runs.ts';
import { noSuchRun } from './shapes.ts';
import { inNewestAttempt } from './steps.ts';

/** What a person decided about a step that waits. */
export const Answer = Type.Object(
  {
    step: Type.String(),
    kind: Type.Enum(['approve', 'reject', 'push_back', 'ask']),
    /** Values that the step asked for, by name. */
    inputs: Type.Record(Type.String(), Type.String()),
    reason: Type.Optional(Type.String()),
    /** Id of the question that this answers. */
    ask: Type.Optional(Type.String()),
  },
  { additionalProperties: false },
);
export type Answer = Static<typeof Answer>;

/** A question of a step that waits for a person; `ask` is what the step wants to know again. */
export const Ask = Type.Object(
  {
    step: Type.String(),
    id: Type.String(),
    state: Type.Enum(['pending', 'answered', 'rejected', 'expired']),
    ask: Type.Unknown(),
  },
  { additionalProperties: false },
);
export type Ask = Static<typeof Ask>;

const checkAnswer = checker(Answer, 'answer');
const checkAsk = checker(Ask, 'question in the database');

/**
 * Keeps an answer for the run's process to take up. Code `not_waiting` where the step does not
 * wait for one, or has one already.
 */
export function addAnswer(db: Connection, runId: string, answer: Answer): void {
  const { step, kind } = checkAnswer(answer);
  db.transaction(() => {
    const status = statusOf(db, runId);
    if (status === undefined) throw noSuchRun(runId);
    if (isEnded(status)) throw notWaiting(runId, step, `the run is at its end (${status})`);
    const found = db.get(`SELECT status FROM steps WHERE ${inNewestAttempt} AND step = ?2`, runId, step);
    if (found?.status !== 'waiting') throw notWaiting(runId, step, `it is ${found?.status ?? 'not there'}`);
    if (openAnswers(db, runId).some((open) => open.step === step && open.ask === answer.ask)) {
      throw notWaiting(runId, step, 'it has its answer, which the run has yet to take up');
    }
    db.run(
      'INSERT INTO answers (run_id, step, kind, answer, given_at) VALUES (?, ?, ?, ?, ?)',
      runId,
      step,
      kind,
      JSON.stringify(mapTexts(answer, sealText)),
      new Date().toISOString(),
    );
  });
}

function notWaiting(runId: string, step: string, what: string): CallError {
  return new CallError('not_waiting', `step "${step}" of run ${runId} does not wait for an answer: ${what}`);
}

/** Answers that no process took up yet, in the order they were given. Their texts are sealed. */
export function openAnswers(db: Connection, runId: string): Answer[] {
  const rows = db.all('SELECT answer FROM answers WHERE run_id = ? AND taken_at IS NULL ORDER BY seq', runId);
  return readRows(db.path, runId, () => rows.map(({ answer }) => checkAnswer(jsonOrNull(answer))));
}

/** Whether something was decided that a run in waiting goes on with: an answer to it or a run under it, or a stop. */
export function isAsked(db: Connection, runId: string): boolean {
  if (stopRequest(db, runId) !== undefined) return true;
  const answer = db.get(
    `SELECT 1 FROM answers WHERE taken_at IS NULL AND run_id IN
       (SELECT ?1 UNION ALL SELECT id FROM runs WHERE root_id = ?1 AND parent_id IS NOT NULL)`,
    runId,
  );
  return answer !== undefined;
}

/**
 * Takes up a run that waits, or is queued, and gives its open answers, those to runs under it not
 * among them: to one process alone, however many try at once. Code `nothing_to_do` where nothing
 * was decided ({@link isAsked}).
 */
export function resumeRun(db: Connection, runId: string, at: string): Answer[] {
  return db.transaction(() => {
    const status = statusOf(db, runId);
    if ((status !== 'waiting' && status !== 'queued') || !isAsked(db, runId)) throw nothingToDo(db, runId);
    const answers = openAnswers(db, runId);
    db.run('UPDATE answers SET taken_at = ? WHERE run_id = ? AND taken_at IS NULL', at, runId);
    startRun(db, runId, at);
    return answers;
  });
}

/** Takes secrets out of the answers that a run took up; only its process knows them. */
export function sealAnswers(db: Connection, runId: string, seal: (answer: Answer) => Answer): void {
  db.transaction(() => {
    const rows = db.all('SELECT seq, answer FROM answers WHERE run_id = ? AND taken_at IS NOT NULL', runId);
    const answers = readRows(db.path, runId, () => rows.map(({ answer }) => checkAnswer(jsonOrNull(answer))));
    for (const [index, answer] of answers.entries()) {
      db.run('UPDATE answers SET answer = ? WHERE seq = ?', JSON.stringify(seal(answer)), rows[index]?.seq as number);
    }
  });
}

/** Asks a run to end; the first reason stays. False where there is no such run, or it is at its end already. */
export function requestStop(db: Connection, runId: string, reason: string): boolean {
  return db.transaction(() => {
    const status = statusOf(db, runId);
    if (status === undefined || isEnded(status)) return false;
    db.run(
      'INSERT INTO stop_requests (run_id, reason, requested_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
      runId,
      reason,
      new Date().toISOString(),
    );
    return true;
  });
}

/** Why the run is asked to end, or `undefined` when nobody asked. */
export function stopRequest(db: Connection, runId: string): string | undefined {
  return db.get('SELECT reason FROM stop_requests WHERE run_id = ?', runId)?.reason as string | undefined;
}

/** Keeps a question, or what became of it. */
export function saveAsk(db: Connection, runId: string, { step, id, state, ask }: Ask): void {
  db.run(
    `INSERT INTO asks (run_id, step, id, state, ask) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET state = excluded.state, ask = excluded.ask`,
    runId,
    step,
    id,
    state,
    JSON.stringify(ask),
  );
}

/** Questions of a run that nobody answered yet. */
export function openAsks(db: Connection, runId: string): Ask[] {
  const rows = db.all(`SELECT step, id, state, ask FROM asks WHERE run_id = ? AND state = 'pending'`, runId);
  return readRows(db.path, runId, () => rows.map((row) => checkAsk({ ...row, ask: jsonOrNull(row.ask) })));
}
