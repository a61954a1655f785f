import { dirname } from 'node:path';
import { expandVariables, type Reference, resolve, type Scope } from '../../core/workflow/references.ts';
import type { Step, Workflow } from '../../core/workflow/types.ts';
import { StepError } from '../action.ts';
import { readDotenv } from './dotenv.ts';
import type { Keychain } from './keychain.ts';
import { pathFrom } from './output-copy.ts';
import { readSecrets, type Secret } from './secrets.ts';
import { Upstream } from './upstream.ts';

/** What the values of a run are made of. */
export interface ValueSources {
  workflow: Workflow;
  params: Readonly<Record<string, string>>;
  /** Variables that tell a step about its run: `DAG_NAME` and the like. */
  ownNames: Readonly<Record<string, string>>;
  /** Values of `${context.…}` that are the same for every step, by what follows `context.`: `run.id`. */
  context?: Readonly<Record<string, string>>;
  /** Values of `${foreach.…}`: index, key, and the item under its name. */
  foreach?: Readonly<Record<string, unknown>> | undefined;
  /** Outputs of steps outside of this workflow that its steps may refer to, by the step's id. */
  outerOutputs?: ReadonlyMap<string, Readonly<Record<string, unknown>>>;
  /** Variables that a run above this one gives to its steps; the workflow's own go before them. */
  outerEnv?: Readonly<Record<string, string>>;
  openKeychain?: (() => Promise<Keychain>) | undefined;
}

/** What one step gets besides what all do. */
export interface StepValues {
  env: Readonly<Record<string, string>>;
  /** Values of `${context.…}`, by what follows `context.`. */
  context: Readonly<Record<string, string>>;
}

interface Parts extends ValueSources {
  dotenv: Readonly<Record<string, string>>;
}

/**
 * The values that a run's steps may refer to, as far as they are known now. For a step's
 * environment, later ones of these go before earlier ones: the system's variables, those of
 * dotenv files, the run's own names, parameters, the workflow's `env`, secrets, outputs of
 * steps that the step depends on, and the step's `env`.
 */
export class RunValues {
  readonly params: Readonly<Record<string, string>>;
  /** Environment of every step, without outputs. */
  readonly env: Record<string, string>;
  readonly context: Record<string, string>;
  readonly secrets: Secret[] = [];
  /** Dotenv files that the workflow names and that are not there. */
  missingDotenv: readonly string[] = [];
  readonly #workflow: Workflow;
  /** Values of `${foreach.…}`. */
  readonly foreach: Readonly<Record<string, unknown>>;
  readonly #outerOutputs: ReadonlyMap<string, Readonly<Record<string, unknown>>>;
  readonly #upstream: Upstream;
  readonly #byKey: ReadonlyMap<string, Step>;
  readonly #byId: ReadonlyMap<string, Step>;
  /** By the step's key. */
  readonly #outputs = new Map<string, Readonly<Record<string, unknown>>>();
  /** Variables of the steps that publish some, by the step's key, in the order of their ends. */
  readonly #variables = new Map<string, Readonly<Record<string, string>>>();
  #problem: string | undefined;

  /** Reads dotenv files and secrets. What is wrong with them is told by {@link assertComplete}. */
  static async open(sources: ValueSources): Promise<RunValues> {
    const { workflow, openKeychain } = sources;
    const before = new RunValues({ ...sources, dotenv: {} });
    const workingDir =
      workflow.workingDir === undefined
        ? undefined
        : pathFrom(dirname(workflow.path), before.#expand(workflow.workingDir));
    const place = { workingDir, workflowPath: workflow.path };
    let problem: string | undefined;
    const { variables, missing } = await readDotenv(workflow.dotenv, {
      ...place,
      env: before.env,
      resolve: (text) => before.#expand(text),
    }).catch((error) => {
      if (!(error instanceof StepError)) throw error;
      problem = error.message;
      return { variables: {}, missing: [] };
    });
    const values = new RunValues({ ...sources, dotenv: variables });
    const found = await readSecrets(workflow.secrets, { ...place, env: values.env, openKeychain });
    values.#addSecrets(found.secrets);
    values.missingDotenv = missing;
    values.#problem = problem ?? found.problem;
    return values;
  }

  private constructor({ workflow, params, ownNames, dotenv, ...rest }: Parts) {
    this.#workflow = workflow;
    this.#upstream = new Upstream(workflow.steps);
    this.#byKey = new Map(workflow.steps.map((step) => [step.key, step]));
    this.#byId = new Map(workflow.steps.flatMap((step) => (step.id === undefined ? [] : [[step.id, step] as const])));
    this.foreach = rest.foreach ?? {};
    this.#outerOutputs = rest.outerOutputs ?? new Map();
    this.params = params;
    this.context = { ...rest.context };
    this.env = {
      ...systemEnv(),
      ...rest.outerEnv,
      ...dotenv,
      ...ownNames,
      ...(Object.keys(params).length > 0 && { DAG_PARAMS_JSON: JSON.stringify(params) }),
      ...params,
    };
    this.#addEnv(workflow.env, this.env, this.scope());
  }

  #expand(text: string): string {
    return expandVariables(resolve(text, this.scope()), this.env);
  }

