import type OpenAI from 'openai';
import type { ChatCompletionCreateParamsNonStreaming } from 'openai/resources/chat/completions/completions';
import { readCompletion, readPieces } from './completion.ts';
import { type ChatModel, type ChatOptions, type ChatReply, type ChatRequest, ModelError } from './model.ts';
import { Passing, retryDelays, withRetries } from './retry.ts';
import type { ModelTarget } from './targets.ts';

/** The longest that one request may take, its stream included, in milliseconds. */
const requestLimitMs = 5 * 60_000;

/** How much of a provider's error text reaches a person. */
const bodyLimit = 2000;

/** A client for any server that speaks OpenAI's chat completions. `delays` are the retries' pauses. */
export function openaiModel(target: ModelTarget, delays: readonly number[] = retryDelays): ChatModel {
  return {
    label: `${target.provider}/${target.model}`,
    chat: async (request, options) => {
      options.signal.throwIfAborted();
      const attempt = () =>
        options.onText === undefined ? ask(target, request, options) : stream(target, request, options);
      try {
        return await withRetries(attempt, options.signal, delays);
      } catch (error) {
        options.signal.throwIfAborted();
        throw error instanceof Passing ? new ModelError(error.message, { cause: error }) : error;
      }
    },
  };
}

async function ask(target: ModelTarget, request: ChatRequest, { signal }: ChatOptions): Promise<ChatReply> {
  const call = await openCall(target, signal);
  try {
    const asked = call.client.chat.completions.create(body(target, request), { signal: call.signal });
    return await readCompletion(await asked.asResponse());
  } catch (error) {
    throw failure('chat request failed', call, error);
  }
}

async function stream(target: ModelTarget, request: ChatRequest, options: ChatOptions): Promise<ChatReply> {
  const call = await openCall(target, options.signal);
  const pieces: string[] = [];
  let finish: string | undefined;
  try {
    const asked = call.client.chat.completions.create(
      { ...body(target, request), stream: true },
      { signal: call.signal },
    );
    for await (const piece of readPieces(await asked.asResponse())) {
      finish = piece.finish ?? finish;
      if (piece.text === '') continue;
      pieces.push(piece.text);
      options.onText?.(piece.text);
    }
  } catch (error) {
    throw streamFailure(call, error, pieces.length > 0);
  }
  return { text: pieces.join(''), toolCalls: [], cut: finish === 'length' };
}

/** What was written cannot be taken back, so a stream that broke after its first piece is not tried again. */
function streamFailure(call: Call, error: unknown, begun: boolean): Error {
  if (!begun) return failure('chat stream request failed', call, error);
  const { message } = failure('chat stream error', call, error);
  return new ModelError(message, { cause: error });
}

interface Call {
  target: ModelTarget;
  client: OpenAI;
  /** Aborts with the step, or when the request's time is up. */
  signal: AbortSignal;
  /** The body of an answer that was an error, as it came. */
  errorBody: () => string | undefined;
}

async function openCall(target: ModelTarget, signal: AbortSignal): Promise<Call> {
  const { OpenAI } = await import('openai');
  let errorBody: string | undefined;
  const client = new OpenAI({
    baseURL: target.baseUrl,
    // The SDK wants a key even where the header below is left out.
    apiKey: target.apiKey ?? 'none',
    // Set so that variables of the environment do not send a key or an account elsewhere.
    adminAPIKey: null,
    organization: null,
    project: null,
    ...(target.apiKey === undefined && { defaultHeaders: { Authorization: null } }),
    // Its own retries cannot be aborted and take 4xx answers too.
    maxRetries: 0,
    timeout: requestLimitMs,
    // It would print parts of answers past the step's masking.
    logLevel: 'off',
    fetch: async (url, init) => {
      const response = await fetch(url, init);
      if (response.ok) return response;
      errorBody = await response.text();
      return new Response(errorBody, { status: response.status, headers: response.headers });
    },
  });
  return {
    target,
    client,
    signal: AbortSignal.any([signal, AbortSignal.timeout(requestLimitMs)]),
    errorBody: () => errorBody,
  };
}

function body(target: ModelTarget, request: ChatRequest): ChatCompletionCreateParamsNonStreaming {
  const limit = takesCompletionTokens(target) ? 'max_completion_tokens' : 'max_tokens';
  return {
    model: target.model,
    messages: request.messages.map(({ role, content }) => ({ role, content })),
    ...(target.temperature !== undefined && { temperature: target.temperature }),
    ...(target.topP !== undefined && { top_p: target.topP }),
    ...(target.maxTokens !== undefined && { [limit]: target.maxTokens }),
    ...(request.tools !== undefined && {
      tools: request.tools.map((tool) => ({ type: 'function' as const, function: { ...tool } })),
      tool_choice: 'required' as const,
    }),
  };
}

/** OpenAI's reasoning models refuse `max_tokens`. */
function takesCompletionTokens({ provider, model }: ModelTarget): boolean {
  return provider === 'openai' && /^(o\d|gpt-5)/.test(model);
}

/** An error in words; a {@link Passing} one where another try may help. */
function failure(what: string, call: Call, error: unknown): Error {
  const { provider, model, baseUrl } = call.target;
  const status = statusOf(error);
  if (status !== undefined) {
    const text = (call.errorBody() ?? '').trim().slice(0, bodyLimit) || 'no further text';
    const message = `${what}: ${provider} API error (status ${status}): ${text} [model ${provider}/${model}]`;
    return status === 429 || (status >= 500 && status <= 504)
      ? new Passing(message, retryAfterMs(error), { cause: error })
      : new ModelError(message, { cause: error });
  }
  if (call.signal.aborted) {
    return new ModelError(`${what}: ${provider}/${model} did not answer within ${requestLimitMs / 60_000} minutes`);
  }
  const root = rootOf(error);
  const reason = root instanceof Error ? root.message || root.name : String(root);
  const message = `${what}: ${provider}/${model} at ${baseUrl}/chat/completions: ${reason}`;
  return isPassing(root) ? new Passing(message, 0, { cause: error }) : new ModelError(message, { cause: error });
}

/** What the network does has a code; an answer of another form and what fetch itself refuses (a bad port) have none. */
function isPassing(root: unknown): boolean {
  const code = (root as { code?: unknown } | undefined)?.code;
  return root instanceof Passing || (typeof code === 'string' && code !== 'ERR_INVALID_URL');
}

function statusOf(error: unknown): number | undefined {
  const status = (error as { status?: unknown }).status;
  return typeof status === 'number' ? status : undefined;
}

function retryAfterMs(error: unknown): number {
  const headers = (error as { headers?: unknown }).headers;
  const seconds = headers instanceof Headers ? Number(headers.get('retry-after') ?? Number.NaN) : Number.NaN;
  return Number.isFinite(seconds) ? seconds * 1000 : 0;
}

/** The innermost reason, which names the address and what the system said. */
function rootOf(error: unknown): unknown {
  let deepest = error;
  while (deepest instanceof Error && deepest.cause instanceof Error) deepest = deepest.cause;
  return deepest instanceof AggregateError ? deepest.errors[0] : deepest;
}
