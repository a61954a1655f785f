import { Type } from 'typebox';
import { checker, InvalidValue } from '../../core/contract/check.ts';
import { toJson } from '../json.ts';
import { assertStream, parseJson, readJson } from './body.ts';
import { count } from './completion.ts';
import { eventData } from './event-stream.ts';
import type { ChatReply, Piece, Usage } from './model.ts';
import { Passing } from './retry.ts';

/** Reads answers of Anthropic's messages API. */

const Block = Type.Object({
  type: Type.String(),
  text: Type.Optional(Type.String()),
  thinking: Type.Optional(Type.String()),
  id: Type.Optional(Type.String()),
  name: Type.Optional(Type.String()),
  input: Type.Optional(Type.Unknown()),
});

const Message = Type.Object({
  content: Type.Array(Block),
  stop_reason: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  stop_details: Type.Optional(Type.Unknown()),
  model: Type.Optional(Type.Unknown()),
  usage: Type.Optional(Type.Unknown()),
});

const Event = Type.Object({
  type: Type.String(),
  message: Type.Optional(Type.Object({ model: Type.Optional(Type.Unknown()), usage: Type.Optional(Type.Unknown()) })),
  delta: Type.Optional(
    Type.Object({
      text: Type.Optional(Type.String()),
      thinking: Type.Optional(Type.String()),
      stop_reason: Type.Optional(Type.Union([Type.String(), Type.Null()])),
    }),
  ),
  usage: Type.Optional(Type.Unknown()),
});

const checkMessage = checker(Message, 'the answer is no message');
const checkEvent = checker(Event, 'the answer is no stream of messages');

/** The reply in a complete answer. Throws an InvalidValue that says what came instead. */
export async function readMessage(response: Response): Promise<ChatReply> {
  const { content, stop_reason, model, usage } = checkMessage(await readJson(response));
  assertNotDeclined(stop_reason);
  const thinking = content.map((block) => block.thinking ?? '').join('');
  const calls = content.filter(({ type }) => type === 'tool_use');
  const needsEcho = content.some(({ type }) => type !== 'text' && type !== 'tool_use');
  const told = usageOf(usage);
  return {
    text: content.map((block) => (block.type === 'text' ? (block.text ?? '') : '')).join(''),
    toolCalls: calls.map(({ id = '', name = '', input }) => ({
      id,
      name,
      arguments: typeof input === 'string' ? input : toJson(input ?? {}),
    })),
    cut: stop_reason === 'max_tokens',
    ...(thinking !== '' && { thinking }),
    ...(needsEcho && { echo: { provider: 'anthropic', parts: content } }),
    ...(typeof model === 'string' && { model }),
    ...(told !== undefined && { usage: told }),
  };
}

/** The pieces of a streamed answer. */
export async function* readPieces(response: Response): AsyncGenerator<Piece> {
  await assertStream(response);
  let begun: Record<string, unknown> = {};
  for await (const data of eventData(response.body)) {
    const { type, message, delta, usage } = checkEvent(parseJson(data, 'an event of the stream is not JSON'));
    if (type === 'message_stop') return;
    if (type === 'message_start') {
      begun = (message?.usage ?? {}) as Record<string, unknown>;
      if (typeof message?.model === 'string') yield { model: message.model };
    } else if (type === 'content_block_delta') {
      yield { ...(delta?.text && { text: delta.text }), ...(delta?.thinking && { thinking: delta.thinking }) };
    } else if (type === 'message_delta') {
      assertNotDeclined(delta?.stop_reason);
      // The end tells the tokens of the answer alone; what was asked stood at the beginning.
      const told = usageOf({ ...begun, ...(usage as object | undefined) });
      yield {
        ...(delta?.stop_reason != null && { finish: delta.stop_reason === 'max_tokens' ? 'cut' : 'complete' }),
        ...(told !== undefined && { usage: told }),
      };
    }
  }
  throw new Passing('the answer ended before it was complete');
}

function assertNotDeclined(reason: string | null | undefined): void {
  if (reason !== 'refusal') return;
  throw new InvalidValue('the model declined the request', '', 'the provider gives no further reason');
}

function usageOf(usage: unknown): Usage | undefined {
  const told = (usage ?? {}) as Record<string, unknown>;
  const output = count(told.output_tokens);
  const input = ['input_tokens', 'cache_creation_input_tokens', 'cache_read_input_tokens'].map((key) =>
    count(told[key]),
  );
  if (output === undefined && input.every((one) => one === undefined)) return undefined;
  const inputTokens = input.reduce<number>((sum, one) => sum + (one ?? 0), 0);
  return { inputTokens, outputTokens: output ?? 0, totalTokens: inputTokens + (output ?? 0) };
}
