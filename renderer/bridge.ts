import type { Answer, ApiCall, ApiParams, ApiResult, Bridge, Failure } from '../core/contract/bridge.ts';
import { failures, isFailureCode } from '../core/contract/failures.ts';
import type { Words } from '../core/contract/words/en.ts';

declare global {
  interface Window {
    /** Put here by preload/preload.ts. */
    readonly dagu: Bridge;
  }
}

/** A call to main that failed. */
export class CallFailure extends Error {
  readonly code: string;

  constructor({ code, message }: Failure) {
    super(message);
    this.name = 'CallFailure';
    this.code = code;
  }
}

/** Calls main; throws a {@link CallFailure}. */
export async function call<C extends ApiCall>(name: C, params: ApiParams<C>): Promise<ApiResult<C>> {
  const ask = window.dagu[name] as (params: ApiParams<C>) => Promise<Answer<ApiResult<C>>>;
  const answer = await ask(params);
  if (!answer.ok) throw new CallFailure(answer.failure);
  return answer.value;
}

/** What a failure means to its reader: the catalogue's text for its code, with its own message where that says more. */
export function failureWords(error: unknown, words: Words): string {
  if (!(error instanceof CallFailure)) return words.common.unexpected;
  const { code, message } = error;
  if (!isFailureCode(code)) return message;
  const meaning = words.failure[code];
  return failures[code].detail ? words.failureWith(meaning, message) : meaning;
}
