import { type Static, Type } from 'typebox';
import { checker, InvalidValue } from '../contract/check.ts';
import { LlmConfig, providers } from './llm.ts';
import { listedProperties, schemaProblem } from './output-schema.ts';
import type { FieldPath, Json, JsonObject, Problem, Step, Workflow } from './types.ts';

/** Roles of `with.messages`, with the names that other tools use for them. */
export const messageRoles = {
  system: 'system',
  sys: 'system',
  user: 'user',
  human: 'user',
  assistant: 'assistant',
  ai: 'assistant',
  bot: 'assistant',
} as const;

const closed = { additionalProperties: false } as const;

/** `with` of a `chat.completion` step (spec: Chat Completion Action). */
export const ChatInput = Type.Object(
  {
    prompt: Type.Optional(Type.String()),
    messages: Type.Optional(
      Type.Array(
        Type.Object(
          { role: Type.Enum(Object.keys(messageRoles) as (keyof typeof messageRoles)[]), content: Type.String() },
          closed,
        ),
      ),
    ),
    files: Type.Optional(Type.Union([Type.String(), Type.Array(Type.String(), { minItems: 1 })])),
    ...LlmConfig.properties,
  },
  closed,
);
export type ChatInput = Static<typeof ChatInput>;

/** Checks a chat step's input once its references are resolved; throws an InvalidValue. */
export const checkChatInput = checker(ChatInput, 'with');

/** Providers whose requests this version can make: all that speak OpenAI's chat completions. */
export const chatProviders = ['local', 'openai', 'openrouter', 'zai', 'opencode'] as const;
export type ChatProvider = (typeof chatProviders)[number];

/** Parts of the action that this version does not have, with what to do instead. */
const notBuilt: Record<string, string> = {
  tools: 'a chat step cannot call workflows in this version; remove it and run the workflow as a step of its own',
  max_tool_iterations: 'it belongs to tools, which this version does not have; remove it',
  thinking: 'this version sends no thinking settings; remove it and choose a model that decides by itself',
  web_search: 'this version does not search the web; remove it and give the text through prompt or files',
};

/** Keys that choose the model: a step with one of them replaces the workflow's llm block. */
const modelKeys = ['provider', 'model', 'base_url', 'api_key_name'];

/**
 * The names that a chat step publishes, which are the properties its `output_schema` lists.
 */
export function chatOutputNames(step: Step): string[] {
  return listedProperties(step.outputSchema);
}

/**
 * The model settings that a chat step runs with. A step that chooses a model replaces
 * the workflow's `llm` block; one that only shapes the request keeps its models.
 */
export function chatLlm(input: JsonObject, workflow: Workflow): LlmConfig | undefined {
  const own: JsonObject = {};
  for (const key of Object.keys(LlmConfig.properties)) if (input[key] !== undefined) own[key] = input[key];
  if (modelKeys.some((key) => key in own)) return own as LlmConfig;
  if (workflow.llm === undefined && Object.keys(own).length === 0) return undefined;
  return { ...workflow.llm, ...own } as LlmConfig;
}

/** All that is wrong with a chat step before it runs (spec: Errors). */
export function checkChatStep(step: Step, workflow: Workflow): Problem[] {
  const at = (...rest: FieldPath): FieldPath => [...step.path, 'with', ...rest];
  const problems = [
    ...checkKeys(step, at),
    ...checkQuestion(step.with, at),
    ...checkShape(step.with, at),
    ...checkModels(chatLlm(step.with, workflow), at),
    ...checkOutputSchema(step),
  ];
  if (problems.length > 0) return problems;
  try {
    checkChatInput(step.with);
    return [];
  } catch (error) {
    if (!(error instanceof InvalidValue)) throw error;
    return [{ path: at(...pointer(error.path)), message: error.message }];
  }
}

type At = (...rest: FieldPath) => FieldPath;

function checkKeys(step: Step, at: At): Problem[] {
  const known = Object.keys(ChatInput.properties);
  return Object.keys(step.with)
    .filter((key) => !known.includes(key))
    .map((key) => {
      if (key === 'tools' && namesRespond(step.with.tools) && step.outputSchema !== undefined) {
        return { path: at(key), message: 'the tool name "respond" is reserved for the output_schema answer' };
      }
      if (key === 'web_search' && step.outputSchema !== undefined) {
        return { path: at(key), message: 'web search cannot be combined with output_schema' };
      }
      const instead = notBuilt[key];
      return {
        path: at(key),
        message:
          instead === undefined
            ? `with.${key} is not a field of chat.completion; it takes ${known.join(', ')}`
            : `with.${key} is not supported: ${instead}`,
      };
    });
}

