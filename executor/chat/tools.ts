import { respondIsReserved, respondTool } from '../../core/workflow/chat.ts';
import type { GivenParam } from '../../core/workflow/params.ts';
import type { Workflow } from '../../core/workflow/types.ts';
import { type ChildEnd, type StepContext, StepError, StepWaits } from '../action.ts';
import { ExactNumber, parseExact, toJson, toSortedJson } from '../json.ts';
import type { ToolCall, ToolSpec } from '../models/model.ts';
import { toolSpec } from './tool-schema.ts';

/** A workflow that a model may call. */
export interface Tool {
  spec: ToolSpec;
  workflow: Workflow;
  source: string;
}

/** The workflows that a step names as tools, in its order. Throws a StepError for one that cannot be one. */
export async function loadTools(names: readonly string[], context: StepContext): Promise<Tool[]> {
  const tools = new Map<string, Tool>();
  for (const name of new Set(names)) {
    const { workflow, source } = await find(name, context);
    if (context.step.outputSchema !== undefined && workflow.name === respondTool)
      throw new StepError(respondIsReserved);
    if (tools.has(workflow.name)) {
      throw new StepError(`failed to load tool DAG "${name}": another tool is named "${workflow.name}", too`);
    }
    tools.set(workflow.name, { spec: toolSpec(workflow), workflow, source });
  }
  return [...tools.values()];
}

async function find(name: string, context: StepContext): Promise<{ workflow: Workflow; source: string }> {
  try {
    return await context.findWorkflow(name);
  } catch (error) {
    if (!(error instanceof StepError)) throw error;
    throw new StepError(`failed to load tool DAG "${name}": ${error.message}`, { cause: error });
  }
}

/**
 * Calls as they may stand in the conversation that goes back to the model: each with an id of its
 * own and arguments that are a JSON object. `given` are the calls as the model made them.
 *
 * @param firstNumber the number of the first call among all calls of the step, for ids
 */
export function soundCalls(given: readonly ToolCall[], firstNumber: number): ToolCall[] {
  const ids = new Set<string>();
  return given.map(({ id, name, arguments: text }, index) => {
    const own = id !== '' && !ids.has(id) ? id : `call_${firstNumber + index}`;
    ids.add(own);
    return { id: own, name, arguments: 'value' in parseArguments(text) && text.trim() !== '' ? text : '{}' };
  });
}

/** One call of a tool: which run it is among those of the step, and what it asks. */
export interface NumberedCall extends ToolCall {
  /** Names the run among those of the step. */
  item: string;
}

/**
 * Runs a call and gives what the model gets to read: outputs as JSON, or what went wrong, which
 * is the model's to deal with. Throws a StepWaits where the workflow waits for a person.
 */
export async function runCall(call: NumberedCall, tools: readonly Tool[], context: StepContext): Promise<string> {
  const tool = tools.find(({ spec }) => spec.name === call.name);
  if (tool === undefined) return `Error: tool "${call.name}" not found`;
  const parsed = parseArguments(call.arguments);
  if ('problem' in parsed) return `Error: failed to parse arguments: ${parsed.problem}`;
  const { workflow, source } = tool;
  const params = givenParams(parsed.value);
  context.log(`tool ${call.item}: ${call.name} ${toSortedJson(parsed.value)}`);
  let end: ChildEnd;
  try {
    end = await context.runChild({ workflow, source, params, item: call.item });
  } catch (error) {
    context.signal.throwIfAborted();
    if (error instanceof StepError) return `Error: execution failed: ${error.message}`;
    throw error;
  }
  context.signal.throwIfAborted();
  if (end.status === 'waiting') throw new StepWaits();
  if (end.status !== 'succeeded' && end.status !== 'partially_succeeded') {
    return `Tool execution failed with status: ${end.status}${end.error === undefined ? '' : `\n${end.error}`}`;
  }
  return Object.keys(end.outputs).length === 0 ? 'Tool execution completed successfully' : toSortedJson(end.outputs);
}

function parseArguments(text: string): { value: Record<string, unknown> } | { problem: string } {
  // A call without arguments comes as nothing, too.
  if (text.trim() === '') return { value: {} };
  let value: unknown;
  try {
    value = parseExact(text);
  } catch (error) {
    if (error instanceof SyntaxError) return { problem: 'they are not JSON' };
    throw error;
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof ExactNumber)) {
    return { value: value as Record<string, unknown> };
  }
  return { problem: 'they are not a JSON object' };
}

/** Values for the parameters, by name: data, whatever they look like. Null is what was not given. */
function givenParams(values: Record<string, unknown>): GivenParam[] {
  return Object.entries(values)
    .filter(([, value]) => value !== null)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, value]) => ({ name, value: typeof value === 'string' ? value : toJson(value) }));
}
