import { apiProtocol } from '../core/contract/api.ts';
import type { Answer, ApiCall } from '../core/contract/bridge.ts';
import { checker } from '../core/contract/check.ts';
import { type Handlers, toWire } from '../core/contract/protocol.ts';

/** For each call: what answers it, whatever it is given. */
export type Answers = Record<ApiCall, (given: unknown) => Promise<Answer<unknown>>>;

/**
 * Puts the contract's check before each handler, and makes a value of its failure. What a
 * page sends is checked although its preload script did so: the page's process may have
 * been taken over.
 */
export function makeAnswers(handlers: Handlers<typeof apiProtocol>): Answers {
  const answers = Object.entries(apiProtocol).map(([call, { params }]) => {
    const check = checker(params, `${call} parameters`);
    const handle = handlers[call as ApiCall] as (params: unknown) => unknown;
    const answer = async (given: unknown): Promise<Answer<unknown>> => {
      try {
        return { ok: true, value: await handle(check(given)) };
      } catch (error) {
        const { code, message } = toWire(error);
        return { ok: false, failure: { code, message } };
      }
    };
    return [call, answer];
  });
  return Object.fromEntries(answers);
}
