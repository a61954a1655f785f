import { NetError } from '../../core/net/failures.ts';
import type { Fetch, FetchFor } from '../../core/net/network.ts';
import type { Provider } from '../../core/workflow/llm.ts';
import { type ChatModel, type ChatOptions, type ChatReply, type ChatRequest, ModelError, type Piece } from './model.ts';
import { Passing, retryDelays, withRetries } from './retry.ts';
import type { ModelTarget } from './targets.ts';

/** The longest that one request may take, its stream included, in milliseconds. */
const requestLimitMs = 5 * 60_000;

/** How much of a provider's error text reaches a person. */
const shownLimit = 2000;

const megabyte = 1_000_000;

/** The largest request that a provider takes, in bytes, where it says so. */
const sizeLimits: Partial<Record<Provider, number>> = {
  anthropic: 32 * megabyte,
  gemini: 20 * megabyte,
  openai: 50 * megabyte,
};

/** One request under way, as the parts of a provider's API see it. */
export interface Call {
  target: ModelTarget;
  /** Sends; throws for every status that is no success. */
  fetch: Fetch;
  /** Aborts with the step, or when the request's time is up. */
  signal: AbortSignal;
}

/** The form of one provider's requests and answers. */
export interface Wire {
  /** Where requests go, after the base address; for messages. */
  path(target: ModelTarget): string;
  send(call: Call, request: ChatRequest, streams: boolean): Promise<Response>;
  /** The reply in a complete answer. Throws an InvalidValue that says what came instead. */
  readReply(response: Response): Promise<ChatReply>;
  /**
   * The pieces of a streamed answer until it is complete. Throws an InvalidValue for what is
   * no such stream, and a {@link Passing} for one that ends before it is complete.
   */
  readPieces(response: Response): AsyncGenerator<Piece>;
}

/**
 * A model behind a provider's API: time limit, retries, streams and errors are the same for
 * all. Requests go through what `fetchFor` gives; `delays` are the retries' pauses.
 */
export function clientOf(
  target: ModelTarget,
  wire: Wire,
  fetchFor: FetchFor,
  delays: readonly number[] = retryDelays,
): ChatModel {
  return {
    provider: target.provider,
    name: target.model,
    label: `${target.provider}/${target.model}`,
    maxTokens: target.maxTokens,
    chat: async (request, options) => {
      options.signal.throwIfAborted();
      const pictures = request.messages.some((message) => message.role === 'user' && message.images?.length);
      const fetch = checking(target, fetchFor({ kind: 'model', pictures }));
      const attempt = async () => {
        const signal = AbortSignal.any([options.signal, AbortSignal.timeout(requestLimitMs)]);
        const call = { target, fetch, signal };
        return options.onText === undefined
          ? await ask(wire, call, request)
          : await stream(wire, call, request, options);
      };
      try {
        return await withRetries(attempt, options.signal, delays);
      } catch (error) {
        options.signal.throwIfAborted();
        throw error instanceof Passing ? new ModelError(error.message, { cause: error }) : error;
      }
    },
  };
}

async function ask(wire: Wire, call: Call, request: ChatRequest): Promise<ChatReply> {
  try {
    return await wire.readReply(await wire.send(call, request, false));
  } catch (error) {
    throw failure('chat request failed', wire, call, error);
  }
}

async function stream(wire: Wire, call: Call, request: ChatRequest, options: ChatOptions): Promise<ChatReply> {
  const { onText, onThinking } = options;
  const pieces: string[] = [];
  let whole: Piece = {};
  let thinking = '';
  try {
    for await (const piece of wire.readPieces(await wire.send(call, request, true))) {
      whole = { ...whole, ...piece };
      if (piece.thinking) {
        thinking += piece.thinking;
        onThinking?.(piece.thinking);
      }
      if (!piece.text) continue;
      pieces.push(piece.text);
      onText?.(piece.text);
    }
  } catch (error) {
    const begun = pieces.length > 0 || (thinking !== '' && onThinking !== undefined);
    throw streamFailure(wire, call, error, begun);
  }
  const { finish, usage, model } = whole;
  return {
    text: pieces.join(''),
    toolCalls: [],
    cut: finish === 'cut',
    ...(thinking !== '' && { thinking }),
    ...(usage !== undefined && { usage }),
    ...(model !== undefined && { model }),
  };
}

