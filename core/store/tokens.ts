import type { Connection } from './connection.ts';

/** Tokens that a model took, or is about to take: negative where less was taken than was expected. */
export interface TokenEntry {
  /** The day here, as `2026-01-31`. */
  day: string;
  /** `<provider>/<model>` */
  model: string;
  tokens: number;
}

/** The most tokens that a run with all runs under it, and all runs of a day, may take. */
export interface TokenBudgets {
  run?: number;
  day?: number;
}

/** A budget that tokens would pass, and how many of it are used. */
export interface PassedBudget {
  budget: 'run' | 'day';
  limit: number;
  used: number;
}

/** How many days are kept. A run that waits longer begins its budget anew. */
const keptDays = 400;

/**
 * Counts tokens for the run at the top of a run's family, unless they would pass a budget: then
 * nothing is counted. Of several processes that count at once, none sees less than what is there.
 */
export function countTokens(
  db: Connection,
  runId: string,
  { day, model, tokens }: TokenEntry,
  budgets: TokenBudgets = {},
): PassedBudget | undefined {
  return db.transaction(() => {
    const rootId = db.get('SELECT root_id FROM runs WHERE id = ?', runId)?.root_id ?? runId;
    const sum = (where: string, value: unknown) =>
      db.get(`SELECT coalesce(sum(tokens), 0) AS used FROM model_tokens WHERE ${where} = ?`, value as string)
        ?.used as number;
    const kinds = [
      { budget: 'run', limit: budgets.run, used: () => sum('root_id', rootId) },
      { budget: 'day', limit: budgets.day, used: () => sum('day', day) },
    ] as const;
    for (const { budget, limit, used: usedOf } of kinds) {
      if (limit === undefined) continue;
      const used = usedOf();
      if (used + tokens > limit) return { budget, limit, used };
    }
    db.run(
      `INSERT INTO model_tokens (day, root_id, model, tokens) VALUES (?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET tokens = tokens + excluded.tokens`,
      day,
      rootId as string,
      model,
      tokens,
    );
    const oldest = new Date(Date.parse(`${day}T00:00:00Z`) - keptDays * 86_400_000).toISOString().slice(0, 10);
    db.run('DELETE FROM model_tokens WHERE day < ?', oldest);
    return undefined;
  });
}
