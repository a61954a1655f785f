import { InvalidValue } from '../../core/contract/check.ts';
import { type ChatInput, chatLlm, checkChatInput } from '../../core/workflow/chat.ts';
import { type LlmConfig, withWrittenKeyNames } from '../../core/workflow/llm.ts';
import { type Action, type StepContext, StepError, type StepResult } from '../action.ts';
import { asOutput, toSortedJson } from '../json.ts';
import { type ChatModel, ModelError } from '../models/model.ts';
import { openModel } from '../models/open.ts';
import { modelTargets } from '../models/targets.ts';
import { respondInstruction } from './answer.ts';
import { type Answer, CallCounter, Conversation, type Task } from './conversation.ts';
import { type FilesContent, readFiles } from './files.ts';
import { beginningOf, feedbackMessage, feedbackOn, toModel, withInstruction } from './messages.ts';
import { inheritedSession, pausedConversation, type SavedMessage, savedSession } from './session.ts';
import { TextOutput } from './text-output.ts';
import { loadTools } from './tools.ts';

/** Rounds of requests and calls where the file does not say. */
const defaultIterations = 10;

/** The `chat.completion` action (spec: Chat Completion Action). */
export const chatCompletion: Action = {
  run: async (context) => {
    const input = readInput(context);
    const llm = readLlm(context);
    const models = openModels(llm, context);
    const tools = await loadTools(toolNames(context), context);
    const { messages, images } = await begin(input, llm, context);

    const { outputSchema: schema } = context.step;
    const sent = toModel(messages, images, (text) => context.mask(text));
    const output = new TextOutput(context, llm);
    const streams = models.length === 1 && tools.length === 0 && schema === undefined && llm.stream !== false;
    const paused = pausedConversation(context.step.key, context);
    const task: Task = {
      context,
      messages: schema === undefined ? sent : withInstruction(sent, respondInstruction),
      tools,
      maxIterations: input.max_tool_iterations ?? defaultIterations,
      schema,
      calls: new CallCounter(context.pushBack?.iteration ?? 0, paused?.calls ?? 0),
      options: streams ? output.asItComes() : {},
      pause: (state) => context.conversations.save([...messages, { role: 'paused', ...state }]),
    };
    // A conversation that waited goes on with the model that it was with.
    const first = Math.max(
      0,
      models.findIndex(({ label }) => label === paused?.model),
    );
    const answer = await firstThatSucceeds(context, models.slice(first), models.length, async (model) =>
      new Conversation(task, model, paused?.model === model.label ? paused : undefined).answer(),
    );
    const result = publish(answer, output, context);
    context.conversations.save([...messages, ...answer.turns]);
    return result;
  },
};

/** The conversation that the step begins with, and the pictures that go with it. */
async function begin(
  input: ChatInput,
  { system }: LlmConfig,
  context: StepContext,
): Promise<{ messages: SavedMessage[]; images: FilesContent['images'] }> {
  const { pushBack, step } = context;
  const own = pushBack === undefined ? undefined : savedSession(step.key, context);
  if (pushBack !== undefined && own !== undefined) {
    return { messages: feedbackOn(own, { input, system }, pushBack), images: [] };
  }
  const inherited = inheritedSession(context);
  const { text, images } = await contentOfFiles(input.files, context);
  const messages = beginningOf({ input, system, filesText: text, inherited });
  return { messages: pushBack === undefined ? messages : [...messages, feedbackMessage(pushBack)], images };
}

async function contentOfFiles(files: ChatInput['files'], { workingDir, signal }: StepContext): Promise<FilesContent> {
  return files === undefined ? { text: '', images: [] } : await readFiles(files, workingDir, signal);
}

function readInput(context: StepContext): ChatInput {
  try {
    return checkChatInput(context.with);
  } catch (error) {
    if (error instanceof InvalidValue) throw new StepError(error.message, { cause: error });
    throw error;
  }
}

/** Names of tools are taken as they are written. */
function toolNames({ step }: StepContext): string[] {
  return (step.with as ChatInput).tools ?? [];
}

function readLlm({ with: input, step, workflow }: StepContext): LlmConfig {
  const resolved = chatLlm(input, workflow);
  const written = chatLlm(step.with, workflow);
  if (resolved === undefined || written === undefined) {
    throw new StepError('llm configuration is required for chat step');
  }
  if (written.provider?.includes('${') && resolved.provider?.trim() === '') {
    throw new StepError(`llm provider "${written.provider}" resolved to an empty value`);
  }
  return withWrittenKeyNames(resolved, written);
}

function openModels(llm: LlmConfig, context: StepContext): ChatModel[] {
  return modelTargets(llm, { ...process.env, ...context.env }).map((target) => {
    // A provider may quote the key in its error.
    if (target.apiKey !== undefined) context.addSecretValue(target.apiKey);
    return openModel(target, context.fetchFor);
  });
}

/** Writes the answer to stdout, and gives what the step publishes by itself. */
function publish({ text, thinking, value }: Answer, output: TextOutput, context: StepContext): StepResult {
  if (value === undefined) {
    output.end(text, thinking ?? '');
    return { outputs: {} };
  }
  context.stdout(`${toSortedJson(value)}\n`);
  return { outputs: Object.fromEntries(Object.entries(value).map(([key, item]) => [key, asOutput(item)])) };
}

/**
 * Tries the models in order; a failed one is logged, and the last one's failure is the step's.
 *
 * @param count how many models the step names
 */
async function firstThatSucceeds<T>(
  context: StepContext,
  models: readonly ChatModel[],
  count: number,
  ask: (model: ChatModel) => Promise<T>,
): Promise<T> {
  let last = new ModelError('there is no model to ask');
  for (const [index, model] of models.entries()) {
    try {
      return await ask(model);
    } catch (error) {
      context.signal.throwIfAborted();
      if (!(error instanceof ModelError)) throw error;
      last = error;
      const next = models[index + 1];
      if (next !== undefined) context.log(`warning: ${error.message}; trying ${next.label}`);
    }
  }
  const message = count > 1 ? `all ${count} models exhausted: ${last.message}` : last.message;
  throw new StepError(message, { cause: last });
}
