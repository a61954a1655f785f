import type { TokenBudgets } from '../../core/store/tokens.ts';
import { StepError, type TokenCount } from '../action.ts';
import type { RunContext } from './run-context.ts';

/** Variables of the process that set the budgets. A workflow file cannot lift them. */
const variables = { run: 'DAGU_DESKTOP_TOKENS_PER_RUN', day: 'DAGU_DESKTOP_TOKENS_PER_DAY' } as const;

/** What it needs of a run. */
type LedgerRun = Pick<RunContext, 'runId' | 'flush' | 'later'> & { store: Pick<RunContext['store'], 'countTokens'> };

/**
 * Counts what models take, for a run with all runs under it and for the day, and stops a request
 * before it would pass a budget.
 */
export class TokenLedger implements TokenCount {
  readonly #run: LedgerRun;
  readonly #env: Readonly<Record<string, string | undefined>>;

  /** @param env where the budgets stand */
  constructor(run: LedgerRun, env: Readonly<Record<string, string | undefined>> = process.env) {
    this.#run = run;
    this.#env = env;
  }

  begin(model: string, expected: number): (used: number) => void {
    const budgets = this.#budgets();
    const hasBudget = Object.keys(budgets).length > 0;
    const { store, runId } = this.#run;
    const day = today();
    const reserved = hasBudget ? expected : 0;
    // What was used before is counted first.
    if (hasBudget) this.#run.flush();
    const passed = hasBudget ? store.countTokens(runId, { day, model, tokens: reserved }, budgets) : undefined;
    if (passed !== undefined) {
      const { budget, limit, used } = passed;
      throw new StepError(
        `the request to ${model} would pass the budget of ${limit} tokens a ${budget}: ${used} are used, and it takes about ${expected}; raise ${variables[budget]}, or ask for less`,
      );
    }
    return (used) => {
      if (used === reserved) return;
      this.#run.later(() => void store.countTokens(runId, { day, model, tokens: used - reserved }));
    };
  }

  #budgets(): TokenBudgets {
    const run = this.#budget(variables.run);
    const day = this.#budget(variables.day);
    return { ...(run !== undefined && { run }), ...(day !== undefined && { day }) };
  }

  #budget(name: string): number | undefined {
    const text = this.#env[name]?.trim() ?? '';
    if (text === '') return undefined;
    const tokens = Number(text);
    if (/^\d+$/.test(text) && Number.isSafeInteger(tokens)) return tokens;
    throw new StepError(`${name} must be a number of tokens (value: ${text})`);
  }
}

/** The day on this computer's clock. */
function today(): string {
  const now = new Date();
  const two = (part: number) => String(part).padStart(2, '0');
  return `${now.getFullYear()}-${two(now.getMonth() + 1)}-${two(now.getDate())}`;
}
