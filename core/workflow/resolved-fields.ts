import { isObject } from './json.ts';
import { type LocatedReference, referencesIn } from './references.ts';
import type { FieldPath, OutputSource, Precondition, Step, Workflow } from './types.ts';

/**
 * The fields of a workflow whose references are replaced by values. In others, such as
 * names, dependencies and keys of models, `${…}` is text.
 */

/** References in the fields of a workflow outside of its steps. */
export function rootReferences(workflow: Workflow): LocatedReference[] {
  const { env, workingDir, shell, shellArgs, dotenv, preconditions } = workflow;
  return [
    ...environment(env, ['env']),
    ...anywhereIn(workingDir, ['working_dir']),
    ...anywhereIn(shell, ['shell']),
    ...anywhereIn(shellArgs, ['shell_args']),
    ...anywhereIn(dotenv, ['dotenv']),
    ...conditions(preconditions, ['preconditions']),
  ];
}

/** References in the fields of a step, those of a `foreach` body left out. */
export function stepReferences(step: Step): LocatedReference[] {
  const at = (...rest: FieldPath): FieldPath => [...step.path, ...rest];
  const { run, workingDir, preconditions, retryPolicy, outputMap, foreach } = step;
  return [
    ...anywhereIn(run, at('run')),
    ...inputReferences(step, at('with')),
    ...environment(step.env, at('env')),
    ...anywhereIn(workingDir, at('working_dir')),
    ...conditions(preconditions, at('preconditions')),
    ...anywhereIn(retryPolicy?.limit, at('retry_policy', 'limit')),
    ...anywhereIn(retryPolicy?.intervalSec, at('retry_policy', 'interval_sec')),
    ...sources(outputMap, at('output')),
    ...(['stdout', 'stderr'] as const).flatMap((stream) => {
      const { path, artifact, outputs } = step[stream] ?? {};
      return [...anywhereIn([path, artifact], at(stream)), ...sources(outputs, at(stream, 'outputs'))];
    }),
    ...referencesIn(foreach?.items, at('foreach', 'items')),
  ];
}

/** References in what names each item of a `foreach`, and in what each gives. */
export function itemReferences(step: Step): { key: LocatedReference[]; collect: LocatedReference[] } {
  const { key, collect } = step.foreach ?? {};
  const path = [...step.path, 'foreach'];
  return { key: referencesIn(key, [...path, 'key']), collect: referencesIn(collect, [...path, 'collect']) };
}

/** A shell step's input is its shell alone, which the step has as such. */
function inputReferences(step: Step, path: FieldPath): LocatedReference[] {
  if (step.action === 'run') {
    const field = step.with.shell === undefined ? step.path : path;
    return [...anywhereIn(step.shell, [...field, 'shell']), ...anywhereIn(step.shellArgs, [...field, 'shell_args'])];
  }
  if (step.action !== 'chat.completion') return referencesIn(step.with, path);
  const { model } = step.with;
  const models = Array.isArray(model) ? model.map((one) => (isObject(one) ? withoutLiterals(one) : one)) : model;
  return referencesIn({ ...withoutLiterals(step.with), ...(model !== undefined && { model: models }) }, path);
}

function withoutLiterals(input: object): object {
  return Object.fromEntries(Object.entries(input).filter(([key]) => key !== 'api_key_name' && key !== 'tools'));
}

function environment(env: readonly [name: string, value: string][], path: FieldPath): LocatedReference[] {
  return anywhereIn(
    env.map(([, value]) => value),
    path,
  );
}

function conditions(preconditions: readonly Precondition[], path: FieldPath): LocatedReference[] {
  return anywhereIn(
    preconditions.flatMap(({ condition, expected }) => [condition, expected]),
    path,
  );
}

function sources(outputs: Readonly<Record<string, OutputSource>> | undefined, path: FieldPath): LocatedReference[] {
  return Object.entries(outputs ?? {}).flatMap(([name, { value, path: file }]) => [
    ...referencesIn(value, [...path, name, ...(value === undefined ? [] : ['value'])]),
    ...referencesIn(file, [...path, name, 'path']),
  ]);
}

/** References in a value that is written in several ways: all have the place of the whole. */
function anywhereIn(value: unknown, path: FieldPath): LocatedReference[] {
  return referencesIn(value).map((found) => ({ ...found, path }));
}
