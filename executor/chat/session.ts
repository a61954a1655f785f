import { type Static, Type } from 'typebox';
import { checker, InvalidValue } from '../../core/contract/check.ts';
import { type StepContext, StepError } from '../action.ts';
import type { ChatMessage, ChatReply } from '../models/model.ts';

/** Conversations as they are kept with a run: in the form that other tools of the field use. */

const Called = Type.Object({
  id: Type.String(),
  type: Type.Optional(Type.String()),
  function: Type.Object({ name: Type.String(), arguments: Type.String() }),
});

const Metadata = Type.Object({
  provider: Type.String(),
  model: Type.String(),
  promptTokens: Type.Integer(),
  completionTokens: Type.Integer(),
  totalTokens: Type.Integer(),
});

const SavedMessage = Type.Object({
  role: Type.Enum(['system', 'user', 'assistant', 'tool']),
  content: Type.String(),
  name: Type.Optional(Type.String()),
  tool_calls: Type.Optional(Type.Array(Called)),
  tool_call_id: Type.Optional(Type.String()),
  metadata: Type.Optional(Metadata),
});
export type SavedMessage = Static<typeof SavedMessage>;

/** A conversation that waits for a person in one of its calls, kept until it goes on. */
const Paused = Type.Object({
  role: Type.Literal('paused'),
  /** The model's label. */
  model: Type.String(),
  said: Type.Array(Type.Unsafe<ChatMessage>({ type: 'object' })),
  turns: Type.Array(SavedMessage),
  /** Calls that are not at their end, the one that waits as the first. */
  open: Type.Array(
    Type.Object({ id: Type.String(), name: Type.String(), arguments: Type.String(), item: Type.String() }),
  ),
  rounds: Type.Integer(),
  corrected: Type.Boolean(),
  /** How many calls the step has made. */
  calls: Type.Integer(),
});
export type PausedConversation = Omit<Static<typeof Paused>, 'role'>;

const SavedSession = Type.Array(Type.Union([SavedMessage, Paused], { description: 'a message' }));

const checkSession = checker(SavedSession, 'saved conversation');

/** What is kept of an answer besides its text: who gave it, and what it took. */
export function metadataOf(model: { provider: string; name: string }, { usage }: Pick<ChatReply, 'usage'>) {
  return {
    provider: model.provider,
    model: model.name,
    promptTokens: usage?.inputTokens ?? 0,
    completionTokens: usage?.outputTokens ?? 0,
    totalTokens: usage?.totalTokens ?? 0,
  };
}

/** A message as it is kept: pictures and what only the provider understands are not. */
export function saved(message: ChatMessage, metadata?: Static<typeof Metadata>): SavedMessage {
  const { role, content } = message;
  if (message.role === 'tool') return { role, content, name: message.name, tool_call_id: message.callId };
  const calls = message.role === 'assistant' ? (message.toolCalls ?? []) : [];
  return {
    role,
    content,
    ...(calls.length > 0 && {
      tool_calls: calls.map(({ id, name, arguments: given }) => ({
        id,
        type: 'function',
        function: { name, arguments: given },
      })),
    }),
    ...(metadata !== undefined && { metadata }),
  };
}

/** What a step kept; undefined where it kept nothing. */
export function savedSession(step: string, context: Pick<StepContext, 'conversations'>): SavedMessage[] | undefined {
  return read(step, context)?.filter((message) => message.role !== 'paused');
}

/** A step's conversation that waits for a person in one of its calls. */
export function pausedConversation(
  step: string,
  context: Pick<StepContext, 'conversations'>,
): PausedConversation | undefined {
  return read(step, context)?.find((message) => message.role === 'paused');
}

function read(step: string, { conversations }: Pick<StepContext, 'conversations'>) {
  const messages = conversations.of(step);
  if (messages === undefined) return undefined;
  try {
    return checkSession(messages);
  } catch (error) {
    if (!(error instanceof InvalidValue)) throw error;
    throw new StepError(`the conversation of step "${step}" cannot be read: ${error.message}`, { cause: error });
  }
}

/** The conversations of the steps that this one depends on, in the order in which it names them. */
export function inheritedSession(context: StepContext): SavedMessage[] {
  return context.step.depends.flatMap((step) => savedSession(step, context) ?? []);
}

/** A kept message as a model gets it. */
export function restored({ role, content, name = '', tool_calls, tool_call_id = '' }: SavedMessage): ChatMessage {
  if (role === 'tool') return { role, content, name, callId: tool_call_id };
  if (role !== 'assistant' || tool_calls === undefined) return { role, content };
  const toolCalls = tool_calls.map((call) => ({
    id: call.id,
    name: call.function.name,
    arguments: call.function.arguments,
  }));
  return { role, content, toolCalls };
}