function namesRespond(tools: Json | undefined): boolean {
  return Array.isArray(tools) && tools.includes('respond');
}

/** A blank prompt beside messages counts as none. */
function checkQuestion({ prompt, messages }: JsonObject, at: At): Problem[] {
  if (typeof prompt === 'string' && prompt.trim() !== '') return [];
  if (messages === undefined) {
    if (prompt === undefined)
      return [{ path: at(), message: 'chat.completion requires with.prompt or with.messages' }];
    return [{ path: at('prompt'), message: 'with.prompt must be a non-empty string' }];
  }
  if (!Array.isArray(messages) || messages.length === 0) {
    return [{ path: at('messages'), message: 'with.messages must be a non-empty array' }];
  }
  return [];
}

const ranges: Record<string, { holds: (value: number) => boolean; rule: string }> = {
  temperature: { holds: (value) => value >= 0 && value <= 2, rule: 'must be between 0.0 and 2.0' },
  top_p: { holds: (value) => value >= 0 && value <= 1, rule: 'must be between 0.0 and 1.0' },
  max_tokens: { holds: (value) => Number.isInteger(value) && value >= 1, rule: 'must be at least 1' },
};

function checkShape(input: JsonObject, at: At): Problem[] {
  const entries: [FieldPath, Json][] = Array.isArray(input.model)
    ? input.model.map((entry, index) => [['model', index], entry])
    : [];
  return [[[], input] as [FieldPath, Json], ...entries].flatMap(([path, values]) => {
    if (typeof values !== 'object' || values === null || Array.isArray(values)) return [];
    return Object.entries(ranges).flatMap(([key, { holds, rule }]) => {
      const value = values[key];
      if (value === undefined || (typeof value === 'number' && holds(value))) return [];
      const message = `field '${fieldName([...path, key])}': ${key} ${rule} (value: ${JSON.stringify(value)})`;
      return [{ path: at(...path, key), message }];
    });
  });
}

function checkModels(llm: LlmConfig | undefined, at: At): Problem[] {
  // No llm anywhere is told when the step runs, as the setting may come with the host.
  if (llm === undefined) return [];
  if (llm.model === undefined || llm.model === '' || (Array.isArray(llm.model) && llm.model.length === 0)) {
    return [
      { path: at('model'), message: 'model must be specified when llm config is provided' },
      ...(llm.provider === undefined ? [] : checkProvider(llm.provider, at('provider'))),
    ];
  }
  if (Array.isArray(llm.model)) {
    return llm.model.flatMap((entry, index) => {
      const problems = checkProvider(entry?.provider, at('model', index, 'provider'));
      return problems.map(({ path, message }) => ({
        path,
        message: `field '${fieldName(['model', index, 'provider'])}': ${message}`,
      }));
    });
  }
  if (llm.provider === undefined) {
    return [{ path: at('provider'), message: 'provider is required (set at DAG or step level)' }];
  }
  return checkProvider(llm.provider, at('provider'));
}

function checkProvider(provider: unknown, path: FieldPath): Problem[] {
  if (typeof provider !== 'string' || provider === '') return [{ path, message: 'provider must be a name' }];
  if (provider.includes('${')) return [];
  const message = providerProblem(provider);
  return message === undefined ? [] : [{ path, message }];
}

/** Why a provider's name cannot be used for chat; undefined when it can. */
export function providerProblem(name: string): string | undefined {
  const provider = canonicalProvider(name);
  if (provider === undefined) {
    return `invalid provider: ${name} (use ${chatProviders.join(', ')})`;
  }
  if ((chatProviders as readonly string[]).includes(provider)) return undefined;
  return `provider "${name}" is not supported in this version; use ${chatProviders.join(', ')}`;
}

/** A provider's own name for one of its aliases; undefined for a name that is none. */
export function canonicalProvider(name: string): (typeof providers)[keyof typeof providers] | undefined {
  return Object.hasOwn(providers, name) ? providers[name as keyof typeof providers] : undefined;
}

function checkOutputSchema(step: Step): Problem[] {
  if (step.outputSchema === undefined) return [];
  const message = schemaProblem(step.outputSchema, "a chat step's output_schema");
  return message === undefined ? [] : [{ path: [...step.path, 'output_schema'], message }];
}

function fieldName(path: FieldPath): string {
  return path.reduce<string>((name, part) => name + (typeof part === 'number' ? `[${part}]` : `.${part}`), 'with');
}

function pointer(path: string): FieldPath {
  return path
    .split('/')
    .slice(1)
    .map((part) => (/^\d+$/.test(part) ? Number(part) : part.replaceAll('~1', '/').replaceAll('~0', '~')));
}
