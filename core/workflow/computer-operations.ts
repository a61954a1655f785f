import { problemFinder } from '../contract/problems.ts';
import { fieldsProblems, recordedProblems, selectorTexts } from './computer-pins.ts';
import { Act, Ask, Condition, Extract, LaunchCommand, type OperationKind, operationKinds } from './computer-schema.ts';
import {
  durationProblem,
  type ModelChoice,
  modelChoice,
  shapeProblems,
  zeroDurationProblem,
} from './computer-values.ts';
import { isObject } from './json.ts';
import { listedProperties } from './output-schema.ts';
import { placeholderNames, variableName } from './placeholders.ts';
import { selectorProblems } from './selector.ts';
import type { FieldPath, Json, JsonObject, Problem } from './types.ts';

/** What the operations of one step share while they are checked, in order. */
export interface OperationScope {
  choice: ModelChoice;
  /** Names that placeholders may use so far. */
  known: Set<string>;
  /** Answers and outputs so far, with the position of the operation that gives each. */
  asks: Map<string, number>;
  outputs: Map<string, number>;
}

const kinds = Object.keys(operationKinds) as OperationKind[];
const screenshotName = /^[A-Za-z0-9][A-Za-z0-9._-]*$/;
const withoutModel = 'this version runs computer steps without a model only';
const exactChecks = 'use an exact check: {text}, {element}, or {window}';

const find = {
  launch: problemFinder(LaunchCommand),
  act: problemFinder(Act),
  extract: problemFinder(Extract),
  ask: problemFinder(Ask),
  condition: problemFinder(Condition),
};

/** All that is wrong with one operation of `do`, at paths inside `with`. */
export function operationProblems(operation: Json, index: number, scope: OperationScope): Problem[] {
  const check = new OperationCheck(index, scope);
  check.operation(operation);
  return check.problems;
}

class OperationCheck {
  readonly problems: Problem[] = [];
  readonly #index: number;
  readonly #scope: OperationScope;

  constructor(index: number, scope: OperationScope) {
    this.#index = index;
    this.#scope = scope;
  }

