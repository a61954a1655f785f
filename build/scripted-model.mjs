import { LLMock } from '@copilotkit/aimock';

/**
 * A scripted model for tests and the demo: a server on loopback that speaks OpenAI's wire
 * format and answers from a script. No AI is in it. The script can demand what a request
 * must hold, so that an answer proves that the document's own text arrived; a request
 * that does not is refused with status 400 and the reason.
 *
 * @typedef {object} Answer What the model answers; exactly one of these is set.
 * @property {Record<string, unknown>} [respond] Values for a call of the `respond` tool.
 * @property {string} [call] The arguments of a `respond` call as raw text, which may be malformed.
 * @property {{name: string, arguments: Record<string, unknown>}[]} [calls] Calls of other tools.
 * @property {string} [text] A plain text.
 * @property {{status: number, message: string}} [error] A refusal.
 *
 * @typedef {object} Exchange
 * @property {string[]} [when] Texts that choose this exchange when the messages hold them all; always, when not given.
 * @property {string[]} [demands] Texts that the messages must hold as well.
 * @property {Answer[]} answers One for each request that comes here; the last serves the rest too.
 *
 * @typedef {object} ScriptedModel
 * @property {string} url For `base_url`.
 * @property {() => import('@copilotkit/aimock').ChatCompletionRequest[]} requests All requests so far, as they came.
 * @property {() => Promise<void>} stop
 */

/** What whoever starts the server tells people about it. */
export const scriptedNotice = 'This model is scripted: its answers are written in advance, and no AI takes part.';

/**
 * Starts a scripted model on a free port.
 *
 * @param {Exchange[]} script The first exchange whose `when` fits a request answers it.
 * @returns {Promise<ScriptedModel>}
 */
export async function startScriptedModel(script) {
  const server = new LLMock({ port: 0, host: '127.0.0.1', logLevel: 'silent', journalMaxEntries: 0 });
  /** @type {Map<Exchange, number>} */
  const served = new Map();
  server.on({ predicate: () => true }, (request) => {
    const text = textOf(request);
    const exchange = script.find(({ when = [] }) => when.every((part) => text.includes(part)));
    if (exchange === undefined) return refusal(400, 'no exchange of the script fits this request');
    const missing = (exchange.demands ?? []).filter((part) => !text.includes(part));
    if (missing.length > 0)
      return refusal(400, `the request lacks ${missing.map((part) => `"${part}"`).join(' and ')}`);
    const count = served.get(exchange) ?? 0;
    served.set(exchange, count + 1);
    return toWire(exchange.answers[Math.min(count, exchange.answers.length - 1)], request);
  });
  await server.start();
  return {
    url: `${server.url}/v1`,
    requests: () => server.getRequests().map(({ body }) => /** @type {any} */ (body)),
    stop: () => server.stop(),
  };
}

/** @param {import('@copilotkit/aimock').ChatCompletionRequest} request */
function textOf(request) {
  return request.messages
    .map(({ content }) => (typeof content === 'string' ? content : JSON.stringify(content)))
    .join('\n');
}

/**
 * @param {Answer | undefined} answer
 * @param {import('@copilotkit/aimock').ChatCompletionRequest} request
 * @returns {import('@copilotkit/aimock').FixtureResponse}
 */
function toWire(answer, request) {
  if (answer?.error !== undefined) return refusal(answer.error.status, answer.error.message);
  if (answer?.text !== undefined) return { content: answer.text, systemFingerprint: 'scripted' };
  const names = (request.tools ?? []).map((tool) => tool.function?.name);
  if (answer?.calls !== undefined) {
    const unknown = answer.calls.find(({ name }) => !names.includes(name));
    if (unknown !== undefined) return refusal(400, `the request does not offer the tool "${unknown.name}"`);
    const toolCalls = answer.calls.map((call) => ({ name: call.name, arguments: JSON.stringify(call.arguments) }));
    return { toolCalls, systemFingerprint: 'scripted' };
  }
  const values = answer?.call ?? (answer?.respond && JSON.stringify(answer.respond));
  if (values === undefined) return refusal(400, 'the script has no answer for this request');
  if (!names.includes('respond'))
    return refusal(400, 'the script answers through the respond tool, which the request does not offer');
  return { toolCalls: [{ name: 'respond', arguments: values }], systemFingerprint: 'scripted' };
}

/**
 * @param {number} status
 * @param {string} reason
 * @returns {import('@copilotkit/aimock').ErrorResponse}
 */
function refusal(status, reason) {
  return { error: { message: `scripted model: ${reason}`, type: 'scripted' }, status };
}
