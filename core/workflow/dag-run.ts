import { type Static, Type } from 'typebox';
import { checker } from '../contract/check.ts';
import { isObject } from './json.ts';
import { givenParams, ParamError, resolveParams } from './params.ts';
import { closed } from './shapes.ts';
import type { FieldPath, Json, JsonObject, Problem, Step, Workflow } from './types.ts';

/** Rules of `dag.run`, which runs another workflow as a step. */

export const DagRunInput = Type.Object(
  {
    dag: Type.String({ minLength: 1, title: 'A workflow of this file, else of the folder of workflows' }),
    params: Type.Optional(
      Type.Union([Type.String(), Type.Array(Type.Unknown()), Type.Record(Type.String(), Type.Unknown())], {
        title: 'Its parameters: a map of names and values, a list of NAME=value or values, or both in one text',
        description: 'a map, a list, or a string',
      }),
    ),
  },
  closed,
);
export type DagRunInput = Static<typeof DagRunInput>;

/** Checks the input of a `dag.run` step once its references are resolved; throws an InvalidValue. */
export const checkDagRunInput = checker(DagRunInput, 'with');

/** The workflow of the same file that a step runs; undefined where it is looked for elsewhere, or named by a reference. */
export function localTarget(step: Step, workflow: Workflow): Workflow | undefined {
  return workflow.locals.find(({ name }) => name === step.with.dag);
}

/** All that is wrong with a `dag.run` step before it runs. A workflow that is not in the file is looked for when it runs. */
export function checkDagRunStep(step: Step, workflow: Workflow): Problem[] {
  const at = (...rest: FieldPath): FieldPath => [...step.path, 'with', ...rest];
  const { dag, params } = step.with;
  const problems: Problem[] = Object.keys(step.with)
    .filter((key) => !(key in DagRunInput.properties))
    .map((key) => ({ path: at(key), message: `with.${key} is not a key of this action; it takes dag, params` }));
  if (dag === undefined) problems.push({ path: at(), message: 'with.dag is required' });
  else if (typeof dag !== 'string' || dag.trim() === '') {
    problems.push({ path: at('dag'), message: 'with.dag must be a non-empty string' });
  }
  if (params !== undefined && typeof params !== 'string' && typeof params !== 'object') {
    problems.push({ path: at('params'), message: 'with.params must be a map, a list, or a string' });
  }
  const target = localTarget(step, workflow);
  if (problems.length > 0 || target === undefined) return problems;
  const message = paramsProblem(params, target);
  return message === undefined ? [] : [{ path: at(...(params === undefined ? [] : ['params'])), message }];
}

/** Why a workflow of the same file cannot take the parameters, as far as that shows before their references are resolved. */
function paramsProblem(params: Json | undefined, target: Workflow): string | undefined {
  // A text, whole or in a list, may become several words, or other names.
  if (params !== undefined && !isObject(params)) return undefined;
  try {
    const given = givenParams(params as JsonObject | undefined);
    const open = target.params.map((param) =>
      given.some(({ name, value }) => name === param.name && value.includes('$')) ? anyText(param.name) : param,
    );
    resolveParams({ params: open }, given);
    return undefined;
  } catch (error) {
    if (error instanceof ParamError) return `with.params does not fit workflow "${target.name}": ${error.message}`;
    throw error;
  }
}

function anyText(name: string): Workflow['params'][number] {
  return { name, type: 'string', required: true };
}
