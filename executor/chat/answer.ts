import { isObject } from '../../core/workflow/json.ts';
import { compileSchema, listedProperties } from '../../core/workflow/output-schema.ts';
import type { JsonObject } from '../../core/workflow/types.ts';
import type { ChatReply, ToolSpec } from '../models/model.ts';
import { parseExact, withNumbers } from './json.ts';

/** Name of the tool through which a model gives a structured answer. */
export const respondTool = 'respond';

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
 * JSON or holds one `json` fence. Properties that the schema does not list are dropped
 * before the check (spec: Structured output). Integers too large for a number are bigints.
 */
export function answerJudge(schema: JsonObject): (reply: ChatReply) => Judged {
  const check = compileSchema(schema);
  const listed = new Set(listedProperties(schema));
  return (reply) => {
    const call = reply.toolCalls.find(({ name }) => name === respondTool);
    const given = (call?.arguments ?? reply.text).trim();
    const reject = (reason: string): Judged => ({ rejected: given === '' ? '(no answer)' : given, reason });

    const parsed = parse(call === undefined ? unfenced(given) : given);
    if (parsed === undefined) return reject('the reply holds no JSON answer');
    if (!isObject(parsed.value)) return reject('the answer must be a JSON object');
    const value = Object.fromEntries(Object.entries(parsed.value).filter(([key]) => listed.has(key)));
    const reason = check(withNumbers(value));
    return reason === undefined ? { value } : reject(reason);
  };
}

function parse(text: string): { value: unknown } | undefined {
  try {
    return { value: parseExact(text) };
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** The inside of the text's one code fence, also of one that was never closed; the text itself without one. */
function unfenced(text: string): string {
  const open = /^```(?:json)?[ \t]*$/im.exec(text);
  if (open === null) return text;
  const inside = text.slice(open.index + open[0].length);
  const close = inside.search(/^```/m);
  return (close < 0 ? inside : inside.slice(0, close)).trim();
}
