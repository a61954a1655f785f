import { InvalidValue } from '../../core/contract/check.ts';
import { type ChatInput, chatLlm, checkChatInput } from '../../core/workflow/chat.ts';
import { type LlmConfig, withWrittenKeyNames } from '../../core/workflow/llm.ts';
import type { JsonObject } from '../../core/workflow/types.ts';
import { type Action, type StepContext, StepError, type StepResult } from '../action.ts';
import { toSortedJson } from '../json.ts';
import { type ChatMessage, type ChatModel, ModelError } from '../models/model.ts';
import { openaiModel } from '../models/openai.ts';
import { modelTargets } from '../models/targets.ts';
import { answerJudge, respondInstruction, respondSpec } from './answer.ts';
import { readFiles } from './files.ts';
import { asOutput } from './json.ts';
import { assembleMessages, withInstruction } from './messages.ts';

/** The `chat.completion` action (spec: Chat Completion Action). */
export const chatCompletion: Action = {
  run: async (context) => {
    const input = readInput(context);
    const llm = readLlm(context);
    const models = openModels(llm, context);
    tellWhatIsNotCarried(context);

    const filesText = await textOfFiles(input.files, context);
    const messages = assembleMessages(input, llm.system, filesText).map((message) => ({
      ...message,
      content: context.mask(message.content),
    }));
    const schema = context.step.outputSchema;
    if (schema !== undefined) return await answerStructured(context, models, messages, schema);
    const streams = models.length === 1 && llm.stream !== false;
    return await answerText(context, models, messages, streams);
  },
};

/** The text of the step's files; images are not sent in this version. */
async function textOfFiles(files: ChatInput['files'], { workingDir, signal }: StepContext): Promise<string> {
  if (files === undefined) return '';
  const { text, images } = await readFiles(files, workingDir, signal);
  const [image] = images;
  if (image === undefined) return text;
  throw new StepError(`files: "${image.name}" is an image, and images are not supported in this version`);
}

function readInput(context: StepContext): ChatInput {
  try {
    return checkChatInput(context.with);
  } catch (error) {
    if (error instanceof InvalidValue) throw new StepError(error.message, { cause: error });
    throw error;
  }
}

function readLlm({ with: input, step, workflow }: StepContext): LlmConfig {
  const resolved = chatLlm(input, workflow);
  const written = chatLlm(step.with, workflow);
  if (resolved === undefined || written === undefined) {
    throw new StepError('llm configuration is required for chat step');
  }
  return withWrittenKeyNames(resolved, written);
}

function openModels(llm: LlmConfig, context: StepContext): ChatModel[] {
  return modelTargets(llm, { ...process.env, ...context.env }).map((target) => {
    // A provider may quote the key in its error.
    if (target.apiKey !== undefined) context.addSecretValue(target.apiKey);
    return openaiModel(target, context.fetchFor);
  });
}

/** A later chat step is meant to go on with an earlier one's conversation, which this version cannot. */
function tellWhatIsNotCarried(context: StepContext): void {
  const { workflow, step } = context;
  const earlier = workflow.steps.find(({ key, action }) => step.depends.includes(key) && action === 'chat.completion');
  if (earlier === undefined) return;
  context.log(
    `note: the conversation of step "${earlier.key}" is not carried over; give its answer in the prompt if needed`,
  );
}

async function answerText(
  context: StepContext,
  models: readonly ChatModel[],
  messages: readonly ChatMessage[],
  streams: boolean,
): Promise<StepResult> {
  const { signal } = context;
  const onText = (piece: string) => context.stdout(piece);
  const text = await firstThatSucceeds(context, models, async (model) => {
    const reply = await model.chat({ messages }, streams ? { signal, onText } : { signal });
    context.stdout(streams ? '\n' : `${reply.text}\n`);
    if (reply.text === '') context.log(`warning: ${model.label} answered with an empty text`);
    if (reply.cut) context.log(`warning: ${model.label} stopped at its limit of tokens; the answer is cut off`);
    return reply.text;
  });
  return { outputs: namedOutput(context, text) };
}

async function answerStructured(
  context: StepContext,
  models: readonly ChatModel[],
  messages: readonly ChatMessage[],
  schema: JsonObject,
): Promise<StepResult> {
  const judge = answerJudge(schema);
  const instructed = withInstruction(messages, respondInstruction);
  const value = await firstThatSucceeds(context, models, (model) =>
    askForAnswer(context, model, instructed, schema, judge),
  );
  const line = toSortedJson(value);
  context.stdout(`${line}\n`);
  const listed = Object.entries(value).map(([key, item]) => [key, asOutput(item)]);
  return { outputs: { ...namedOutput(context, line), ...Object.fromEntries(listed) } };
}

/** What a step's `output: NAME` captures, as for any step: its trimmed stdout. */
function namedOutput({ step }: StepContext, text: string): Record<string, unknown> {
  return step.output === undefined ? {} : { [step.output]: text.trim() };
}

/** Asks one model, and once more with the reason when its answer is unusable. */
async function askForAnswer(
  context: StepContext,
  model: ChatModel,
  messages: readonly ChatMessage[],
  schema: JsonObject,
  judge: ReturnType<typeof answerJudge>,
): Promise<Record<string, unknown>> {
  const tools = [respondSpec(schema)];
  let conversation = messages;
  for (const isLast of [false, true]) {
    const reply = await model.chat({ messages: conversation, tools }, { signal: context.signal });
    const judged = judge(reply);
    if ('value' in judged) return judged.value;
    context.log(`warning: ${model.label} answer rejected: ${judged.reason}`);
    context.log(judged.rejected);
    if (isLast) break;
    conversation = [
      ...messages,
      { role: 'assistant', content: context.mask(judged.rejected) },
      { role: 'user', content: context.mask(correction(judged.reason)) },
    ];
  }
  throw new ModelError(`${model.label}: the model gave no answer that matches output_schema`);
}

function correction(reason: string): string {
  return `Your answer was rejected: ${reason}. Call the respond tool with a corrected answer.`;
}

/** Tries the models in order; a failed one is logged, and the last one's failure is the step's. */
async function firstThatSucceeds<T>(
  context: StepContext,
  models: readonly ChatModel[],
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
  const message = models.length > 1 ? `all ${models.length} models exhausted: ${last.message}` : last.message;
  throw new StepError(message, { cause: last });
}
