import type { LlmConfig } from './llm.ts';

/** A place in a workflow file's values: `['steps', 0, 'with', 'do', 1]`. */
export type FieldPath = readonly (string | number)[];

/** Something wrong, or worth a warning, at a place in a workflow document. */
export interface Problem {
  path: FieldPath;
  message: string;
}

/** The values of `steps[].with` and the like: JSON values whose strings may hold references. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type JsonObject = { [key: string]: Json };

export const paramTypes = ['string', 'integer', 'number', 'boolean'] as const;
export type ParamType = (typeof paramTypes)[number];

/** A parameter that the workflow declares. Its values are strings, as the environment carries them. */
export interface Param {
  /**
   * A positional one is named by its place, from 1, and steps read it as `$1`, `$2`, …; a
   * start may also name it by the word that is its default, where that can be a name.
   */
  name: string;
  type: ParamType;
  /** Only a default is written, so that whoever wants to know more of it has to guess by that. */
  untyped?: true;
  default?: string;
  required: boolean;
  description?: string;
  /** Values that are allowed, as strings. */
  enum?: string[];
  minimum?: number;
  maximum?: number;
  /** Lengths in code points. */
  minLength?: number;
  maxLength?: number;
  /** A regular expression that the value must match somewhere. */
  pattern?: string;
}

/** `secrets:` entry. */
export interface SecretDeclaration {
  name: string;
  /** `env`: a variable; `file`: a file's whole content; `keychain`: an entry of the system's key store. */
  provider: 'env' | 'file' | 'keychain';
  key: string;
  options: Record<string, string>;
}

/** When a workflow may run, or a step: a condition that is not met aborts the run, or skips the step. */
export interface Precondition {
  /** A command where nothing is expected, else a text whose references are resolved. */
  condition: string;
  /** Set for `eval`: what stands in backticks or `$(…)` is run, and its output put in its place. */
  substitutes?: true;
  /** What the condition's value must be; `re:` begins a regular expression. */
  expected?: string;
  negate: boolean;
}

/** How often a failed step is tried again. */
export interface RetryPolicy {
  /** Tries after the first; a text holds a reference. */
  limit: number | string;
  intervalSec: number | string;
  /** What each wait is multiplied with for the next; 1 keeps it. */
  backoff: number;
  maxIntervalSec?: number;
  /** Exit codes that are tried again; all where it is absent. */
  exitCodes?: number[];
}

/** Ends of a step after which its dependents run all the same. */
export interface ContinueOn {
  failure: boolean;
  skipped: boolean;
  exitCodes: number[];
  /** Texts, or with `re:` regular expressions, that the step's output holds. */
  outputs: string[];
  /** The step then counts as succeeded. */
  markSuccess: boolean;
}

/** A body that runs once for each item, each time as a run under this one. */
export interface Foreach {
  /** A list, or a text that a reference makes one. */
  items: Json;
  /** Name of the item in `${foreach.<as>}`. */
  as: string;
  /** Text that names an item among the others, references to `foreach.*` in it. */
  key?: string;
  maxConcurrent: number;
  /** The body. Its own workflow, so that it runs as one: settings, constants and parameters are those around it. */
  body: Workflow;
  /** Output of the foreach step by name: what each item gives, as a text with references. */
  collect?: Record<string, string>;
}

/** A person looks at the step's result before the run goes on. */
export interface Approval {
  prompt?: string;
  /** Names of what a reviewer may give. */
  input: string[];
  required: string[];
  /** Key of the step where a push-back begins again; the step itself where it is absent. */
  rewindTo?: string;
}

/** Where one named output of a step comes from. */
export interface OutputSource {
  /** A value whose texts may hold references; the other fields are then absent. */
  value?: Json;
  from?: 'stdout' | 'stderr' | 'file';
  path?: string;
  decode?: 'text' | 'json' | 'yaml';
  /** A path into the decoded value, as `.total` or `.items[0].name`. */
  select?: string;
}

