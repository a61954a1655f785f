import { expandVariables, resolve, type Scope } from '../../core/workflow/references.ts';
import type { Step, Workflow } from '../../core/workflow/types.ts';
import { StepError } from '../action.ts';

/** The values that a run's steps may refer to, as far as they are known now. */
export class RunValues {
  readonly params: Readonly<Record<string, string>>;
  /** Environment of every step: the system's, the run's own names, params, env and secrets. */
  readonly env: Record<string, string>;
  readonly secrets: { name: string; value: string }[] = [];
  readonly #workflow: Workflow;
  readonly #outputs = new Map<string, Record<string, unknown>>();
  #missing: string | undefined;

  constructor(
    workflow: Workflow,
    params: Readonly<Record<string, string>>,
    ownNames: Readonly<Record<string, string>>,
  ) {
    this.#workflow = workflow;
    this.params = params;
    this.env = { ...systemEnv(), ...ownNames, DAG_PARAMS_JSON: JSON.stringify(params), ...params };
    this.#addEnv(workflow.env, this.env);
    this.#addSecrets();
  }

  #addEnv(entries: readonly [string, string][], env: Record<string, string>): void {
    for (const [name, value] of entries) env[name] = expandVariables(resolve(value, this.scope(env)), env);
  }

  #addSecrets(): void {
    for (const { name, key } of this.#workflow.secrets) {
      const value = this.env[key];
      if (value === undefined) this.#missing ??= `secret ${name}: environment variable "${key}" is not set`;
      else this.secrets.push({ name, value });
    }
    this.secrets.sort((a, b) => (a.name < b.name ? -1 : 1));
    for (const { name, value } of this.secrets) this.env[name] = value;
  }

  /** Throws when a declared secret has no value; those that have one are known all the same. */
  assertComplete(): void {
    if (this.#missing !== undefined) throw new StepError(this.#missing);
  }

  /** Keeps what a step published; a text output also becomes a variable of later steps. */
  addOutputs(step: Step, outputs: Record<string, unknown>): void {
    if (step.id !== undefined) this.#outputs.set(step.id, outputs);
    if (step.output !== undefined) this.env[step.output] = asText(outputs[step.output]);
  }

  /** The environment of one step. */
  stepEnv(step: Step): Record<string, string> {
    const env = { ...this.env, DAG_RUN_STEP_NAME: step.name };
    this.#addEnv(step.env, env);
    return env;
  }

  scope(env: Readonly<Record<string, string>> = this.env): Scope {
    return ([namespace, name = '', , output = '']) => {
      switch (namespace) {
        case 'params':
          return name === '' ? JSON.stringify(this.params) : own(this.params, name);
        case 'consts':
          return own(this.#workflow.consts, name);
        case 'env':
          return own(env, name);
        case 'steps': {
          const outputs = this.#outputs.get(name);
          return outputs !== undefined && Object.hasOwn(outputs, output) ? asText(outputs[output]) : undefined;
        }
        default:
          return undefined;
      }
    };
  }
}

/** An output as text: a text as it is, anything else as JSON. */
export function asText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? '');
}

function own(record: Readonly<Record<string, string>>, name: string): string | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}

function systemEnv(): Record<string, string> {
  return Object.fromEntries(
    Object.entries(process.env).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}
