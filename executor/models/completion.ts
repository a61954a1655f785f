import { type TSchema, Type } from 'typebox';
import { checker, InvalidValue } from '../../core/contract/check.ts';
import { toJson } from '../json.ts';
import { assertStream, parseJson, readJson } from './body.ts';
import { eventData } from './event-stream.ts';
import type { ChatReply, Piece, Usage } from './model.ts';
import { Passing } from './retry.ts';

/**
 * Reads answers in the form of OpenAI's chat completions: what is needed of them is
 * checked, and what servers are known to do otherwise is taken as well.
 */

const orNull = <S extends TSchema>(schema: S) => Type.Optional(Type.Union([schema, Type.Null()]));

const ToolCall = Type.Object({
  // Some servers give none, or a number.
  id: Type.Optional(Type.Unknown()),
  function: Type.Object({
    name: Type.String(),
    // Some servers give the arguments as an object, not as the text of one.
    arguments: orNull(Type.Union([Type.String(), Type.Object({})])),
  }),
});

const thoughts = {
  reasoning_content: Type.Optional(Type.Unknown()),
  reasoning: Type.Optional(Type.Unknown()),
};

const common = {
  model: Type.Optional(Type.Unknown()),
  usage: Type.Optional(Type.Unknown()),
};

const Completion = Type.Object({
  ...common,
  choices: Type.Array(
    Type.Object({
      message: Type.Object({ content: orNull(Type.String()), tool_calls: orNull(Type.Array(ToolCall)), ...thoughts }),
      finish_reason: orNull(Type.String()),
    }),
    { minItems: 1 },
  ),
});

const Chunk = Type.Object({
  ...common,
  // Empty where a chunk tells the use of tokens alone.
  choices: orNull(
    Type.Array(
      Type.Object({
        delta: orNull(Type.Object({ content: orNull(Type.String()), ...thoughts })),
        finish_reason: orNull(Type.String()),
      }),
    ),
  ),
});

const checkCompletion = checker(Completion, 'the answer is no chat completion');
const checkChunk = checker(Chunk, 'the answer is no stream of chat completions');

/** The reply in a complete answer. Throws an InvalidValue that says what came instead. */
export async function readCompletion(response: Response): Promise<ChatReply> {
  const { choices, ...answer } = checkCompletion(await readJson(response));
  const [choice] = choices;
  const { content, tool_calls } = choice?.message ?? {};
  if (content === undefined && tool_calls === undefined) {
    throw new InvalidValue(
      'the answer is no chat completion',
      '/choices/0/message',
      'has no content and no tool_calls',
    );
  }
  return {
    text: content ?? '',
    toolCalls: (tool_calls ?? []).map(({ id, function: { name, arguments: given } }) => ({
      id: typeof id === 'string' ? id : '',
      name,
      arguments: typeof given === 'string' ? given : given == null ? '' : toJson(given),
    })),
    cut: choice?.finish_reason === 'length',
    ...thinkingOf(choice?.message),
    ...tellings(answer),
  };
}

/** The pieces of a streamed answer. */
export async function* readPieces(response: Response): AsyncGenerator<Piece> {
  await assertStream(response);
  let isComplete = false;
  for await (const data of eventData(response.body)) {
    if (data.startsWith('[DONE]')) return;
    const chunk = checkChunk(parseJson(data, 'an event of the stream is not JSON'));
    const [choice] = chunk.choices ?? [];
    // Some servers send an empty reason until there is one.
    const finish = choice?.finish_reason || undefined;
    isComplete ||= finish !== undefined;
    const text = choice?.delta?.content;
    yield {
      ...(text && { text }),
      ...thinkingOf(choice?.delta ?? undefined),
      ...(finish !== undefined && { finish: finish === 'length' ? 'cut' : 'complete' }),
      ...tellings(chunk),
    };
  }
  if (!isComplete) throw new Passing('the answer ended before it was complete');
}

function thinkingOf(message: { reasoning_content?: unknown; reasoning?: unknown } | undefined): { thinking?: string } {
  const told = [message?.reasoning_content, message?.reasoning].find((one) => typeof one === 'string' && one !== '');
  return told === undefined ? {} : { thinking: told as string };
}

/** What an answer says besides itself, as far as it can be read. */
function tellings({ model, usage }: { model?: unknown; usage?: unknown }): { model?: string; usage?: Usage } {
  const told = usageOf(usage);
  return {
    ...(typeof model === 'string' && model !== '' && { model }),
    ...(told !== undefined && { usage: told }),
  };
}

function usageOf(usage: unknown): Usage | undefined {
  const { prompt_tokens, completion_tokens, total_tokens } = (usage ?? {}) as Record<string, unknown>;
  const [inputTokens, outputTokens, totalTokens] = [prompt_tokens, completion_tokens, total_tokens].map(count);
  if (inputTokens === undefined && outputTokens === undefined && totalTokens === undefined) return undefined;
  const input = inputTokens ?? 0;
  const output = outputTokens ?? 0;
  return { inputTokens: input, outputTokens: output, totalTokens: totalTokens ?? input + output };
}

/** A number of tokens; undefined for what is none. */
export function count(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}