  /** Adds a problem of the operation: `do[1]: …`. */
  #add(message: string, ...path: FieldPath): void {
    this.#addAll([{ path, message }]);
  }

  #addAll(problems: readonly Problem[], prefix: FieldPath = []): void {
    for (const { path, message } of problems) {
      this.problems.push({ path: ['do', this.#index, ...prefix, ...path], message: `do[${this.#index}]: ${message}` });
    }
  }

  /** Adds a problem with what this version can do: `do[1] act: …`. */
  #refuse(kind: string, message: string): void {
    this.problems.push({ path: ['do', this.#index, kind], message: `do[${this.#index}] ${kind}: ${message}` });
  }

  operation(operation: Json): void {
    const set = isObject(operation) ? kinds.filter((kind) => operation[kind] !== undefined) : [];
    const [kind] = set;
    if (!isObject(operation) || kind === undefined || set.length > 1) {
      this.#add('operation must set one of launch, act, extract, expect, wait, screenshot, or ask');
      return;
    }
    for (const key of Object.keys(operation)) {
      if (key !== kind && key !== 'when' && key !== 'timeout') this.#add(`unknown key "${key}"`, key);
    }
    if (operation.when !== undefined) this.#condition(operation.when, 'when');
    if (operation.timeout !== undefined && typeof operation.timeout !== 'string') {
      this.#add('timeout must be a duration such as 30s', 'timeout');
    }
    this.#addAll(durationProblem(operation.timeout, 'timeout', '30s', ['timeout']));
    this.#byKind(kind, operation[kind] as Json);
  }

  #byKind(kind: OperationKind, value: Json): void {
    switch (kind) {
      case 'launch':
        this.#launch(value);
        break;
      case 'act':
        this.#act(typeof value === 'string' ? { instruction: value } : value);
        break;
      case 'extract':
        this.#extract(value);
        break;
      case 'expect':
        this.#condition(value, 'expect');
        break;
      case 'wait':
        this.#wait(value);
        break;
      case 'screenshot':
        this.#screenshot(value);
        break;
      case 'ask':
        this.#ask(value);
        break;
    }
  }

  /** Adds what the object form's schema finds; true when it finds nothing. */
  #shape(kind: keyof typeof find, value: Json, key: string): value is JsonObject {
    const problems = shapeProblems(find[kind], value, [key], key);
    this.#addAll(problems);
    return problems.length === 0;
  }

  #launch(value: Json): void {
    if (typeof value === 'string') {
      if (value.trim() === '') this.#add('launch must name a command', 'launch');
      return;
    }
    this.#shape('launch', value, 'launch');
  }

  #act(value: Json): void {
    if (!this.#shape('act', value, 'act')) return;
    if (value.ai !== undefined && value.cache !== undefined) {
      this.#add('set ai or cache, not both; cache: false means ai: every_run', 'act', 'ai');
    }
    this.#addAll(zeroDurationProblem(value.find_within, 'find_within', '10s', 'look once', ['act', 'find_within']));
    if (value.recorded !== undefined) this.#addAll(recordedProblems(value.recorded), ['act', 'recorded']);
    this.#references('act', [value.instruction, ...selectorTexts(value.recorded)]);
    if (modelChoice(value as ModelChoice, this.#scope.choice) !== 'never') {
      this.#refuse('act', `${withoutModel}; set ai: never and give recorded steps`);
    }
  }

  #extract(value: Json): void {
    if (!this.#shape('extract', value, 'extract')) return;
    const schema = value.schema as JsonObject;
    if (schema.type !== 'object') this.#add('extract schema must have type: object', 'extract', 'schema');
    for (const name of listedProperties(schema)) {
      const earlier = this.#scope.outputs.get(name);
      if (earlier === undefined) this.#scope.outputs.set(name, this.#index);
      else
        this.#add(`output "${name}" is already extracted by do[${earlier}]`, 'extract', 'schema', 'properties', name);
    }
    this.#addAll(fieldsProblems(value.fields, schema), ['extract', 'fields']);
    this.#references('extract', selectorTexts(value.fields));
    if (modelChoice(value as ModelChoice, this.#scope.choice) === 'never') this.#fieldsWithoutModel(value);
    else this.#refuse('extract', `${withoutModel}; set ai: never and give fields`);
  }

  /** Under `never` only fields that an element can give are read (spec: How much AI decides). */
  #fieldsWithoutModel({ schema, fields }: JsonObject): void {
    const pinned = new Set(Object.values(isObject(fields) ? fields : {}).flatMap((pins) => Object.keys(pins ?? {})));
    const properties = (schema as JsonObject).properties;
    for (const [name, property] of Object.entries(isObject(properties) ? properties : {})) {
      const type = isObject(property) ? property.type : undefined;
      if (type === 'string' || type === 'number' || type === 'integer' || pinned.has(name)) continue;
      const kind = typeof type === 'string' ? `is of type ${type}` : 'has no single type';
      this.#add(
        `extract lists "${name}", which ${kind} and needs the model; ai: never reads string, number, and integer fields`,
        'extract',
        'schema',
        'properties',
        name,
      );
    }
  }

  #condition(value: Json, key: 'expect' | 'when'): void {
    if (typeof value === 'string') {
      this.#statement(key, value);
      return;
    }
    const checks = isObject(value)
      ? ['statement', 'text', 'element', 'window'].filter((name) => value[name] !== undefined)
      : [];
    if (!isObject(value) || checks.length !== 1) {
      this.#add(
        'a condition is a statement, or an object with exactly one of statement, text, element, or window',
        key,
      );
      return;
    }
    this.#addAll(durationProblem(value.within, 'within', '30s', [key, 'within']));
    if (value.element !== undefined) {
      const problems = selectorProblems(value.element, [key, 'element']);
      this.#addAll(problems);
      if (problems.length > 0) return;
    }
    if (!this.#shape('condition', value, key)) return;
    if (typeof value.statement === 'string') {
      this.#statement(key, value.statement);
      return;
    }
    this.#references(key, [value.text, value.window, ...selectorTexts(value.element)]);
  }

  #statement(key: 'expect' | 'when', statement: string): void {
    if (statement.trim() === '') {
      this.#add(`${key} must not be blank`, key);
      return;
    }
    if (modelChoice({}, this.#scope.choice) === 'never') {
      this.#add(`${key} is judged by AI, which ai: never on the step does not allow; ${exactChecks}`, key);
    } else this.#refuse(key, `${withoutModel}; ${exactChecks}`);
  }

  #wait(value: Json): void {
    if (typeof value !== 'string' || value === '') {
      this.#add('wait must be a duration such as 2s', 'wait');
      return;
    }
    this.#addAll(durationProblem(value, 'wait', '2s', ['wait']));
  }

  #screenshot(value: Json): void {
    if (typeof value === 'string' && (value.includes('$') || screenshotName.test(value))) return;
    this.#add(`screenshot name ${JSON.stringify(value)} must match ${screenshotName.source}`, 'screenshot');
  }

  #ask(value: Json): void {
    if (!this.#shape('ask', value, 'ask')) return;
    const name = String(value.as);
    const earlier = this.#scope.asks.get(name);
    if (!variableName.test(name)) {
      this.#add(`ask.as ${JSON.stringify(name)} must match ${variableName.source}`, 'ask', 'as');
    } else if (earlier !== undefined) this.#add(`ask.as "${name}" is already used by do[${earlier}]`, 'ask', 'as');
    else if (this.#scope.known.has(name)) this.#add(`ask.as "${name}" collides with a variable`, 'ask', 'as');
    this.#addAll(durationProblem(value.timeout, 'ask.timeout', '1h', ['ask', 'timeout']));
    this.#scope.asks.set(name, this.#index);
    this.#scope.known.add(name);
    this.#refuse('ask', 'this version cannot wait for an answer; give the value as a parameter of the workflow');
  }

  #references(kind: string, texts: readonly (Json | undefined)[]): void {
    const names = texts.flatMap((text) => (typeof text === 'string' ? placeholderNames(text) : []));
    for (const name of new Set(names)) {
      if (this.#scope.known.has(name)) continue;
      this.#add(`${kind} references %${name}%, which is not in with.variables or an earlier ask`, kind);
    }
  }
}
