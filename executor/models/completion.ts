import { type TSchema, Type } from 'typebox';
import { checker, InvalidValue } from '../../core/contract/check.ts';
import { eventData } from './event-stream.ts';
import type { ChatReply } from './model.ts';
import { Passing } from './retry.ts';

/**
 * Reads answers in the form of OpenAI's chat completions: what is needed of them is
 * checked, and what servers are known to do otherwise is taken as well.
 */

/** How much of an answer that is none reaches a person. */
const shownLimit = 300;
const errorLimit = 2000;

const orNull = <S extends TSchema>(schema: S) => Type.Optional(Type.Union([schema, Type.Null()]));

const ToolCall = Type.Object({
  function: Type.Object({
    name: Type.String(),
    // Some servers give the arguments as an object, not as the text of one.
    arguments: orNull(Type.Union([Type.String(), Type.Object({})])),
  }),
});

const Completion = Type.Object({
  choices: Type.Array(
    Type.Object({
      message: Type.Object({ content: orNull(Type.String()), tool_calls: orNull(Type.Array(ToolCall)) }),
      finish_reason: orNull(Type.String()),
    }),
    { minItems: 1 },
  ),
});

const Chunk = Type.Object({
  // Empty where a chunk tells the use of tokens alone.
  choices: orNull(
    Type.Array(
      Type.Object({
        delta: orNull(Type.Object({ content: orNull(Type.String()) })),
        finish_reason: orNull(Type.String()),
      }),
    ),
  ),
});

const checkCompletion = checker(Completion, 'the answer is no chat completion');
const checkChunk = checker(Chunk, 'the answer is no stream of chat completions');

/** The reply in a complete answer. Throws an InvalidValue that says what came instead. */
export async function readCompletion(response: Response): Promise<ChatReply> {
  const text = await response.text();
  const answer = parse(text, `the answer is ${mediaType(response) ?? 'a text'} and not JSON`);
  const [choice] = checkCompletion(answer).choices;
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
    toolCalls: (tool_calls ?? []).map(({ function: { name, arguments: given } }) => ({
      name,
      arguments: typeof given === 'string' ? given : JSON.stringify(given ?? ''),
    })),
    cut: choice?.finish_reason === 'length',
  };
}

/** A piece of a streamed answer. */
export interface Piece {
  text: string;
  finish: string | undefined;
}

/**
 * The pieces of a streamed answer until it is complete. Throws an InvalidValue for what is
 * no such stream, and a {@link Passing} for one that ends before it is complete.
 */
export async function* readPieces(response: Response): AsyncGenerator<Piece> {
  const type = mediaType(response);
  if (type === 'text/html' || type === 'application/json') {
    const text = await response.text();
    throw new InvalidValue(`the server did not answer with a stream but with ${type}`, '', shown(text));
  }
  let isComplete = false;
  for await (const data of eventData(response.body)) {
    if (data.startsWith('[DONE]')) return;
    const [choice] = checkChunk(parse(data, 'an event of the stream is not JSON')).choices ?? [];
    // Some servers send an empty reason until there is one.
    const finish = choice?.finish_reason || undefined;
    isComplete ||= finish !== undefined;
    yield { text: choice?.delta?.content ?? '', finish };
  }
  if (!isComplete) throw new Passing('the answer ended before it was complete');
}

/** JSON that is not the report of an error, which some servers send with status 200. */
function parse(text: string, otherwise: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) throw new InvalidValue(otherwise, '', shown(text));
    throw error;
  }
  const { error } = (value ?? {}) as { error?: unknown };
  if (error === undefined || error === null) return value;
  throw new InvalidValue('the answer is an error', '', JSON.stringify(error).slice(0, errorLimit));
}

function shown(text: string): string {
  return text.trim().slice(0, shownLimit) || 'it is empty';
}

function mediaType(response: Response): string | undefined {
  return response.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase();
}
