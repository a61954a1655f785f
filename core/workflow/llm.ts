import { type Static, Type } from 'typebox';
import type { FieldPath, Problem } from './types.ts';

/** Providers by their names and aliases, as workflow files write them. */
export const providers = {
  openai: 'openai',
  anthropic: 'anthropic',
  gemini: 'gemini',
  google: 'gemini',
  openrouter: 'openrouter',
  local: 'local',
  ollama: 'local',
  vllm: 'local',
  llama: 'local',
  zai: 'zai',
  zhipu: 'zai',
  zhipuai: 'zai',
  glm: 'zai',
  opencode: 'opencode',
} as const;
export type Provider = (typeof providers)[keyof typeof providers];

const closed = { additionalProperties: false } as const;
const temperature = Type.Optional(
  Type.Number({ minimum: 0, maximum: 2, title: 'How freely it answers', description: 'between 0.0 and 2.0' }),
);
const topP = Type.Optional(
  Type.Number({
    minimum: 0,
    maximum: 1,
    title: 'Share of the likeliest words that it chooses from',
    description: 'between 0.0 and 1.0',
  }),
);
const maxTokens = Type.Optional(
  Type.Integer({ minimum: 1, title: 'Longest answer in tokens', description: 'at least 1' }),
);
const baseUrl = Type.Optional(Type.String({ title: 'Address of the server; requests go to paths under it' }));
const apiKeyName = Type.Optional(Type.String({ title: 'Name of the variable that holds the key' }));

/** How much a model thinks before it answers. */
export const ThinkingConfig = Type.Object(
  {
    enabled: Type.Optional(Type.Boolean()),
    effort: Type.Optional(Type.Enum(['low', 'medium', 'high', 'xhigh'])),
    /** Tokens that it may think. */
    budget_tokens: Type.Optional(Type.Integer({ minimum: 1, description: 'at least 1' })),
    /** What it thinks is written before the answer. */
    include_in_output: Type.Optional(Type.Boolean()),
  },
  closed,
);
export type ThinkingConfig = Static<typeof ThinkingConfig>;

const domains = Type.Optional(Type.Array(Type.String({ minLength: 1 })));

/** Whether the provider searches the web for the model, and where. */
export const WebSearchConfig = Type.Object(
  {
    enabled: Type.Optional(Type.Boolean()),
    max_uses: Type.Optional(Type.Integer({ minimum: 1, description: 'at least 1' })),
    allowed_domains: domains,
    blocked_domains: domains,
    user_location: Type.Optional(
      Type.Object(
        {
          city: Type.Optional(Type.String()),
          region: Type.Optional(Type.String()),
          country: Type.Optional(Type.String()),
          timezone: Type.Optional(Type.String()),
        },
        closed,
      ),
    ),
  },
  closed,
);
export type WebSearchConfig = Static<typeof WebSearchConfig>;

/** One entry of a `model` list; it overrides the shared settings. */
export const ModelEntry = Type.Object(
  {
    provider: Type.String(),
    name: Type.String(),
    temperature,
    max_tokens: maxTokens,
    top_p: topP,
    base_url: baseUrl,
    api_key_name: apiKeyName,
  },
  closed,
);
export type ModelEntry = Static<typeof ModelEntry>;

/** The `llm` block of a workflow or a step. */
export const LlmConfig = Type.Object(
  {
    provider: Type.Optional(Type.String({ title: 'Whose models: openai, anthropic, gemini, local, …' })),
    model: Type.Optional(
      Type.Union([Type.String(), Type.Array(ModelEntry, { minItems: 1 })], {
        title: 'The model, or several that are tried in turn',
        description: 'a name, or a list of models with provider and name',
      }),
    ),
    system: Type.Optional(Type.String({ title: 'What it is told before all else' })),
    temperature,
    max_tokens: maxTokens,
    top_p: topP,
    base_url: baseUrl,
    api_key_name: apiKeyName,
    stream: Type.Optional(Type.Boolean({ title: 'The answer is written as it comes' })),
    thinking: Type.Optional(ThinkingConfig),
    web_search: Type.Optional(WebSearchConfig),
  },
  { ...closed, title: 'The models that are asked, and how' },
);
export type LlmConfig = Static<typeof LlmConfig>;

/** A provider's own name for one of its aliases; undefined for a name that is none. */
export function canonicalProvider(name: string): Provider | undefined {
  return Object.hasOwn(providers, name) ? providers[name as keyof typeof providers] : undefined;
}

/** What is said of a provider that there is not. */
export function providerProblem(name: string): string {
  return `invalid provider: ${name} (known: ${Object.keys(providers).join(', ')})`;
}

