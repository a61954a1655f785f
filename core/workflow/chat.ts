import { type Static, Type } from 'typebox';
import { checker } from '../contract/check.ts';
import { problemFinder } from '../contract/problems.ts';
import { fieldName } from './field-name.ts';
import { checkLlm, checkWebSearch, LlmConfig, ModelEntry } from './llm.ts';
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
    prompt: Type.Optional(Type.String({ title: 'What the model is asked' })),
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
        title: 'Files that it reads with the prompt',
        description: 'a path or pattern, or a list of them',
      }),
    ),
    tools: Type.Optional(
      Type.Array(Type.String({ minLength: 1 }), {
        minItems: 1,
        description: 'a non-empty list of names of workflows',
        title: 'Workflows of this file, else of the folder of workflows, that the model may call',
      }),
    ),
    max_tool_iterations: Type.Optional(Type.Integer({ minimum: 1, description: 'at least 1' })),
    ...LlmConfig.properties,
  },
  closed,
);
export type ChatInput = Static<typeof ChatInput>;

/** Checks a chat step's input once its references are resolved; throws an InvalidValue. */
export const checkChatInput = checker(ChatInput, 'with');
const findChatProblems = problemFinder(ChatInput);
const findEntryProblems = problemFinder(ModelEntry);

/** Keys that choose the model: a step with one of them replaces the workflow's llm block. */
const modelKeys = ['provider', 'model', 'base_url', 'api_key_name'];

/** Keys that shape the request and, as those of an `llm` block, want a model. */
const toolKeys = ['tools', 'max_tool_iterations'];

/** Name of the tool through which a model gives a structured answer. */
export const respondTool = 'respond';

/** Said of a tool of that name, when the file is checked and when the step finds its tools. */
export const respondIsReserved = `the tool name "${respondTool}" is reserved for the output_schema answer`;

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
  const wantsModel = Object.keys(own).length > 0 || toolKeys.some((key) => key in input);
  if (workflow.llm === undefined && !wantsModel) return undefined;
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
    ...checkOutputSchema(step, workflow, at),
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
    .map((key) => ({
      path: at(key),
      message: `with.${key} is not a key of this action; it takes ${known.join(', ')}`,
    }));
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
  if (isOwn) return checkLlm(llm, at());
  return 'web_search' in step.with ? checkWebSearch(llm, at()) : [];
}

function checkOutputSchema(step: Step, workflow: Workflow, at: At): Problem[] {
  const { outputSchema, with: input } = step;
  if (outputSchema === undefined) return [];
  const message = schemaProblem(outputSchema, "a chat step's output_schema");
  const problems: Problem[] = message === undefined ? [] : [{ path: [...step.path, 'output_schema'], message }];
  if ('web_search' in input || chatLlm(input, workflow)?.web_search?.enabled === true) {
    problems.push({ path: at('web_search'), message: 'web search cannot be combined with output_schema' });
  }
  if (Array.isArray(input.tools) && input.tools.includes(respondTool)) {
    problems.push({ path: at('tools'), message: respondIsReserved });
  }
  return problems;
}
