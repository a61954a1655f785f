import { Type } from 'typebox';
import { checker, InvalidValue } from '../../core/contract/check.ts';
import { toJson } from '../json.ts';
import { assertStream, parseJson, readJson } from './body.ts';
import { count } from './completion.ts';
import { eventData } from './event-stream.ts';
import type { ChatReply, Piece, Usage } from './model.ts';
import { Passing } from './retry.ts';

/** Reads answers of Google's Gemini API. */

const Part = Type.Object({
  text: Type.Optional(Type.String()),
  thought: Type.Optional(Type.Boolean()),
  thoughtSignature: Type.Optional(Type.String()),
  functionCall: Type.Optional(
    Type.Object({
      id: Type.Optional(Type.String()),
      name: Type.String(),
      args: Type.Optional(Type.Unknown()),
    }),
  ),
});

const Content = Type.Object({
  candidates: Type.Optional(
    Type.Array(
      Type.Object({
        content: Type.Optional(Type.Object({ parts: Type.Optional(Type.Array(Part)) })),
        finishReason: Type.Optional(Type.String()),
        finishMessage: Type.Optional(Type.String()),
      }),
    ),
  ),
  promptFeedback: Type.Optional(Type.Object({ blockReason: Type.Optional(Type.String()) })),
  modelVersion: Type.Optional(Type.Unknown()),
  usageMetadata: Type.Optional(Type.Unknown()),
});

const checkContent = checker(Content, 'the answer is no generated content');
type Answer = ReturnType<typeof checkContent>;

/** The reply in a complete answer. Throws an InvalidValue that says what came instead. */
export async function readContent(response: Response): Promise<ChatReply> {
  const answer = checkContent(await readJson(response));
  const { parts, finishReason } = candidateOf(answer);
  if (parts === undefined && finishReason === undefined) {
    throw new InvalidValue('the answer is no generated content', '', 'it has no candidates');
  }
  const thinking = textOf(parts, true);
  const calls = (parts ?? []).flatMap(({ functionCall }) => functionCall ?? []);
  const needsEcho = (parts ?? []).some(({ thoughtSignature }) => thoughtSignature !== undefined);
  return {
    text: textOf(parts, false),
    toolCalls: calls.map(({ id = '', name, args }) => ({
      id,
      name,
      arguments: typeof args === 'string' ? args : toJson(args ?? {}),
    })),
    cut: finishReason === 'MAX_TOKENS',
    ...(thinking !== '' && { thinking }),
    ...(needsEcho && { echo: { provider: 'gemini', parts: parts ?? [] } }),
    ...tellings(answer),
  };
}

/** The pieces of a streamed answer. */
export async function* readPieces(response: Response): AsyncGenerator<Piece> {
  await assertStream(response);
  let isComplete = false;
  for await (const data of eventData(response.body)) {
    const answer = checkContent(parseJson(data, 'an event of the stream is not JSON'));
    const { parts, finishReason } = candidateOf(answer);
    isComplete ||= finishReason !== undefined;
    const [text, thinking] = [textOf(parts, false), textOf(parts, true)];
    yield {
      ...(text !== '' && { text }),
      ...(thinking !== '' && { thinking }),
      ...(finishReason !== undefined && { finish: finishReason === 'MAX_TOKENS' ? 'cut' : 'complete' }),
      ...tellings(answer),
    };
  }
  if (!isComplete) throw new Passing('the answer ended before it was complete');
}

/** Ends for which the provider gives no answer. A call that the model wrote wrongly is an answer, of nothing. */
const refusals = new Set([
  'SAFETY',
  'RECITATION',
  'LANGUAGE',
  'OTHER',
  'BLOCKLIST',
  'PROHIBITED_CONTENT',
  'SPII',
  'IMAGE_SAFETY',
]);

function candidateOf({ candidates, promptFeedback }: Answer) {
  const [candidate] = candidates ?? [];
  const { finishReason, finishMessage } = candidate ?? {};
  const blocked = promptFeedback?.blockReason;
  if (blocked !== undefined) throw new InvalidValue('the provider blocked the request', '', blocked);
  if (finishReason !== undefined && refusals.has(finishReason)) {
    throw new InvalidValue(
      'the provider stopped the answer',
      '',
      [finishReason, finishMessage ?? []].flat().join(': '),
    );
  }
  return { parts: candidate?.content?.parts, finishReason };
}

function textOf(parts: readonly { text?: string; thought?: boolean }[] = [], thought: boolean): string {
  return parts.map((part) => (Boolean(part.thought) === thought ? (part.text ?? '') : '')).join('');
}

function tellings({ modelVersion, usageMetadata }: Answer): { model?: string; usage?: Usage } {
  const usage = usageOf(usageMetadata);
  return { ...(typeof modelVersion === 'string' && { model: modelVersion }), ...(usage !== undefined && { usage }) };
}

function usageOf(usage: unknown): Usage | undefined {
  const told = (usage ?? {}) as Record<string, unknown>;
  const input = count(told.promptTokenCount);
  const total = count(told.totalTokenCount);
  if (input === undefined && total === undefined) return undefined;
  const inputTokens = (input ?? 0) + (count(told.toolUsePromptTokenCount) ?? 0);
  // Thoughts are paid for as the answer is.
  const outputTokens = (count(told.candidatesTokenCount) ?? 0) + (count(told.thoughtsTokenCount) ?? 0);
  return { inputTokens, outputTokens, totalTokens: total ?? inputTokens + outputTokens };
}
