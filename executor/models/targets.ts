import { type ChatProvider, canonicalProvider, providerProblem } from '../../core/workflow/chat.ts';
import { addressProblem, type LlmConfig, type ModelEntry } from '../../core/workflow/llm.ts';
import { StepError } from '../action.ts';

/** A model with all that a request to it needs. */
export interface ModelTarget {
  provider: ChatProvider;
  model: string;
  /** Requests go to this address with `/chat/completions` after it, and nothing else. */
  baseUrl: string;
  apiKey: string | undefined;
  temperature: number | undefined;
  maxTokens: number | undefined;
  topP: number | undefined;
}

interface Endpoint {
  baseUrl: string;
  /** Environment variable that holds the key; absent where none is needed. */
  keyName?: string;
}

const endpoints: Record<ChatProvider, Endpoint> = {
  local: { baseUrl: 'http://localhost:11434/v1' },
  openai: { baseUrl: 'https://api.openai.com/v1', keyName: 'OPENAI_API_KEY' },
  openrouter: { baseUrl: 'https://openrouter.ai/api/v1', keyName: 'OPENROUTER_API_KEY' },
  zai: { baseUrl: 'https://api.z.ai/api/paas/v4', keyName: 'ZAI_API_KEY' },
  opencode: { baseUrl: 'https://opencode.ai/zen/go/v1', keyName: 'OPENCODE_API_KEY' },
};

/**
 * The models of an `llm` block in their order. An entry's own settings win over the
 * block's. Throws a StepError that names what is missing: a model, a usable provider, a key.
 */
export function modelTargets(llm: LlmConfig, env: Record<string, string | undefined>): ModelTarget[] {
  const { provider, model, base_url, api_key_name, temperature, max_tokens, top_p } = llm;
  const shared = { base_url, api_key_name, temperature, max_tokens, top_p };
  const entries: ModelEntry[] = Array.isArray(model) ? model : [{ provider: provider ?? '', name: model ?? '' }];
  return entries.map((entry) => target({ ...shared, ...entry }, env));
}

function target(entry: ModelEntry, env: Record<string, string | undefined>): ModelTarget {
  const provider = providerOf(entry.provider);
  if (entry.name.trim() === '') throw new StepError(`the model's name for provider "${entry.provider}" is empty`);
  const endpoint = endpoints[provider];
  return {
    provider,
    model: entry.name,
    baseUrl: baseUrlOf(entry.base_url, endpoint),
    apiKey: keyOf(provider, entry.api_key_name, endpoint, env),
    temperature: entry.temperature,
    maxTokens: entry.max_tokens,
    topP: entry.top_p,
  };
}

function providerOf(name: string): ChatProvider {
  if (name.trim() === '') throw new StepError('llm provider resolved to an empty value');
  const problem = providerProblem(name);
  if (problem !== undefined) throw new StepError(problem);
  return canonicalProvider(name) as ChatProvider;
}

function baseUrlOf(own: string | undefined, endpoint: Endpoint): string {
  if (own === undefined) return endpoint.baseUrl;
  const problem = addressProblem(own);
  if (problem !== undefined) throw new StepError(problem);
  return own;
}

function keyOf(
  provider: ChatProvider,
  keyName: string | undefined,
  endpoint: Endpoint,
  env: Record<string, string | undefined>,
): string | undefined {
  const name = keyName === undefined ? endpoint.keyName : keyName.replace(/^\$\{?(\w+)\}?$/, '$1');
  if (name === undefined) return undefined;
  const key = env[name];
  if (key !== undefined && key !== '') return key;
  if (provider === 'local') return undefined;
  throw new StepError(`provider "${provider}" needs a key: set the environment variable ${name}`);
}
