import type { TokenBudgets } from '../../core/store/tokens.ts';
import type { Store } from '../../core/store/store.ts';
import { StepError, type TokenCount } from '../action.ts';

/** Variables of the process that set the budgets. A workflow file cannot lift them. */
const variables = { run: 'DAGU_DESKTOP_TOKENS_PER_RUN', day: 'DAGU_DESKTOP_TOKENS_PER_DAY' } as const;

/**
 * Counts what models take, for a run with all runs under it and for the day, and stops a request
 * before it would pass a budget.
 */
export class TokenLedger implements TokenCount {
  readonly #store: Pick<Store, 'countTokens'>;
  readonly #runId: string;
  readonly #env: Readonly<Record<string, string | undefined>>;

  /** @param env where the budgets stand */
  constructor(
    store: Pick<Store, 'countTokens'>,
    runId: string,
    env: Readonly<Record<string, string | undefined>> = process.env,
  ) {
    this.#store = store;
    this.#runId = runId;
    this.#env = env;
  }

  begin(model: string, expected: number): (used: number) => void {
    const budgets = this.#budgets();
    const hasBudget = Object.keys(budgets).length > 0;
    const day = today();
    const reserved = hasBudget ? expected : 0;
    const passed = hasBudget ? this.#store.countTokens(this.#runId, { day, model, tokens: reserved }, budgets) : undefined;
    if (passed !== undefined) {
      const { budget, limit, used } = passed;
      throw new StepError(
        `the request to ${model} would pass the budget of ${limit} tokens a ${budget}: ${used} are used, and it takes about ${expected}; raise ${variables[budget]}, or ask for less`,
      );
    }
    return (used) => {
      if (used !== reserved) this.#store.countTokens(this.#runId, { day, model, tokens: used - reserved });
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
