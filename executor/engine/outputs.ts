import { isObject } from '../../core/workflow/json.ts';
import { compileSchema, listedProperties } from '../../core/workflow/output-schema.ts';
import { whyNoVariable } from '../../core/workflow/shell-data.ts';
import type { Step } from '../../core/workflow/types.ts';
import { StepError } from '../action.ts';
import { maxCapturedBytes, type StepOutput } from './step-output.ts';

/**
 * What a shell step publishes: its trimmed stdout under the name of `output`, and the
 * listed properties of `output_schema`, which its stdout must match.
 */
export function outputsFromStdout(step: Step, stdout: StepOutput): Record<string, unknown> {
  if (step.output === undefined && step.outputSchema === undefined) return {};
  const text = stdout.captured();
  if (text === undefined) {
    throw new StepError(`the step printed more than ${maxCapturedBytes} bytes, which is more than an output can hold`);
  }
  const problem = step.output === undefined ? undefined : whyNoVariable(text.trim());
  if (problem !== undefined) throw new StepError(`the output ${step.output} ${problem}`);
  return {
    ...(step.output !== undefined && { [step.output]: text.trim() }),
    ...(step.outputSchema !== undefined && checkedProperties(text, step.outputSchema)),
  };
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