/** What each provider's API takes of `web_search`. */
const searchKeys: Record<Provider, readonly (keyof WebSearchConfig)[] | undefined> = {
  anthropic: ['max_uses', 'allowed_domains', 'blocked_domains', 'user_location'],
  openai: ['user_location'],
  gemini: [],
  openrouter: ['allowed_domains', 'blocked_domains', 'user_location'],
  zai: ['allowed_domains'],
  local: undefined,
  opencode: undefined,
};

/** What of `web_search` a provider cannot do; undefined when it can do all. */
export function webSearchProblem(provider: Provider, { enabled, ...search }: WebSearchConfig): string | undefined {
  if (!enabled) return undefined;
  const taken = searchKeys[provider];
  if (taken === undefined) return `provider "${provider}" cannot search the web; remove web_search`;
  const asked = Object.keys(search) as (keyof WebSearchConfig)[];
  const unknown = asked.find((key) => !taken.includes(key));
  if (unknown !== undefined) return `provider "${provider}" does not take web_search.${unknown}; remove it`;
  const { allowed_domains = [], blocked_domains = [] } = search;
  if (allowed_domains.length > 0 && blocked_domains.length > 0) {
    return 'web_search takes allowed_domains or blocked_domains, not both';
  }
  if (provider === 'zai' && allowed_domains.length > 1) {
    return 'provider "zai" takes one domain in web_search.allowed_domains';
  }
  return undefined;
}

/**
 * Checks a complete `llm` block: a provider that exists and a model, or a list of
 * models each with both, and addresses. A text that holds a reference is checked when
 * the step starts.
 */
export function checkLlm(llm: LlmConfig, path: FieldPath): Problem[] {
  const problems = [...checkAddress(llm, path), ...checkWebSearch(llm, path)];
  if (Array.isArray(llm.model)) {
    const entries = llm.model.flatMap((entry, index) => {
      const at = [...path, 'model', index];
      return [...checkProvider(entry.provider, [...at, 'provider']), ...checkAddress(entry, at)];
    });
    return [...problems, ...entries];
  }
  if (llm.provider !== undefined) problems.push(...checkProvider(llm.provider, [...path, 'provider']));
  if (llm.provider === undefined) problems.push({ path, message: 'provider is required (set at DAG or step level)' });
  if (llm.model === undefined) {
    const missing = path.length === 1 ? 'model is required (set at DAG or step level): a ' : '';
    problems.push({ path, message: `${missing}model must be specified when llm config is provided` });
  }
  return problems;
}

function checkProvider(provider: string, path: FieldPath): Problem[] {
  if (provider.includes('${') || canonicalProvider(provider) !== undefined) return [];
  return [{ path, message: providerProblem(provider) }];
}

/** Checks that every provider of a block can search the web as it asks for. */
export function checkWebSearch(llm: LlmConfig, path: FieldPath): Problem[] {
  const { web_search } = llm;
  if (web_search === undefined) return [];
  const messages = providersOf(llm).flatMap((provider) => webSearchProblem(provider, web_search) ?? []);
  return [...new Set(messages)].map((message) => ({ path: [...path, 'web_search'], message }));
}

/** The providers that a block names, references and unknown names left out. */
function providersOf({ model, provider }: LlmConfig): Provider[] {
  const named = Array.isArray(model) ? model.map((entry) => entry.provider) : [provider ?? ''];
  return [...new Set(named.flatMap((name) => canonicalProvider(name) ?? []))];
}

function checkAddress({ base_url }: Pick<LlmConfig, 'base_url'>, path: FieldPath): Problem[] {
  if (base_url === undefined || base_url.includes('$')) return [];
  const message = addressProblem(base_url);
  return message === undefined ? [] : [{ path: [...path, 'base_url'], message }];
}

/** Why no request can go to a `base_url`; undefined when one can. */
export function addressProblem(baseUrl: string): string | undefined {
  if (URL.canParse(baseUrl) && /^https?:$/.test(new URL(baseUrl).protocol)) return undefined;
  return `base_url "${baseUrl}" must be an address that starts with http:// or https://`;
}

/**
 * A block whose references were resolved, with every `api_key_name` as the file writes
 * it: it names a variable and is never replaced by the variable's value, which is the key.
 */
export function withWrittenKeyNames(resolved: LlmConfig, written: LlmConfig): LlmConfig {
  const names = Array.isArray(written.model) ? written.model.map(({ api_key_name }) => api_key_name) : [];
  const model = Array.isArray(resolved.model)
    ? resolved.model.map((entry, index) => ({ ...entry, ...keyName(names[index]) }))
    : resolved.model;
  return { ...resolved, ...(model !== undefined && { model }), ...keyName(written.api_key_name) };
}

function keyName(api_key_name: string | undefined): { api_key_name?: string } {
  return api_key_name === undefined ? {} : { api_key_name };
}
