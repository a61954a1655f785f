import type { Dispatcher } from 'undici';

type Handler = Dispatcher.DispatchHandler;
type Controller = Dispatcher.DispatchController;

/** What may be seen of a request while it is under way. */
export interface Observer {
  /** The connection is there, and the request is about to leave. */
  begun?: () => void;
  /** The answer's status is there. */
  started?: (controller: Controller, status: number) => void;
  /** A piece of the answer's body came, as it crossed the network. */
  data?: (bytes: number) => void;
  /** The answer is complete, or will never be. */
  ended?: () => void;
}

/** A handler that tells an observer what passes through it. */
export function watching(handler: Handler, observer: Observer): Handler {
  return {
    onRequestStart: (controller, context) => {
      handler.onRequestStart?.(controller, context);
      // Who asked may have given up while the connection was made.
      if (!controller.aborted) observer.begun?.();
    },
    onRequestUpgrade: (...args) => handler.onRequestUpgrade?.(...args),
    onResponseStart: (controller, status, headers, message) => {
      observer.started?.(controller, status);
      if (!controller.aborted) handler.onResponseStart?.(controller, status, headers, message);
    },
    onResponseData: (controller, chunk) => {
      observer.data?.(chunk.byteLength);
      handler.onResponseData?.(controller, chunk);
    },
    onResponseEnd: (controller, trailers) => {
      observer.ended?.();
      handler.onResponseEnd?.(controller, trailers);
    },
    onResponseError: (controller, error) => {
      observer.ended?.();
      handler.onResponseError?.(controller, error);
    },
  };
}
