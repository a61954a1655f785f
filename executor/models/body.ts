import { InvalidValue } from '../../core/contract/check.ts';
import { parseExact } from '../json.ts';

/** Reads the bodies of answers, whatever a server sends in the place of one. */

/** How much of an answer that is none reaches a person. */
const shownLimit = 300;
const errorLimit = 2000;

/** The JSON of a complete answer, its numbers exact. Throws an InvalidValue for what is none, or tells of an error. */
export async function readJson(response: Response): Promise<unknown> {
  return parseJson(await response.text(), `the answer is ${mediaType(response) ?? 'a text'} and not JSON`);
}

/** JSON that is not the report of an error, which some servers send with status 200. */
export function parseJson(text: string, otherwise: string): unknown {
  let value: unknown;
  try {
    value = parseExact(text);
  } catch (error) {
    if (error instanceof SyntaxError) throw new InvalidValue(otherwise, '', shown(text));
    throw error;
  }
  const { error } = (value ?? {}) as { error?: unknown };
  if (error === undefined || error === null) return value;
  throw new InvalidValue('the answer is an error', '', JSON.stringify(error).slice(0, errorLimit));
}

/** Throws an InvalidValue for an answer whose type says that it is no stream. */
export async function assertStream(response: Response): Promise<void> {
  const type = mediaType(response);
  if (type !== 'text/html' && type !== 'application/json') return;
  throw new InvalidValue(`the server did not answer with a stream but with ${type}`, '', shown(await response.text()));
}

function shown(text: string): string {
  return text.trim().slice(0, shownLimit) || 'it is empty';
}

function mediaType(response: Response): string | undefined {
  return response.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase();
}
