import { statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { isObject } from '../../core/workflow/json.ts';
import { compileSchema, listedProperties } from '../../core/workflow/output-schema.ts';
import { mapTexts } from '../../core/workflow/references.ts';
import { whyNoVariable } from '../../core/workflow/shell-data.ts';
import type { OutputSource, Step, StreamTarget } from '../../core/workflow/types.ts';
import { StepError } from '../action.ts';
import { pathFrom } from './output-copy.ts';
import { readOutputFile } from './output-file.ts';
import { select } from './select.ts';
import { maxCapturedBytes, type StepOutput } from './step-output.ts';

/** What a try at a step left that outputs are made of. */
export interface StepProducts {
  stdout: StepOutput;
  stderr: StepOutput;
  workingDir: string;
  /** The step's DAGU_OUTPUT_FILE, where it has one. */
  outputFile: string | undefined;
  /** Resolves the references of a text. */
  expand(text: string): string;
}

/** Whether a step's stream becomes a value. */
export function isCaptured(step: Step, stream: 'stdout' | 'stderr'): boolean {
  const fromStream = Object.values(step.outputMap ?? {}).some(({ from }) => from === stream);
  if (fromStream || step[stream]?.outputs !== undefined) return true;
  return stream === 'stdout' && (step.output !== undefined || schemaOfStdout(step) !== undefined);
}

/** An action answers to its `output_schema` itself. */
function schemaOfStdout(step: Step): Step['outputSchema'] {
  return step.action === 'run' ? step.outputSchema : undefined;
}

/**
 * What a step that succeeded publishes besides what its action did: its trimmed stdout under
 * the name of `output`, the entries of an `output` map, what it wrote to DAGU_OUTPUT_FILE, what
 * `stdout.outputs` and `stderr.outputs` read, and the listed properties of `output_schema`,
 * which its stdout must match. Throws a {@link StepError} when one of them cannot be had.
 */
export async function collectOutputs(step: Step, products: StepProducts): Promise<Record<string, unknown>> {
  const schema = schemaOfStdout(step);
  return {
    ...(schema !== undefined && checkedProperties(textOf(products.stdout, 'stdout'), schema)),
    ...(step.output !== undefined && { [step.output]: variableOf(step.output, products.stdout) }),
    ...(await mapped(step.outputMap, products)),
    ...(await fromStream(step.stdout, 'stdout', products)),
    ...(await fromStream(step.stderr, 'stderr', products)),
    ...(products.outputFile !== undefined &&
      readOutputFile(await readText(products.outputFile, 'DAGU_OUTPUT_FILE'), step.declaredOutputs ?? [])),
  };
}

function variableOf(name: string, stdout: StepOutput): string {
  const text = textOf(stdout, 'stdout').trim();
  const problem = whyNoVariable(text);
  if (problem !== undefined) throw new StepError(`the output ${name} ${problem}`);
  return text;
}

async function fromStream(
  target: StreamTarget | undefined,
  from: 'stdout' | 'stderr',
  products: StepProducts,
): Promise<Record<string, unknown>> {
  const sources = Object.entries(target?.outputs ?? {}).map(([name, source]) => [name, { from, ...source }] as const);
  return await mapped(Object.fromEntries(sources), products);
}

async function mapped(
  sources: Record<string, OutputSource> | undefined,
  products: StepProducts,
): Promise<Record<string, unknown>> {
  const outputs: Record<string, unknown> = {};
  for (const [name, source] of Object.entries(sources ?? {})) {
    try {
      outputs[name] = await valueFrom(source, products);
    } catch (error) {
      throw new StepError(`the output ${name}: ${(error as Error).message}`, { cause: error });
    }
  }
  return outputs;
}

async function valueFrom(source: OutputSource, products: StepProducts): Promise<unknown> {
  if (source.value !== undefined) return mapTexts(source.value, products.expand);
  const from = source.from ?? 'stdout';
  const text =
    from === 'file'
      ? await readText(pathFrom(products.workingDir, products.expand(source.path ?? '')), 'the file')
      : textOf(products[from], from);
  const value = await decode(text, source.decode ?? (source.select === undefined ? 'text' : 'json'), from);
  return source.select === undefined ? value : select(value, source.select);
}

async function decode(text: string, how: 'text' | 'json' | 'yaml', from: string): Promise<unknown> {
  if (how === 'text') return text.trim();
  try {
    return how === 'json' ? JSON.parse(text) : (await import('yaml')).parse(text);
  } catch (error) {
    throw new StepError(`${from} is not ${how.toUpperCase()}: ${(error as Error).message}`);
  }
}

function textOf(stream: StepOutput, name: string): string {
  const text = stream.captured();
  if (text !== undefined) return text;
  throw new StepError(
    `the step printed more than ${maxCapturedBytes} bytes to ${name}, which is more than an output can hold`,
  );
}

/** PowerShell of Windows writes UTF-16 with a mark before it, where it is not told otherwise. */
async function readText(path: string, what: string): Promise<string> {
  const size = statSync(path, { throwIfNoEntry: false })?.size;
  if (size === undefined) throw new StepError(`${what} ${path} is not there`);
  if (size > maxCapturedBytes) {
    throw new StepError(`${what} ${path} has ${size} bytes, more than the ${maxCapturedBytes} that an output can hold`);
  }
  const bytes = await readFile(path);
  try {
    const encoding = bytes[0] === 0xff && bytes[1] === 0xfe ? 'utf-16le' : 'utf-8';
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    throw new StepError(`${what} ${path} is not text in UTF-8`);
  }
}

function checkedProperties(text: string, schema: NonNullable<Step['outputSchema']>): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new StepError('output_schema requires stdout to contain a JSON value matching the schema');
  }
  const problem = compileSchema(schema)(value);
  if (problem !== undefined) throw new StepError(`stdout JSON does not match output_schema: ${problem}`);
  if (!isObject(value)) return {};
  const object = value;
  return Object.fromEntries(
    listedProperties(schema).flatMap((name) => (Object.hasOwn(object, name) ? [[name, object[name]]] : [])),
  );
}