/** A file that a step's stream is also written to. */
export interface StreamTarget {
  /** Relative to the step's working folder. */
  path?: string;
  /** Relative to the run's artifacts. */
  artifact?: string;
  /** Outputs that are read from the stream, by name; the sources give `decode` and `select`, or a `value`. */
  outputs?: Record<string, OutputSource>;
}

export const handlerNames = ['init', 'success', 'failure', 'abort', 'exit', 'wait'] as const;
export type HandlerName = (typeof handlerNames)[number];

export interface Step {
  /** The step's id, else its name: unique in the workflow, and what `depends` names. */
  key: string;
  id?: string;
  name: string;
  description?: string;
  /** `run` for a shell step, `foreach` for a body with items, else the action's name. */
  action: string;
  /** A shell step's commands, run one after another; each may be a script of many lines. */
  run: string[];
  /** The action's input, references unresolved. */
  with: JsonObject;
  depends: string[];
  env: [name: string, value: string][];
  workingDir?: string;
  /** Shell or interpreter with its arguments, as it is written. */
  shell?: string;
  shellArgs?: string[];
  /** Name of the environment variable and output that the trimmed stdout becomes. */
  output?: string;
  /** Outputs by name, where `output` is a map. */
  outputMap?: Record<string, OutputSource>;
  /** Outputs that the step writes to the file DAGU_OUTPUT_FILE, each exactly once. */
  declaredOutputs?: { name: string; type: 'string' | 'json' }[];
  /** JSON Schema of the step's answer. */
  outputSchema?: JsonObject;
  stdout?: StreamTarget;
  stderr?: StreamTarget;
  timeoutSec?: number;
  retryPolicy?: RetryPolicy;
  continueOn: ContinueOn;
  preconditions: Precondition[];
  foreach?: Foreach;
  approval?: Approval;
  /** Names that `${steps.<id>.outputs.<name>}` may use, known when the file loads. */
  outputNames: string[];
  /** The step may publish further outputs, whose names are known only when it runs. */
  hasOtherOutputs?: true;
  /** Where the step stands in the document: `['steps', 2]` or `['handler_on', 'exit']`. */
  path: FieldPath;
}

/** A time at which a workflow starts, is stopped or started anew by itself. */
export interface Schedule {
  does: 'start' | 'stop' | 'restart';
  /** A cron expression of five fields (or with CRON_TZ= before it), or one moment (RFC 3339). */
  cron?: string;
  at?: string;
}

export const overlapPolicies = ['skip', 'all', 'latest'] as const;
export type OverlapPolicy = (typeof overlapPolicies)[number];

export interface Workflow {
  name: string;
  /** Absolute path of the file. */
  path: string;
  description?: string;
  type: 'graph' | 'chain';
  params: Param[];
  /** JSON Schema that the values of all parameters must match together; `additionalProperties: true` lets others in. */
  paramsSchema?: JsonObject;
  /** File that the schema was read from, as written. */
  paramsSchemaFile?: string;
  consts: Record<string, string>;
  env: [name: string, value: string][];
  /** Files of variables, as written; `.env` beside the workflow file where the file says nothing. */
  dotenv: string[];
  secrets: SecretDeclaration[];
  llm?: LlmConfig;
  steps: Step[];
  handlers: Partial<Record<HandlerName, Step>>;
  preconditions: Precondition[];
  schedules: Schedule[];
  /** What a scheduled start does while a run of the workflow is at work. */
  overlapPolicy: OverlapPolicy;
  /** How far back missed starts are caught up with, in ms; 0: not at all. */
  catchupWindowMs: number;
  workingDir?: string;
  shell?: string;
  shellArgs?: string[];
  timeoutSec?: number;
  /** How long a run waits before its first step, in s. */
  delaySec?: number;
  maxActiveSteps?: number;
  /** How many runs of the workflow may be at work at once; 0: as many as are started. */
  maxActiveRuns?: number;
  /** Set where the file names workers: there is no coordinator here, and the log says so once. */
  workerSelector?: Record<string, string> | 'local';
  artifacts: { enabled: boolean; dir?: string };
  /** The file's later documents: local sub-workflows by name. */
  locals: Workflow[];
}
