import { type Static, Type } from 'typebox';
import { ConstsDocument, DotenvDocument, SecretsDocument } from './declared-values.ts';
import { LlmConfig } from './llm.ts';
import { PreconditionsDocument } from './preconditions.ts';
import { ScheduleDocument } from './schedule.ts';
import { closed, Env, optional, Scalar, Shell, seconds, text } from './shapes.ts';
import { overlapPolicies } from './types.ts';

/**
 * The shape of one document of a workflow file, as far as a schema can say it. What spans
 * several fields is checked where it is read, an action's `with` beside the action.
 */

const anything = (title: string) => Type.Unknown({ title });
const noEffect = anything('Has no effect here');

/** Keys that change nothing in this executor, accepted so that files of Dagu validate. */
const harmless = optional({
  labels: noEffect,
  tags: noEffect,
  group: noEffect,
  hist_retention_days: noEffect,
  hist_retention_runs: noEffect,
  log_output: noEffect,
  max_output_size: noEffect,
  otel: noEffect,
});

const fields = optional({
  name: anything('Name of the workflow; only later documents of a file have one'),
  description: text('What the workflow does'),
  type: anything('graph: steps wait for those in depends; chain: each waits for the one before it'),
  consts: ConstsDocument,
  env: Env,
  dotenv: DotenvDocument,
  secrets: SecretsDocument,
  llm: LlmConfig,
  worker_selector: Type.Union([Type.Literal('local'), Type.Record(Type.String(), Scalar)], {
    title: 'There are no workers here: the workflow runs on this computer',
    description: '"local", or a map of labels',
  }),
  artifacts: Type.Object(
    optional({
      enabled: Type.Boolean({ title: 'Whether runs keep files' }),
      dir: text('Folder for them, instead of the one of the run'),
    }),
    { ...closed, title: 'Files that a run keeps, as screenshots', description: 'an object with enabled and dir' },
  ),
  working_dir: text('Folder that steps work in, relative to the workflow file'),
  shell: Shell,
  shell_args: Type.Array(Type.String(), { title: 'Arguments of the shell', description: 'a list of strings' }),
  timeout_sec: seconds('Seconds that a run may take'),
  delay_sec: seconds('Seconds that a run waits before its first step'),
  max_active_steps: Type.Integer({
    minimum: 0,
    title: 'How many steps may run at once',
    description: 'a whole number >= 0',
  }),
  max_active_runs: Type.Integer({
    minimum: -1,
    title: 'How many runs may be at work at once; more wait in line; 0 or -1: as many as are started',
    description: 'a whole number >= -1',
  }),
  preconditions: PreconditionsDocument,
  schedule: ScheduleDocument,
  overlap_policy: Type.Enum([...overlapPolicies], {
    title: 'What a scheduled start does while a run is at work',
    description: 'skip, all or latest',
  }),
  catchup_window: text('How far back missed starts are caught up with, as 6h or 2d'),
  ...harmless,
});

/** The root of a document, but for what is read by parts of their own: parameters, steps and handlers. */
export const WorkflowDocument = Type.Object(
  {
    ...fields,
    ...optional({ params: Type.Unknown(), steps: Type.Unknown(), handler_on: Type.Unknown() }),
  },
  closed,
);
export type WorkflowDocument = Omit<Static<typeof WorkflowDocument>, keyof typeof harmless>;
