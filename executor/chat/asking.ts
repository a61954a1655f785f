import type { NewEvent, StepContext } from '../action.ts';
import type { ChatMessage, ChatModel, ChatOptions, ChatReply, ChatRequest } from '../models/model.ts';

/** What a picture takes of a model, in tokens, at its largest. */
const imageTokens = 1600;

/**
 * Asks a model once: counts its tokens against the budgets, and keeps who answered and what it
 * took on the timeline. Throws as {@link ChatModel.chat} does, and a StepError for a budget.
 */
export async function askModel(
  context: StepContext,
  model: ChatModel,
  request: ChatRequest,
  options: Omit<ChatOptions, 'signal'> = {},
): Promise<ChatReply> {
  const { signal } = context;
  signal.throwIfAborted();
  const settle = context.tokens.begin(model.label, expectedTokens(request) + (model.maxTokens ?? 0));
  const began = performance.now();
  let reply: ChatReply | undefined;
  try {
    reply = await model.chat(request, { ...options, signal });
  } finally {
    settle(reply === undefined ? 0 : (usageOf(reply)?.totalTokens ?? expectedTokens(request)));
  }
  await tell(context, model, reply, performance.now() - began);
  if (reply.cut) context.log(`warning: ${model.label} stopped at its limit of tokens; the answer is cut off`);
  return reply;
}

async function tell(context: StepContext, model: ChatModel, reply: ChatReply, durationMs: number): Promise<void> {
  const { model: answered = model.name } = reply;
  const usage = usageOf(reply);
  const label = answered === model.name ? model.label : `${model.label} (${answered})`;
  const counts = usage && { inputTokens: usage.inputTokens, outputTokens: usage.outputTokens };
  const event: NewEvent = {
    type: 'lifecycle',
    name: 'model',
    status: 'completed',
    content: usage === undefined ? `${label}, tokens not told` : `${label}, ${usage.totalTokens} tokens`,
    code: usage === undefined ? 'model_answered' : 'model_answered_tokens',
    parameters: { model: label, ...counts, ...(usage && { tokens: usage.totalTokens }) },
    durationMs: Math.round(durationMs),
    ...(usage !== undefined && { tokens: usage.totalTokens }),
  };
  // The step's end is stored in a moment, and this with it.
  await context.event(event, { soon: true });
}

/** Servers that do not count say that it took nothing. */
function usageOf({ usage }: ChatReply): ChatReply['usage'] {
  return usage === undefined || usage.totalTokens === 0 ? undefined : usage;
}

/** What a request is expected to take, by its characters: about four of a token, and one where they are no Latin ones. */
function expectedTokens({ messages, tools = [] }: ChatRequest): number {
  const texts = [...messages.flatMap(textsOf), ...tools.map((tool) => JSON.stringify(tool))];
  const images = messages.reduce(
    (sum, message) => sum + (message.role === 'user' ? (message.images?.length ?? 0) : 0),
    0,
  );
  return texts.reduce((sum, text) => sum + tokensOf(text), images * imageTokens);
}

function textsOf(message: ChatMessage): string[] {
  const calls = message.role === 'assistant' ? (message.toolCalls ?? []) : [];
  return [message.content, ...calls.map((call) => call.arguments)];
}

function tokensOf(text: string): number {
  let others = 0;
  for (let index = 0; index < text.length; index += 1) if (text.charCodeAt(index) > 0x7f) others += 1;
  return Math.ceil((text.length - others) / 4) + others;
}
