import { StepError } from '../action.ts';

/** An output that a step declares under `outputs`. */
export interface DeclaredOutput {
  name: string;
  type: 'string' | 'json';
}

/** Where a text with outputs comes from, for errors. */
const source = 'DAGU_OUTPUT_FILE';

/**
 * Reads what a step wrote to its output file: lines `NAME=value`, and for values of several
 * lines `NAME<<WORD`, the lines, and `WORD` alone on a line. Empty lines between them mean
 * nothing. Throws a {@link StepError} that names the line and what was found, for a name that
 * is not declared, one that is written twice or not at all, and a value that is not the JSON
 * that its type asks for.
 */
export function readOutputFile(text: string, declared: readonly DeclaredOutput[]): Record<string, unknown> {
  const outputs: Record<string, unknown> = {};
  for (const { name, value, line } of entriesOf(text)) {
    const output = declared.find((one) => one.name === name);
    if (output === undefined) {
      const names = declared.map((one) => one.name).join(', ');
      throw new StepError(`${source} line ${line} sets "${name}", which the step's outputs do not declare (${names})`);
    }
    if (Object.hasOwn(outputs, name)) throw new StepError(`${source} line ${line} sets "${name}" a second time`);
    outputs[name] = output.type === 'json' ? parseJson(value, name, line) : value;
  }
  const missing = declared.filter(({ name }) => !Object.hasOwn(outputs, name)).map(({ name }) => `"${name}"`);
  if (missing.length > 0) {
    throw new StepError(
      `the step did not write its output ${missing.join(', ')}; each declared output is written to $${source} once, as NAME=value`,
    );
  }
  return outputs;
}

function* entriesOf(text: string): Generator<{ name: string; value: string; line: number }> {
  const lines = text.split('\n');
  for (let index = 0; index < lines.length; index += 1) {
    const line = index + 1;
    const written = withoutReturn(lines[index] as string);
    if (written.trim() === '') continue;
    const [, name, operator, rest = ''] = /^([A-Za-z][A-Za-z0-9_]*)(=|<<)(.*)$/.exec(written) ?? [];
    if (name === undefined) {
      throw new StepError(`${source} line ${line} must be NAME=value or NAME<<WORD, and is ${shown(written)}`);
    }
    if (operator === '=') {
      yield { name, value: rest, line };
      continue;
    }
    const word = rest.trim();
    if (word === '') throw new StepError(`${source} line ${line} must name the word that ends "${name}" after <<`);
    let end = index + 1;
    while (end < lines.length && withoutReturn(lines[end] as string) !== word) end += 1;
    if (end === lines.length) {
      throw new StepError(`${source} line ${line} begins "${name}", and no line after it is its end, ${shown(word)}`);
    }
    yield { name, value: withoutReturn(lines.slice(index + 1, end).join('\n')), line };
    index = end;
  }
}

function parseJson(value: string, name: string, line: number): unknown {
  try {
    return JSON.parse(value);
  } catch (error) {
    throw new StepError(
      `${source} line ${line}: the output "${name}" must be JSON, and is ${shown(value)} (${(error as Error).message})`,
    );
  }
}

/** Programs on Windows end lines with a carriage return too. */
function withoutReturn(line: string): string {
  return line.endsWith('\r') ? line.slice(0, -1) : line;
}

function shown(text: string): string {
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text);
}
