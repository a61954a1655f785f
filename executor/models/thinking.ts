import type { ThinkingConfig } from '../../core/workflow/llm.ts';

/**
 * Thinking as workflow files ask for it, in words or in tokens, for providers that take one of
 * them alone. A provider that takes both gets what the file says.
 */

type Effort = NonNullable<ThinkingConfig['effort']>;

/** Tokens of thinking that each effort stands for. */
const budgets: Record<Effort, number> = { low: 2048, medium: 8192, high: 24_576, xhigh: 49_152 };

/** The effort; of a budget alone, the least one that stands for as much. */
export function effortOf({ effort, budget_tokens }: ThinkingConfig): Effort {
  if (effort !== undefined) return effort;
  if (budget_tokens === undefined) return 'medium';
  const [enough] = Object.entries(budgets).find(([, tokens]) => budget_tokens <= tokens) ?? ['xhigh'];
  return enough as Effort;
}

/** The budget in tokens; of an effort alone, what that stands for. */
export function budgetOf(thinking: ThinkingConfig): number {
  return thinking.budget_tokens ?? budgets[effortOf(thinking)];
}
