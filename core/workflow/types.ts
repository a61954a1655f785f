import type { LlmConfig } from './llm.ts';

/** A place in a workflow file's values: `['steps', 0, 'with', 'do', 1]`. */
export type FieldPath = readonly (string | number)[];

/** Something wrong, or worth a warning, at a place in a workflow document. */
export interface Problem {
  path: FieldPath;
  message: string;
}

/** A parameter that the workflow declares; values are strings, as the environment carries them. */
export interface Param {
  name: string;
  default?: string;
  required: boolean;
  description?: string;
}

/** `secrets:` entry; only the provider `env` is read so far. */
export interface SecretDeclaration {
  name: string;
  provider: string;
  key: string;
}

/** The values of `steps[].with` and the like: JSON values whose strings may hold references. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type JsonObject = { [key: string]: Json };

export const handlerNames = ['init', 'success', 'failure', 'abort', 'exit'] as const;
export type HandlerName = (typeof handlerNames)[number];

export interface Step {
  /** The step's id, else its name: unique in the workflow, and what `depends` names. */
  key: string;
  id?: string;
  name: string;
  description?: string;
  /** `run` for a shell step, else the action's name. */
  action: string;
  /** A shell step's commands, run one after another; each may be a script of many lines. */
  run: string[];
  /** The action's input, references unresolved. */
  with: JsonObject;
  depends: string[];
  env: [name: string, value: string][];
  workingDir?: string;
  shell?: string;
  /** Name of the environment variable and output that the trimmed stdout becomes. */
  output?: string;
  /** JSON Schema of the step's answer. */
  outputSchema?: JsonObject;
  timeoutSec?: number;
  continueOn: { failure: boolean; skipped: boolean };
  /** Names that `${steps.<id>.outputs.<name>}` may use, known when the file loads. */
  outputNames: string[];
  /** Where the step stands in the document: `['steps', 2]` or `['handler_on', 'exit']`. */
  path: FieldPath;
}

export interface Workflow {
  name: string;
  /** Absolute path of the file. */
  path: string;
  description?: string;
  type: 'graph' | 'chain';
  params: Param[];
  consts: Record<string, string>;
  env: [name: string, value: string][];
  secrets: SecretDeclaration[];
  llm?: LlmConfig;
  steps: Step[];
  handlers: Partial<Record<HandlerName, Step>>;
  workingDir?: string;
  shell?: string;
  timeoutSec?: number;
  maxActiveSteps?: number;
  artifacts: { enabled: boolean; dir?: string };
  /** The file's later documents: local sub-workflows by name. */
  locals: Workflow[];
}
