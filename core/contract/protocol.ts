import { type Static, type TSchema, Type } from 'typebox';
import type { Channel } from './channel.ts';
import { checker, InvalidValue } from './check.ts';

/**
 * A protocol is a table of calls and notices between two processes. It is written
 * once as schemas: the types of both sides follow from it, and what crosses is
 * checked where it arrives.
 */
export interface CallShape {
  params: TSchema;
  result: TSchema;
}
export type Protocol = Record<string, CallShape>;

/** No parameters, or no result. */
export const Nothing = Type.Object({}, { additionalProperties: false });

export interface CallOptions {
  /** Rejects the call with code `aborted`; the other side is not told. */
  signal?: AbortSignal;
  /** Milliseconds after which the call rejects with code `timeout`. */
  timeoutMs?: number;
}

type Params<C extends CallShape> = Static<C['params']>;
type Result<C extends CallShape> = Static<C['result']>;

/** What the calling side sees of a protocol. */
export type Client<P extends Protocol> = {
  [M in keyof P]: {} extends Params<P[M]>
    ? (params?: Params<P[M]>, options?: CallOptions) => Promise<Result<P[M]>>
    : (params: Params<P[M]>, options?: CallOptions) => Promise<Result<P[M]>>;
};

/** What the serving side fulfils. */
export type Handlers<P extends Protocol> = {
  [M in keyof P]: (params: Params<P[M]>) => Promise<Result<P[M]>> | Result<P[M]>;
};

/**
 * A failure that travels between processes. `code` is for programs, the message
 * for people, `details` carries the diagnosis (what was looked for and found).
 */
export class CallError extends Error {
  readonly code: string;
  readonly details: Record<string, unknown> | undefined;

  constructor(code: string, message: string, details?: Record<string, unknown>) {
    super(message);
    this.name = 'CallError';
    this.code = code;
    this.details = details;
  }
}

const Request = Type.Object({ call: Type.Integer(), method: Type.String(), params: Type.Unknown() });
const Reply = Type.Object({
  reply: Type.Integer(),
  result: Type.Optional(Type.Unknown()),
  error: Type.Optional(
    Type.Object({
      code: Type.String(),
      message: Type.String(),
      details: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
    }),
  ),
});
const Message = Type.Union([Request, Reply]);
const checkMessage = checker(Message, 'message between processes');

/** The channel closed while calls were open: code `closed`, with the channel's reason. */
export const closed = (reason: string): CallError => new CallError('closed', reason);

/**
 * Answers the calls of a protocol that arrive on a channel. A malformed message or
 * parameter is answered with code `invalid`; it never reaches a handler.
 */
export function serve<P extends Protocol>(channel: Channel, protocol: P, handlers: Handlers<P>): void {
  const checks = compile(protocol, 'params');
  channel.onMessage((message) => {
    if (!isRequest(message)) return;
    const { call, method, params } = message;
    const run = async (): Promise<unknown> => {
      const check = checks.get(method);
      if (check === undefined) throw new CallError('invalid', `there is no call "${method}"`);
      return await handlers[method as keyof P]?.(check(params) as never);
    };
    run().then(
      (result) => channel.send({ reply: call, result: result ?? {} }),
      (error: unknown) => channel.send({ reply: call, error: toWire(error) }),
    );
  });
}

/** Makes a client of a protocol whose other side answers on the channel. */
export function connect<P extends Protocol>(channel: Channel, protocol: P): Client<P> {
  const checks = compile(protocol, 'result');
  const open = new Map<number, { resolve: (value: unknown) => void; reject: (error: Error) => void; method: string }>();
  let next = 1;
  let closedWith: string | undefined;

  channel.onMessage((message) => {
    if (!isReply(message)) return;
    const waiting = open.get(message.reply);
    if (waiting === undefined) return; // its caller gave up: timeout or abort
    open.delete(message.reply);
    if (message.error !== undefined) {
      waiting.reject(new CallError(message.error.code, message.error.message, message.error.details));
      return;
    }
    try {
      waiting.resolve(checks.get(waiting.method)?.(message.result));
    } catch (error) {
      waiting.reject(error as Error);
    }
  });
  channel.onClose((reason) => {
    closedWith = reason;
    for (const waiting of open.values()) waiting.reject(closed(reason));
    open.clear();
  });

  const call = (method: string, params: unknown, { signal, timeoutMs }: CallOptions = {}): Promise<unknown> =>
    new Promise((resolve, reject) => {
      if (closedWith !== undefined) return reject(closed(closedWith));
      if (signal?.aborted) return reject(new CallError('aborted', `${method} was stopped`));
      const id = next++;
      const giveUp = (error: CallError) => {
        if (open.delete(id)) settle(() => reject(error));
      };
      const onAbort = () => giveUp(new CallError('aborted', `${method} was stopped`));
      const timer =
        timeoutMs === undefined
          ? undefined
          : setTimeout(
              () => giveUp(new CallError('timeout', `${method} did not answer within ${timeoutMs} ms`)),
              timeoutMs,
            );
      const settle = (finish: () => void) => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', onAbort);
        finish();
      };
      signal?.addEventListener('abort', onAbort, { once: true });
      open.set(id, {
        method,
        resolve: (value) => settle(() => resolve(value)),
        reject: (error) => settle(() => reject(error)),
      });
      channel.send({ call: id, method, params });
    });

  const client: Record<string, unknown> = {};
  for (const method of Object.keys(protocol)) {
    client[method] = (params: unknown = {}, options?: CallOptions) => call(method, params, options);
  }
  return client as Client<P>;
}

function compile(protocol: Protocol, side: 'params' | 'result'): Map<string, (value: unknown) => unknown> {
  return new Map(
    Object.entries(protocol).map(([method, shape]) => [method, checker(shape[side], `${method} ${side}`)]),
  );
}

function isRequest(message: unknown): message is Static<typeof Request> {
  return hasKey(message, 'call') && checkMessage(message) !== undefined;
}

function isReply(message: unknown): message is Static<typeof Reply> {
  return hasKey(message, 'reply') && checkMessage(message) !== undefined;
}

function hasKey(message: unknown, key: string): boolean {
  return typeof message === 'object' && message !== null && key in message;
}

/** A failure as it travels: its code, its words and its diagnosis, never a stack. */
export function toWire(error: unknown): { code: string; message: string; details?: Record<string, unknown> } {
  if (error instanceof CallError) {
    return { code: error.code, message: error.message, ...(error.details && { details: error.details }) };
  }
  if (error instanceof InvalidValue) return { code: 'invalid', message: error.message };
  return { code: 'failed', message: error instanceof Error ? error.message : String(error) };
}
