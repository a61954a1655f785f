import { problemFinder } from '../contract/problems.ts';
import { type PinKind, pinnedSteps, pinSystems, TablePin } from './computer-schema.ts';
import { durationProblem, shapeProblems } from './computer-values.ts';
import { isObject } from './json.ts';
import { chordProblem } from './keys.ts';
import { listedProperties } from './output-schema.ts';
import { selectorProblems } from './selector.ts';
import type { FieldPath, Json, JsonObject, Problem } from './types.ts';

/** Checks of `recorded` and `fields` (spec: Pinned steps). */

const kinds = Object.keys(pinnedSteps) as PinKind[];
const find = Object.fromEntries(kinds.map((kind) => [kind, problemFinder(pinnedSteps[kind])]));
const findTable = problemFinder(TablePin);

/** All that is wrong with an act's pinned steps, at paths inside `recorded`. */
export function recordedProblems(recorded: Json): Problem[] {
  return bySystem(recorded, 'recorded').flatMap(([system, steps]) => {
    const name = `recorded.${system}`;
    if (steps === undefined) return [unknownSystem(system, 'recorded')];
    if (!Array.isArray(steps) || steps.length === 0) {
      return [{ path: [system], message: `${name} must list at least one step` }];
    }
    return steps.flatMap((step, index) =>
      stepProblems(step).map(({ path, message }) => ({
        path: [system, index, ...path],
        message: `${name}[${index}]: ${message}`,
      })),
    );
  });
}

/** The blocks of the known systems; a block of another name comes with no value. */
function bySystem(blocks: Json, name: string): [string, Json | undefined][] {
  if (!isObject(blocks)) return [[name, undefined]];
  return Object.entries(blocks).map(([system, block]) => [
    system,
    (pinSystems as readonly string[]).includes(system) ? block : undefined,
  ]);
}

function unknownSystem(system: string, name: string): Problem {
  return { path: [system], message: `${name} has no system "${system}"; use one of ${pinSystems.join(', ')}` };
}

function stepProblems(step: Json): Problem[] {
  const set = isObject(step) ? kinds.filter((kind) => step[kind] !== undefined) : [];
  const [kind] = set;
  if (!isObject(step) || kind === undefined || set.length > 1) {
    return [{ path: [], message: `a step must set one of ${kinds.slice(0, -1).join(', ')}, or ${kinds.at(-1)}` }];
  }
  const selectors = selectorPlaces(kind, step).flatMap(([path, selector]) => selectorProblems(selector, path));
  if (selectors.length > 0) return selectors;
  const shape = shapeProblems((value) => find[kind]?.(value) ?? [], step, [], '', 'the step');
  if (shape.length > 0) return shape;
  if (kind === 'key') return keyProblems(String(step.key));
  return kind === 'wait' ? durationProblem(step.wait, 'wait', '2s', ['wait']) : [];
}

/** A reference is checked when the step starts; a `$` that begins none is a key. */
function keyProblems(chord: string): Problem[] {
  const problem = /\$[{A-Za-z_]/.test(chord) ? undefined : chordProblem(chord);
  return problem === undefined ? [] : [{ path: ['key'], message: problem }];
}

/** The selectors of a step, with their places; `undefined` where a needed one is missing. */
function selectorPlaces(kind: PinKind, step: JsonObject): [FieldPath, Json | undefined][] {
  const inner = step[kind];
  switch (kind) {
    case 'type':
      return isObject(inner) ? [[['type', 'into'], inner.into]] : [];
    case 'scroll':
      return isObject(inner) ? [[['scroll', 'on'], inner.on]] : [];
    case 'key':
      return step.focus === undefined ? [] : [[['focus'], step.focus]];
    case 'wait':
      return [];
    default:
      return [[[kind], inner]];
  }
}

/** All that is wrong with an extract's pinned fields, at paths inside `fields`. */
export function fieldsProblems(fields: Json | undefined, schema: JsonObject): Problem[] {
  if (fields === undefined) return [];
  const listed = listedProperties(schema);
  return bySystem(fields, 'fields').flatMap(([system, pins]) => {
    if (pins === undefined) return [unknownSystem(system, 'fields')];
    if (!isObject(pins)) return [{ path: [system], message: `fields.${system} must name the fields it pins` }];
    return Object.entries(pins).flatMap(([name, pin]) => {
      const path = [system, name];
      const problems = listed.includes(name)
        ? fieldProblems(pin, property(schema, name), path)
        : [{ path, message: 'the schema does not list it' }];
      return problems.map((problem) => ({ ...problem, message: `fields.${system}.${name}: ${problem.message}` }));
    });
  });
}

function property(schema: JsonObject, name: string): JsonObject {
  const found = isObject(schema.properties) ? schema.properties[name] : undefined;
  return isObject(found) ? found : {};
}

const scalars: readonly Json[] = ['string', 'number', 'integer', 'boolean'];

function fieldProblems(pin: Json, { type }: JsonObject, path: FieldPath): Problem[] {
  if (isObject(pin) && pin.container !== undefined) {
    const problems = [
      ...selectorProblems(pin.container, [...path, 'container'], 'container'),
      ...shapeProblems(findTable, pin, path, '', 'the table'),
    ];
    return problems.length > 0 ? problems : [{ path, message: 'this version reads no tables; pin single fields' }];
  }
  const problems = selectorProblems(pin, path);
  if (problems.length > 0 || scalars.includes(type ?? null)) return problems;
  return [{ path, message: 'a selector gives one value; the schema must say string, number, integer, or boolean' }];
}

/**
 * Every text in selectors and typed texts inside a value, whatever its shape, in which
 * placeholders are replaced: an id and an app are identifiers and not among them.
 */
export function selectorTexts(value: Json | undefined): string[] {
  if (Array.isArray(value)) return value.flatMap(selectorTexts);
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, inner]) => {
    if (typeof inner !== 'string') return selectorTexts(inner);
    return ['name', 'window', 'label', 'text'].includes(key) ? [inner] : [];
  });
}
