import { type Static, Type } from 'typebox';
import { checker, problemFinder } from '../contract/check.ts';
import { fieldName } from './field-name.ts';
import { checkLlm, LlmConfig, ModelEntry, type Provider, providers } from './llm.ts';
import { listedProperties, schemaProblem } from './output-schema.ts';
import type { FieldPath, JsonObject, Problem, Step, Workflow } from './types.ts';

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
    files: Type.Optional(
      Type.Union([Type.String(), Type.Array(Type.String(), { minItems: 1 })], {
        description: 'a path or pattern, or a list of them',
      }),
    ),
    ...LlmConfig.properties,
  },
  closed,
);
export type ChatInput = Static<typeof ChatInput>;

/** Checks a chat step's input once its references are resolved; throws an InvalidValue. */
export const checkChatInput = checker(ChatInput, 'with');
const findChatProblems = problemFinder(ChatInput);
const findEntryProblems = problemFinder(ModelEntry);

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

/** The names that a chat step publishes: its `output`, and the properties its `output_schema` lists. */
export function chatOutputNames(step: Step): string[] {
  const listed = listedProperties(step.outputSchema);
  return step.output === undefined ? listed : [step.output, ...listed];
}

/**
 * The model settings that a chat step runs with. A step that chooses a model replaces
 * the workflow's `llm` block; one that only shapes the request keeps its models.
 */
export function chatLlm(input: JsonObject, workflow: Workflow): LlmConfig | undefined {
  const own = ownLlm(input);
  if (choosesModels(own)) return own as LlmConfig;
  if (workflow.llm === undefined && Object.keys(own).length === 0) return undefined;
  return { ...workflow.llm, ...own } as LlmConfig;
}

function ownLlm(input: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(input).filter(([key]) => key in LlmConfig.properties));
}

function choosesModels(own: JsonObject): boolean {
  return modelKeys.some((key) => key in own);
}

/** All that is wrong with a chat step before it runs (spec: Errors). */
export function checkChatStep(step: Step, workflow: Workflow): Problem[] {
  const at = (...rest: FieldPath): FieldPath => [...step.path, 'with', ...rest];
  const problems = [
    ...checkKeys(step, at),
    ...checkQuestion(step.with, at),
    ...checkFiles(step.with, at),
    ...checkOutputSchema(step),
  ];
  const shape = problems.length > 0 ? [] : checkShape(step.with, at);
  if (shape.length > 0) return shape;
  // The models are looked at only where the shape promises that they can be.
  return problems.length > 0 ? problems : checkModels(step, workflow, at);
}

type At = (...rest: FieldPath) => FieldPath;

function checkKeys(step: Step, at: At): Problem[] {
  const known = Object.keys(ChatInput.properties);
  return Object.keys(step.with)
    .filter((key) => !known.includes(key))
    .map((key) => ({ path: at(key), message: refusal(key, step, known) }));
}

function refusal(key: string, step: Step, known: readonly string[]): string {
  const structured = step.outputSchema !== undefined;
  const { tools } = step.with;
  if (structured && key === 'web_search') return 'web search cannot be combined with output_schema';
  if (structured && key === 'tools' && Array.isArray(tools) && tools.includes('respond')) {
    return 'the tool name "respond" is reserved for the output_schema answer';
  }
  const instead = Object.hasOwn(notBuilt, key) ? notBuilt[key] : undefined;
  if (instead !== undefined) return `with.${key} is not supported: ${instead}`;
  return `with.${key} is not a key of this action; it takes ${known.join(', ')}`;
}

/** A blank prompt beside messages counts as none. */
function checkQuestion({ prompt, messages }: JsonObject, at: At): Problem[] {
  if (typeof prompt === 'string' && prompt.trim() !== '') return [];
  if (messages !== undefined) {
    if (Array.isArray(messages) && messages.length > 0) return [];
    return [{ path: at('messages'), message: 'with.messages must be a non-empty array' }];
  }
  return prompt === undefined
    ? [{ path: at(), message: 'chat.completion requires with.prompt or with.messages' }]
    : [{ path: at('prompt'), message: 'with.prompt must be a non-empty string' }];
}

/** One blank entry among others names nothing and does no harm; a list of nothing was meant otherwise. */
function checkFiles({ files }: JsonObject, at: At): Problem[] {
  const entries = Array.isArray(files) ? files : [files];
  const namesOne = entries.some((entry) => typeof entry !== 'string' || entry.trim() !== '');
  return namesOne ? [] : [{ path: at('files'), message: 'with.files must name at least one file' }];
}

function checkShape(input: JsonObject, at: At): Problem[] {
  // A list of models is one of two shapes, which would be told as one; its entries tell more.
  const models = Array.isArray(input.model) ? input.model : [];
  const entries = models.flatMap((entry, index) =>
    findEntryProblems(entry).map(({ path, message }) => ({ path: ['model', index, ...path], message })),
  );
  return (entries.length > 0 ? entries : findChatProblems(input)).map(({ path, message }) => {
    const value = path.reduce<unknown>((inner, key) => (inner as Record<string | number, unknown>)[key], input);
    const shown = typeof value === 'object' ? '' : ` (value: ${String(value)})`;
    const place = at(...path);
    return { path: place, message: `field '${fieldName(place)}': ${message}${shown}` };
  });
}

function checkModels(step: Step, workflow: Workflow, at: At): Problem[] {
  const llm = chatLlm(step.with, workflow);
  // No llm anywhere is told when the step runs: Dagu accepts such a file.
  if (llm === undefined) return [];
  // What the workflow's own block has wrong is told there.
  const isOwn = workflow.llm === undefined || choosesModels(ownLlm(step.with));
  const problems = isOwn ? checkLlm(llm, at()) : [];
  if (problems.length > 0) return problems;
  const named = Array.isArray(llm.model) ? llm.model.map(({ provider }) => provider) : [llm.provider ?? ''];
  return named.flatMap((name) => {
    // An unknown name of the workflow's own block is told there.
    const message = canonicalProvider(name) === undefined ? undefined : providerProblem(name);
    return message === undefined ? [] : [{ path: at(), message }];
  });
}

/** Why a provider's name cannot be used for chat; undefined when it can. */
export function providerProblem(name: string): string | undefined {
  const provider = canonicalProvider(name);
  const usable = chatProviders.join(', ');
  if (provider === undefined) return `invalid provider: ${name} (use ${usable})`;
  if ((chatProviders as readonly string[]).includes(provider)) return undefined;
  return `provider "${name}" is not supported by chat.completion in this version; use ${usable}`;
}

/** A provider's own name for one of its aliases; undefined for a name that is none. */
export function canonicalProvider(name: string): Provider | undefined {
  return Object.hasOwn(providers, name) ? providers[name as keyof typeof providers] : undefined;
}

function checkOutputSchema(step: Step): Problem[] {
  if (step.outputSchema === undefined) return [];
  const message = schemaProblem(step.outputSchema, "a chat step's output_schema");
  return message === undefined ? [] : [{ path: [...step.path, 'output_schema'], message }];
}
