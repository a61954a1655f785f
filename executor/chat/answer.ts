import { respondTool } from '../../core/workflow/chat.ts';
import { isObject } from '../../core/workflow/json.ts';
import { compileSchema, listedProperties } from '../../core/workflow/output-schema.ts';
import type { JsonObject } from '../../core/workflow/types.ts';
import { ExactNumber, parseExact, withNumbers } from '../json.ts';
import type { ChatReply, ToolSpec } from '../models/model.ts';

/** What the model is told, in the first system message. */
export const respondInstruction =
  'Give your final answer by calling the respond tool once, with every value in the shape that its parameters describe. Do not answer in plain text.';

export function respondSpec(schema: JsonObject): ToolSpec {
  return { name: respondTool, description: 'Gives the final answer.', parameters: schema };
}

/** A usable answer, or the rejected one as the model gave it with the reason. */
export type Judged = { value: Record<string, unknown> } | { rejected: string; reason: string };

/**
 * Makes the judge of a schema's answers: the arguments of `respond`, else a text that is
 * JSON or holds it in a `json` fence; what follows the first complete value is left. Properties
 * that the schema does not list are dropped before the check (spec: Structured output). Numbers
 * that JavaScript cannot hold are exact ones.
 */
export function answerJudge(schema: JsonObject): (reply: ChatReply) => Judged {
  const check = compileSchema(schema);
  const listed = new Set(listedProperties(schema));
  return (reply) => {
    const call = reply.toolCalls.find(({ name }) => name === respondTool);
    const given = (call?.arguments ?? reply.text).trim();
    const reject = (reason: string): Judged => ({
      rejected: given === '' ? '(no answer)' : given,
      reason: reply.cut ? `${reason}; it was cut off at the limit of tokens` : reason,
    });

    const parsed = firstValue(given);
    if (parsed === undefined) return reject('the reply holds no JSON answer');
    const { value: whole } = parsed;
    if (!isObject(whole) || whole instanceof ExactNumber) return reject('the answer must be a JSON object');
    const value = Object.fromEntries(Object.entries(whole).filter(([key]) => listed.has(key)));
    const reason = check(withNumbers(value));
    return reason === undefined ? { value } : reject(reason);
  };
}

/** The JSON that a text is, begins with, or holds in a code fence, also one that was never closed. */
function firstValue(text: string): { value: unknown } | undefined {
  const whole = parse(text) ?? parse(completeValue(text));
  if (whole !== undefined) return whole;
  for (const fence of text.matchAll(/```[ \t]*(?:json)?\s*(?=[[{])/gi)) {
    const inside = text.slice(fence.index + fence[0].length);
    const found = parse(completeValue(inside));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The object or list that a text begins with, up to its last bracket; empty where it begins with none, or is cut. */
function completeValue(text: string): string {
  if (!/^[[{]/.test(text)) return '';
  let depth = 0;
  for (const { 0: token, index } of text.matchAll(/"[^"\\]*(?:\\.[^"\\]*)*"|[[{]|[\]}]/gs)) {
    if (token.length > 1) continue;
    depth += token === '{' || token === '[' ? 1 : -1;
    if (depth === 0) return text.slice(0, index + 1);
  }
  return '';
}

function parse(text: string): { value: unknown } | undefined {
  try {
    return { value: parseExact(text) };
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
