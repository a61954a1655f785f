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
const temperature = Type.Optional(Type.Number({ minimum: 0, maximum: 2, description: 'between 0.0 and 2.0' }));
const topP = Type.Optional(Type.Number({ minimum: 0, maximum: 1, description: 'between 0.0 and 1.0' }));
const maxTokens = Type.Optional(Type.Integer({ minimum: 1, description: 'at least 1' }));

/** One entry of a `model` list; it overrides the shared settings. */
export const ModelEntry = Type.Object(
  {
    provider: Type.String(),
    name: Type.String(),
    temperature,
    max_tokens: maxTokens,
    top_p: topP,
    base_url: Type.Optional(Type.String()),
    api_key_name: Type.Optional(Type.String()),
  },
  closed,
);
export type ModelEntry = Static<typeof ModelEntry>;

/** The `llm` block of a workflow or a step. */
export const LlmConfig = Type.Object(
  {
    provider: Type.Optional(Type.String()),
    model: Type.Optional(
      Type.Union([Type.String(), Type.Array(ModelEntry, { minItems: 1 })], {
        description: 'a name, or a list of models with provider and name',
      }),
    ),
    system: Type.Optional(Type.String()),
    temperature,
    max_tokens: maxTokens,
    top_p: topP,
    base_url: Type.Optional(Type.String()),
    api_key_name: Type.Optional(Type.String()),
    stream: Type.Optional(Type.Boolean()),
  },
  closed,
);
export type LlmConfig = Static<typeof LlmConfig>;

/**
 * Checks a complete `llm` block: a provider that exists and a model, or a list of
 * models each with both, and addresses. A text that holds a reference is checked when
 * the step starts.
 */
export function checkLlm(llm: LlmConfig, path: FieldPath): Problem[] {
  const problems = checkAddress(llm, path);
  if (Array.isArray(llm.model)) {
    const entries = llm.model.flatMap((entry, index) => {
      const at = [...path, 'model', index];
      return [...checkProvider(entry.provider, [...at, 'provider']), ...checkAddress(entry, at)];
    });
    return [...problems, ...entries];
  }
  if (llm.provider !== undefined) problems.push(...checkProvider(llm.provider, [...path, 'provider']));
  if (llm.provider === undefined) problems.push({ path, message: 'provider is required (set at DAG or step level)' });
  if (llm.model === undefined) problems.push({ path, message: 'model must be specified when llm config is provided' });
  return problems;
}

function checkProvider(provider: string, path: FieldPath): Problem[] {
  if (provider.includes('${') || Object.hasOwn(providers, provider)) return [];
  return [{ path, message: `invalid provider: ${provider} (known: ${Object.keys(providers).join(', ')})` }];
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