/** What was written cannot be taken back, so a stream that broke after its first piece is not tried again. */
function streamFailure(wire: Wire, call: Call, error: unknown, begun: boolean): Error {
  if (!begun) return failure('chat stream request failed', wire, call, error);
  const { message } = failure('chat stream error', wire, call, error);
  return new ModelError(message, { cause: error });
}

/** The server answered with a status that is no success. */
class Refused extends Error {
  readonly status: number;
  readonly body: string;
  readonly waitMs: number;

  constructor(status: number, body: string, waitMs: number) {
    super(`status ${status}`);
    this.name = 'Refused';
    this.status = status;
    this.body = body;
    this.waitMs = waitMs;
  }
}

/** A fetch that sends nothing that is too large for the provider, and throws for answers that are no success. */
function checking({ provider, model }: ModelTarget, fetch: Fetch): Fetch {
  return async (input, init) => {
    const limit = sizeLimits[provider];
    const size = typeof init?.body === 'string' ? Buffer.byteLength(init.body) : 0;
    if (limit !== undefined && size > limit) {
      throw new ModelError(
        `the request to ${provider}/${model} has ${megabytes(size)} MB, its files and pictures included, and ${provider} takes at most ${megabytes(limit)} MB; name fewer or smaller files`,
      );
    }
    const response = await fetch(input, init);
    if (response.ok) return response;
    const body = (await response.text()).trim();
    throw new Refused(response.status, body, retryAfterMs(response.headers));
  };
}

function megabytes(bytes: number): string {
  return (bytes / megabyte).toFixed(bytes % megabyte === 0 ? 0 : 1);
}

function retryAfterMs(headers: Headers): number {
  const seconds = Number(headers.get('retry-after') ?? Number.NaN);
  return Number.isFinite(seconds) ? seconds * 1000 : 0;
}

/** An error in words; a {@link Passing} one where another try may help. */
function failure(what: string, wire: Wire, call: Call, error: unknown): Error {
  const { provider, model, baseUrl } = call.target;
  const root = rootOf(error);
  if (root instanceof ModelError) return root;
  if (root instanceof Refused) {
    const { status, body, waitMs } = root;
    const shown = body.slice(0, shownLimit) || 'no further text';
    const message = `${what}: ${provider} API error (status ${status}): ${shown} [model ${provider}/${model}]`;
    return status === 429 || (status >= 500 && status <= 504)
      ? new Passing(message, waitMs, { cause: error })
      : new ModelError(message, { cause: error, status, answer: body });
  }
  if (call.signal.aborted) {
    return new ModelError(`${what}: ${provider}/${model} did not answer within ${requestLimitMs / 60_000} minutes`);
  }
  const reason = root instanceof Error ? root.message || root.name : String(root);
  const message = `${what}: ${provider}/${model} at ${baseUrl}${wire.path(call.target)}: ${reason}`;
  return isPassing(root) ? new Passing(message, 0, { cause: error }) : new ModelError(message, { cause: error });
}

/** A connection that breaks while an answer is read has a code; an answer of another form has none. */
function isPassing(root: unknown): boolean {
  if (root instanceof NetError) return root.passing;
  const code = (root as { code?: unknown } | undefined)?.code;
  return root instanceof Passing || (typeof code === 'string' && code !== 'ERR_INVALID_URL');
}

/** What happened, beneath what a provider's SDK makes of it; else the innermost reason. */
function rootOf(error: unknown): unknown {
  let deepest = error;
  while (deepest instanceof Error && !isOurs(deepest) && deepest.cause instanceof Error) deepest = deepest.cause;
  return deepest;
}

function isOurs(error: Error): boolean {
  return [NetError, Refused, ModelError, Passing].some((kind) => error instanceof kind);
}
