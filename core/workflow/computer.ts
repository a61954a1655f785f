import { problemFinder } from '../contract/problems.ts';
import { operationProblems } from './computer-operations.ts';
import { ComputerExtractInput, ComputerRunInput, type Extract, type WrittenOperation } from './computer-schema.ts';
import { type ModelChoice, shapeProblems, zeroDurationProblem } from './computer-values.ts';
import { isObject } from './json.ts';
import { checkLlm, type LlmConfig, providers } from './llm.ts';
import { listedProperties } from './output-schema.ts';
import { variableName } from './placeholders.ts';
import type { FieldPath, JsonObject, Problem, Step, Workflow } from './types.ts';

/** Checks of `computer.run` and `computer.extract` steps (spec: Computer Actions). */

const findRunProblems = problemFinder(ComputerRunInput);
const findExtractProblems = problemFinder(ComputerExtractInput);

/** All that is wrong with a computer step before it runs; paths lead from the document's root. */
export function checkComputerStep(step: Step, workflow: Workflow): Problem[] {
  return computerProblems(step.action, step.with, workflow.llm).map(({ path, message }) => ({
    path: [...step.path, 'with', ...path],
    message,
  }));
}

/** The names of the outputs that a computer step's `with` publishes, in order, each once. */
export function computerOutputNames(withBlock: JsonObject): string[] {
  const operations = Array.isArray(withBlock.do) ? withBlock.do : [{ extract: withBlock }];
  const names = operations.flatMap((operation) => {
    const extract = isObject(operation) ? operation.extract : undefined;
    return isObject(extract) && isObject(extract.schema) ? listedProperties(extract.schema) : [];
  });
  return [...new Set(names)];
}

/**
 * The input of a computer step in the form of `computer.run`: a `computer.extract` is a
 * run of one extract. The input was found to be without problems.
 */
export function asRunInput(action: string, withBlock: JsonObject): ComputerRunInput {
  if (action !== 'computer.extract') return withBlock as unknown as ComputerRunInput;
  const { instruction, schema, timeout, ...shared } = withBlock;
  const operation = { extract: { instruction, schema } as Extract, ...(timeout !== undefined && { timeout }) };
  return { ...shared, do: [operation as WrittenOperation] };
}

/**
 * All that is wrong with `with` of a computer step, at paths inside it. Values that hold
 * a reference are passed here and checked again when the step starts.
 *
 * @param llm the workflow's block, which `with.llm` replaces
 */
export function computerProblems(action: string, withBlock: JsonObject, llm: LlmConfig | undefined): Problem[] {
  const problems = action === 'computer.extract' ? extractStepProblems(withBlock) : runStepProblems(withBlock);
  if (!problems.some(({ path }) => path[0] === 'llm')) problems.push(...modeProblems(withBlock, llm));
  return problems.map(({ path, message }) => ({ path, message: `computer: ${message}` }));
}

function runStepProblems(input: JsonObject): Problem[] {
  const problems = [
    ...shapeProblems(findRunProblems, input, [], '').filter(({ path }) => path[0] !== 'do' && path.length > 0),
    ...unknownKeys(input, Object.keys(ComputerRunInput.properties)),
    ...variableProblems(input),
    ...zeroDurationProblem(input.idle, 'idle', '5s', 'not wait'),
    ...zeroDurationProblem(input.find_within, 'find_within', '10s', 'look once'),
  ];
  if (input.ai !== undefined && input.cache !== undefined) {
    problems.push({ path: ['ai'], message: 'set ai or cache, not both; cache: false means ai: every_run' });
  }
  if (!Array.isArray(input.do) || input.do.length === 0) {
    const path = input.do === undefined ? [] : ['do'];
    return [...problems, { path, message: 'with.do must list at least one operation' }];
  }
  const scope = {
    choice: { ai: input.ai, cache: input.cache } as ModelChoice,
    known: new Set(isObject(input.variables) ? Object.keys(input.variables) : []),
    asks: new Map<string, number>(),
    outputs: new Map<string, number>(),
  };
  return [...problems, ...input.do.flatMap((operation, index) => operationProblems(operation, index, scope))];
}

function unknownKeys(input: JsonObject, known: string[]): Problem[] {
  return Object.keys(input)
    .filter((key) => !known.includes(key))
    .map((key) => ({ path: [key], message: `with.${key} is not a key of this action; it takes ${known.join(', ')}` }));
}

function variableProblems({ variables, visible }: JsonObject): Problem[] {
  const names = isObject(variables) ? Object.keys(variables) : [];
  const problems: Problem[] = names
    .filter((name) => !variableName.test(name))
    .map((name) => ({
      path: ['variables', name],
      message: `variable name ${JSON.stringify(name)} must match ${variableName.source}`,
    }));
  for (const [index, name] of (Array.isArray(visible) ? visible : []).entries()) {
    if (typeof name !== 'string' || names.includes(name)) continue;
    problems.push({
      path: ['visible', index],
      message: `visible names ${JSON.stringify(name)}, which is not in with.variables`,
    });
  }
  return problems;
}

function extractStepProblems(input: JsonObject): Problem[] {
  const missing = ['instruction', 'schema'].filter((key) => input[key] === undefined);
  const problems: Problem[] = [
    ...missing.map((key) => ({ path: [], message: `with.${key} is required` })),
    ...unknownKeys(input, Object.keys(ComputerExtractInput.properties)),
  ];
  if (isObject(input.schema) && input.schema.type !== 'object') {
    problems.push({ path: ['schema', 'type'], message: 'extract schema must have type: object' });
  }
  if (problems.length > 0) return problems;
  return [
    ...shapeProblems(findExtractProblems, input, [], ''),
    {
      path: [],
      message:
        'this version runs computer steps without a model only; use computer.run with an extract that sets ai: never and gives fields',
    },
  ];
}

const withNativeTool: readonly string[] = ['anthropic', 'openai', 'gemini'];

function modeProblems(input: JsonObject, workflowLlm: LlmConfig | undefined): Problem[] {
  const own = isObject(input.llm) ? (input.llm as LlmConfig) : undefined;
  const problems = own === undefined ? [] : checkLlm(own, ['llm']);
  const llm = own ?? workflowLlm;
  if (problems.length > 0 || input.mode !== 'native' || llm === undefined) return problems;
  const named = Array.isArray(llm.model) ? llm.model.map((entry) => entry.provider) : [llm.provider ?? ''];
  const without = named.find((name) => {
    const provider = Object.hasOwn(providers, name) ? providers[name as keyof typeof providers] : undefined;
    return provider !== undefined && !withNativeTool.includes(provider);
  });
  if (without === undefined) return [];
  const path: FieldPath = ['mode'];
  return [{ path, message: `provider "${without}" has no native computer use; set mode to "generic"` }];
}
