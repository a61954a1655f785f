import type { Static } from 'typebox';
import type { ApiNotice, apiNotices, apiProtocol } from './api.ts';

/** The name of the channel between preload and main that carries a call's answer. */
export const callChannel = (call: string): string => `dagu:call:${call}`;

/** The name of the channel on which main tells its pages of a notice. */
export const noticeChannel = (notice: string): string => `dagu:notice:${notice}`;

/** A call that failed; `code` is for programs, the message for people. */
export interface Failure {
  code: string;
  message: string;
}

/** What a call came to. A failure is a value, since an error loses its code between main and a page. */
export type Answer<T> = { ok: true; value: T } | { ok: false; failure: Failure };

type Api = typeof apiProtocol;
export type ApiCall = keyof Api;
export type ApiParams<C extends ApiCall> = Static<Api[C]['params']>;
export type ApiResult<C extends ApiCall> = Static<Api[C]['result']>;

/** What the preload script gives to a page as `window.dagu`: a function for each call, and the notices. */
export type Bridge = { [C in ApiCall]: (params: ApiParams<C>) => Promise<Answer<ApiResult<C>>> } & {
  /** Calls the listener at each notice until the function that it returns is called. */
  on<N extends ApiNotice>(notice: N, listener: (params: Static<(typeof apiNotices)[N]>) => void): () => void;
};
