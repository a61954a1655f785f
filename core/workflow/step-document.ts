import { type Static, Type } from 'typebox';
import { ApprovalDocument } from './approval.ts';
import { LlmConfig } from './llm.ts';
import { ContinueOnDocument, RetryPolicyDocument } from './policies.ts';
import { PreconditionsDocument } from './preconditions.ts';
import { closed, Env, jsonSchema, optional, Shell, seconds, text, texts } from './shapes.ts';
import { OutputDocument, OutputsDocument, streamDocument } from './step-outputs.ts';

/** The shape of one step of a workflow file, as far as a schema can say it. */

/** Old ways to write a step, which run as the new one that a warning names. */
const oldFields = optional({
  command: text('Old; use run'),
  script: text('Old; use run'),
  shell: Shell,
  shell_args: Type.Array(Type.String(), { title: 'Old; use with.shell_args', description: 'a list of strings' }),
  call: Type.String({ minLength: 1, title: 'Old; use action: dag.run' }),
  params: Type.Unknown({ title: 'Old; use with.params of dag.run' }),
  type: text('Old; use action'),
  config: Type.Record(Type.String(), Type.Unknown(), { title: 'Old; use with', description: 'an object' }),
  llm: LlmConfig,
  messages: Type.Unknown({ title: 'Old; use with.messages of chat.completion' }),
});

export const StepDocument = Type.Object(
  {
    ...optional({
      id: text('Name by which other steps and references name it'),
      name: text('Name that people see'),
      description: text('What it is for'),
      run: Type.Union([Type.String({ minLength: 1 }), Type.Array(Type.String(), { minItems: 1 })], {
        title: 'A command, a script of several lines, or commands that run one after another',
        description: 'a command, or a list of commands',
      }),
      action: Type.Unknown({ title: 'What it does, where it is no command' }),
      with: Type.Unknown({ title: "The action's input; with run: shell and shell_args" }),
      foreach: Type.Unknown({ title: 'Steps that run once for each item' }),
      depends: texts('Steps that it waits for, by id or name', 'a step, or a list of steps'),
      env: Env,
      working_dir: text('Folder that it works in'),
      output: OutputDocument,
      outputs: OutputsDocument,
      output_schema: jsonSchema('JSON Schema that its answer, or its stdout, must match'),
      stdout: streamDocument('stdout'),
      stderr: streamDocument('stderr'),
      timeout_sec: seconds('Seconds that it may take'),
      retry_policy: RetryPolicyDocument,
      continue_on: ContinueOnDocument,
      preconditions: PreconditionsDocument,
      approval: ApprovalDocument,
      worker_selector: Type.Unknown({ title: 'With dag.run only; there are no workers here' }),
      log_output: Type.Unknown({ title: 'Has no effect here' }),
    }),
    ...oldFields,
  },
  closed,
);
export type StepDocument = Static<typeof StepDocument>;
