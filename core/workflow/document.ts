import { type Static, Type } from 'typebox';
import { LlmConfig } from './llm.ts';

/**
 * The shape of one document of a workflow file, as far as a schema can say it. What
 * spans several fields is checked in load.ts, an action's `with` beside the action.
 */

const closed = { additionalProperties: false } as const;
const Scalar = Type.Union([Type.String(), Type.Number(), Type.Boolean()], {
  description: 'a string, a number or a boolean',
});
const Names = { pattern: '^[A-Za-z][A-Za-z0-9_]*$' };
const EnvName = '^[A-Za-z_][A-Za-z0-9_]*$';

const StringOrList = Type.Union([Type.String(), Type.Array(Type.String())], {
  description: 'a string or a list of strings',
});

const Env = Type.Union(
  [
    Type.Record(Type.String({ pattern: EnvName }), Scalar, closed),
    Type.Array(
      Type.Union([
        Type.Record(Type.String({ pattern: EnvName }), Scalar, { ...closed, minProperties: 1 }),
        Type.String({ pattern: '^[A-Za-z_][A-Za-z0-9_]*=' }),
      ]),
    ),
  ],
  { description: 'a map of names and values, or a list of such maps or of NAME=value' },
);

const RichParam = Type.Object(
  {
    name: Type.String(),
    default: Type.Optional(Scalar),
    description: Type.Optional(Type.String()),
    required: Type.Optional(Type.Boolean()),
  },
  closed,
);

const Params = Type.Union(
  [
    Type.String(),
    Type.Record(Type.String(Names), Type.Union([Scalar, Type.Null()]), closed),
    Type.Array(
      Type.Union([
        Type.String(),
        RichParam,
        Type.Record(Type.String(Names), Type.Union([Scalar, Type.Null()]), {
          ...closed,
          minProperties: 1,
          maxProperties: 1,
        }),
      ]),
    ),
  ],
  { description: 'a map of names and defaults, or a list of names, of such maps, or of entries with name and default' },
);

const OutputSchema = Type.Record(Type.String(), Type.Unknown(), { description: 'a JSON Schema' });

const stepFields = {
  id: Type.Optional(Type.String()),
  name: Type.Optional(Type.String({ maxLength: 255 })),
  description: Type.Optional(Type.String()),
  run: Type.Optional(
    Type.Union([Type.String(), Type.Array(Type.String(), { minItems: 1 })], {
      description: 'a command, or a list of commands',
    }),
  ),
  command: Type.Optional(Type.String()),
  script: Type.Optional(Type.String()),
  action: Type.Optional(Type.String()),
  with: Type.Optional(Type.Record(Type.String(), Type.Unknown(), { description: 'an object' })),
  depends: Type.Optional(StringOrList),
  env: Type.Optional(Env),
  working_dir: Type.Optional(Type.String()),
  shell: Type.Optional(Type.String()),
  output: Type.Optional(Type.String({ pattern: EnvName, description: 'the name of a variable' })),
  output_schema: Type.Optional(OutputSchema),
  timeout_sec: Type.Optional(Type.Number({ minimum: 0, description: '>= 0' })),
  continue_on: Type.Optional(
    Type.Union(
      [
        Type.Enum(['failed', 'skipped']),
        Type.Object({ failure: Type.Optional(Type.Boolean()), skipped: Type.Optional(Type.Boolean()) }, closed),
      ],
      { description: '"failed", "skipped", or an object with failure and skipped' },
    ),
  ),
};

export const StepDocument = Type.Object(stepFields, closed);
export type StepDocument = Static<typeof StepDocument>;

const SecretDocument = Type.Object(
  {
    name: Type.String({ pattern: EnvName, description: 'a name of letters, digits and underscores' }),
    provider: Type.String(),
    key: Type.String({ minLength: 1 }),
    options: Type.Optional(Type.Record(Type.String(), Type.String())),
  },
  closed,
);

const Anything = Type.Optional(Type.Unknown());

/** Keys that change nothing in this executor, accepted so that files of Dagu validate. */
const harmless = {
  labels: Anything,
  tags: Anything,
  group: Anything,
  hist_retention_days: Anything,
  hist_retention_runs: Anything,
  log_output: Anything,
  max_output_size: Anything,
  otel: Anything,
  worker_selector: Anything,
};

export const WorkflowDocument = Type.Object(
  {
    name: Type.Optional(Type.String()),
    description: Type.Optional(Type.String()),
    type: Type.Optional(Type.String()),
    params: Type.Optional(Params),
    consts: Type.Optional(
      Type.Array(Type.Record(Type.String(Names), Scalar, { ...closed, minProperties: 1, maxProperties: 1 }), {
        description: 'a list of single-key maps',
      }),
    ),
    env: Type.Optional(Env),
    secrets: Type.Optional(Type.Array(SecretDocument)),
    llm: Type.Optional(LlmConfig),
    steps: Type.Array(StepDocument, { minItems: 1 }),
    // One schema for all handlers: a validator that is compiled once, not once a handler.
    handler_on: Type.Optional(
      Type.Record(Type.String({ pattern: '^(init|success|failure|abort|exit)$' }), StepDocument, closed),
    ),
    working_dir: Type.Optional(Type.String()),
    shell: Type.Optional(Type.String()),
    timeout_sec: Type.Optional(Type.Number({ minimum: 0, description: '>= 0' })),
    max_active_steps: Type.Optional(Type.Integer({ minimum: 0, description: '>= 0' })),
    artifacts: Type.Optional(
      Type.Object({ enabled: Type.Optional(Type.Boolean()), dir: Type.Optional(Type.String()) }, closed),
    ),
    ...harmless,
  },
  closed,
);
export type WorkflowDocument = Static<typeof WorkflowDocument>;

/**
 * Keys of Dagu that this executor does not run, at the root and in a step: refused by
 * name, so that nobody takes their silence for effect.
 */
export const unsupportedRootKeys = new Set(
  'actions catchup_window container defaults delay_sec dotenv error_mail harness harnesses info_mail kubernetes log_dir mail_on max_active_runs max_clean_up_time_sec overlap_policy preconditions queue redis registry_auths resources restart_wait_sec retry_policy run_config s3 schedule shell_args skip_if_successful smtp ssh step_types tasks tools webhook'.split(
    ' ',
  ),
);
export const unsupportedStepKeys = new Set(
  'exec call params type config llm messages value routes outputs stdout stderr retry_policy repeat_policy preconditions signal_on_stop log_output worker_selector foreach parallel approval container shell_args shell_packages'.split(
    ' ',
  ),
);
export const unsupportedHandlers = new Set(['wait']);