  /** Each entry may refer to those before it: `scope` looks into `env`. */
  #addEnv(entries: readonly [string, string][], env: Record<string, string>, scope: Scope): void {
    for (const [name, value] of entries) env[name] = expandVariables(resolve(value, scope), env);
  }

  #addSecrets(secrets: readonly Secret[]): void {
    this.secrets.push(...secrets);
    for (const { name, value } of secrets) this.env[name] = value;
  }

  /** Throws when a declared secret has no value, or a dotenv file cannot be read; the secrets that have one are known all the same. */
  assertComplete(): void {
    if (this.#problem !== undefined) throw new StepError(this.#problem);
  }

  /** The values of positional parameters, which shells read as `$1`, `$2`, …. */
  positional(): string[] {
    const values: string[] = [];
    while (Object.hasOwn(this.params, values.length + 1)) values.push(this.params[values.length + 1] as string);
    return values;
  }

  /**
   * Keeps what a step published. Those that depend on it get the variables: its `output`,
   * where nothing is said.
   */
  addOutputs(step: Step, outputs: Readonly<Record<string, unknown>>, variables = variablesOf(step, outputs)): void {
    this.#outputs.set(step.key, outputs);
    this.#variables.delete(step.key);
    if (Object.keys(variables).length > 0) this.#variables.set(step.key, variables);
  }

  /** What a step published, by the name that references use, as far as a step may refer to it. */
  outputsSeenBy(step: Step | undefined): Map<string, Readonly<Record<string, unknown>>> {
    const seen = new Map(this.#outerOutputs);
    for (const other of this.#workflow.steps) {
      const outputs = this.#outputs.get(other.key);
      if (other.id === undefined || outputs === undefined) continue;
      if (step === undefined || this.#upstream.isBefore(other, step)) seen.set(other.id, outputs);
    }
    return seen;
  }

  /** What the run as a whole publishes: the outputs of its steps, those of later steps over those of earlier ones. */
  published(): Record<string, unknown> {
    return Object.assign({}, ...this.#workflow.steps.map(({ key }) => this.#outputs.get(key)));
  }

  /** The environment of one step. */
  stepEnv(step: Step, given: StepValues = { env: {}, context: {} }): Record<string, string> {
    const env = { ...this.env, ...this.#publishedFor(step), DAG_RUN_STEP_NAME: step.name, ...given.env };
    this.#addEnv(step.env, env, this.scope(env, step, given.context));
    return env;
  }

  /** Variables that the steps before one published; a handler comes after all of them. */
  #publishedFor(step: Step): Record<string, string> {
    const variables: Record<string, string> = {};
    for (const [key, published] of this.#variables) {
      const other = this.#byKey.get(key);
      const isBefore = other !== undefined && this.#upstream.isBefore(other, step);
      if (isBefore || isHandler(step)) Object.assign(variables, published);
    }
    return variables;
  }

  /**
   * What references mean to a step, or to the workflow where no step is given. Outputs are
   * those of steps that the step depends on; handlers see none.
   */
  scope(
    env: Readonly<Record<string, string>> = this.env,
    step?: Step,
    context: Readonly<Record<string, string>> = {},
  ): Scope {
    return (reference) => {
      const [namespace, name = '', , output = ''] = reference;
      switch (namespace) {
        case 'params':
          return name === '' ? JSON.stringify(this.params) : own(this.params, name);
        case 'consts':
          return own(this.#workflow.consts, name);
        case 'env':
          return own(env, name);
        case 'steps':
          return this.#output(name, output, step);
        case 'foreach':
          return itemText(this.foreach, reference.slice(1));
        case 'context':
          return contextText({ ...this.context, ...context }, step, reference);
        default:
          return undefined;
      }
    };
  }

  #output(id: string, name: string, step: Step | undefined): string | undefined {
    if (step !== undefined && isHandler(step)) return undefined;
    const other = this.#byId.get(id);
    if (other !== undefined && step !== undefined && !this.#upstream.isBefore(other, step)) return undefined;
    const outputs = other === undefined ? this.#outerOutputs.get(id) : this.#outputs.get(other.key);
    return outputs !== undefined && Object.hasOwn(outputs, name) ? asText(outputs[name]) : undefined;
  }
}

/** An output as text: a text as it is, anything else as JSON. */
export function asText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? '');
}

function isHandler({ path }: Step): boolean {
  return path[0] === 'handler_on';
}

/** The environment variables that a step's outputs become: its `output`. */
export function variablesOf({ output }: Step, outputs: Readonly<Record<string, unknown>>): Record<string, string> {
  return output === undefined ? {} : { [output]: asText(outputs[output]) };
}

function contextText(
  context: Readonly<Record<string, string>>,
  step: Step | undefined,
  [, ...names]: Reference,
): string | undefined {
  const name = names.join('.');
  if (name === 'step.id') return step === undefined || isHandler(step) ? undefined : step.id;
  if (name === 'step.name') return step?.name;
  return own(context, name);
}

/** An item's own text, or that of a field in it. */
export function itemText(foreach: Readonly<Record<string, unknown>>, names: Reference): string | undefined {
  let value: unknown = foreach;
  for (const name of names) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
    value = (value as Record<string, unknown>)[name];
  }
  return value === undefined ? undefined : asText(value);
}

function own(record: Readonly<Record<string, string>>, name: string): string | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}

/** Variables that tell a step about a run: those of a run that this one is a step of are none of its own. */
const ofAnotherRun =
  /^(?:DAG_NAME|DAG_PARAMS_JSON|DAG_WAITING_STEPS|DAG_DOCS_DIR|DAG_(?:RUN|PUSHBACK)(?:_\w+)?|DAGU_OUTPUT_FILE|DAGU_REF_\w+)$/;

function systemEnv(): Record<string, string> {
  const entries = Object.entries(process.env).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && !ofAnotherRun.test(entry[0]),
  );
  // Windows takes `Path` and `PATH` for one name.
  const name = (written: string) => (process.platform === 'win32' ? written.toUpperCase() : written);
  return Object.fromEntries(entries.map(([written, value]) => [name(written), value]));
}
