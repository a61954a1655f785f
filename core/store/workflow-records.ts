import type { Connection } from './connection.ts';

/** Whether this content of a workflow file may run. `hash` is its SHA-256 with what it includes. */
export function isTrusted(db: Connection, path: string, hash: string): boolean {
  return db.get('SELECT 1 FROM trusted WHERE path = ? AND hash = ?', path, hash) !== undefined;
}

/** Whether any content of a workflow file was allowed to run: one that is not is then a change. */
export function hasTrusted(db: Connection, path: string): boolean {
  return db.get('SELECT 1 FROM trusted WHERE path = ?', path) !== undefined;
}

/** Allows a content of a workflow file to run; `by` says who did. */
export function trust(db: Connection, path: string, hash: string, by: string): void {
  db.run(
    'INSERT INTO trusted (path, hash, allowed_by, allowed_at) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING',
    path,
    hash,
    by,
    new Date().toISOString(),
  );
}

/** The moment (RFC 3339) up to which a file's schedule was dealt with. */
export function scheduleMark(db: Connection, path: string): string | undefined {
  return db.get('SELECT until FROM schedule_marks WHERE path = ?', path)?.until as string | undefined;
}

export function setScheduleMark(db: Connection, path: string, until: string): void {
  db.run(
    'INSERT INTO schedule_marks (path, until) VALUES (?, ?) ON CONFLICT DO UPDATE SET until = excluded.until',
    path,
    until,
  );
}
