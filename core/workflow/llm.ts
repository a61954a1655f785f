import { type Static, Type } from 'typebox';

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
const temperature = Type.Optional(Type.Number({ minimum: 0, maximum: 2 }));
const topP = Type.Optional(Type.Number({ minimum: 0, maximum: 1 }));
const maxTokens = Type.Optional(Type.Integer({ minimum: 1 }));

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
    model: Type.Optional(Type.Union([Type.String(), Type.Array(ModelEntry, { minItems: 1 })])),
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
