import type { Provider, ThinkingConfig, WebSearchConfig } from '../../core/workflow/llm.ts';
import {
  addressProblem,
  canonicalProvider,
  type LlmConfig,
  type ModelEntry,
  providerProblem,
  webSearchProblem,
} from '../../core/workflow/llm.ts';
import { StepError } from '../action.ts';

/** A model with all that a request to it needs. */
export interface ModelTarget {
  provider: Provider;
  model: string;
  /** Requests go to this address with the path of the provider's API after it, and nothing else. */
  baseUrl: string;
  apiKey: string | undefined;
  temperature: number | undefined;
  maxTokens: number | undefined;
  topP: number | undefined;
  /** Set where the model is to think before it answers. */
  thinking?: ThinkingConfig;
  /** Set where the model may search the web. */
  webSearch?: WebSearchConfig;
}

interface Endpoint {
  baseUrl: string;
  /** Environment variable that holds the key; absent where none is needed. */
  keyName?: string;
}

const endpoints: Record<Provider, Endpoint> = {
  local: { baseUrl: 'http://localhost:11434/v1' },
  openai: { baseUrl: 'https://api.openai.com/v1', keyName: 'OPENAI_API_KEY' },
  anthropic: { baseUrl: 'https://api.anthropic.com', keyName: 'ANTHROPIC_API_KEY' },
  gemini: { baseUrl: 'https://generativelanguage.googleapis.com/v1beta', keyName: 'GOOGLE_API_KEY' },
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
  return entries.map((entry) => target({ ...shared, ...entry }, llm, env));
}

function target(
  entry: ModelEntry,
  { thinking, web_search }: LlmConfig,
  env: Record<string, string | undefined>,
): ModelTarget {
  const provider = providerOf(entry.provider);
  if (entry.name.trim() === '') throw new StepError(`the model's name for provider "${entry.provider}" is empty`);
  const problem = web_search && webSearchProblem(provider, web_search);
  if (problem !== undefined) throw new StepError(problem);
  return {
    provider,
    model: entry.name,
    baseUrl: baseUrlOf(entry.base_url, provider),
    apiKey: keyOf(provider, entry, env),
    temperature: entry.temperature,
    maxTokens: entry.max_tokens,
    topP: entry.top_p,
    ...(thinking?.enabled && { thinking }),
    ...(web_search?.enabled && { webSearch: web_search }),
  };
}

function providerOf(name: string): Provider {
  if (name.trim() === '') throw new StepError('llm provider resolved to an empty value');
  const provider = canonicalProvider(name);
  if (provider === undefined) throw new StepError(providerProblem(name));
  return provider;
}

function baseUrlOf(own: string | undefined, provider: Provider): string {
  if (own === undefined) return endpoints[provider].baseUrl;
  const problem = addressProblem(own);
  if (problem !== undefined) throw new StepError(problem);
  return own;
}

/**
 * The key for a request. The provider's own variable is for the provider's own address: to
 * another one goes what `api_key_name` names, and nothing else.
 */
function keyOf(
  provider: Provider,
  { api_key_name, base_url }: ModelEntry,
  env: Record<string, string | undefined>,
): string | undefined {
  const endpoint = endpoints[provider];
  const own = api_key_name?.replace(/^\$\{?(\w+)\}?$/, '$1');
  const name = own ?? endpoint.keyName;
  if (name === undefined) return undefined;
  if (own === undefined && base_url !== undefined && new URL(base_url).origin !== new URL(endpoint.baseUrl).origin) {
    throw new StepError(
      `base_url "${base_url}" is not the address of provider "${provider}", and the key in ${name} goes there alone: name the variable with the key for this address in api_key_name, or use provider "local" where it needs none`,
    );
  }
  const key = env[name];
  if (key !== undefined && key !== '') return key;
  if (provider === 'local') return undefined;
  throw new StepError(`provider "${provider}" needs a key: set the environment variable ${name}`);
}
