/**
 * What a run tells its steps about itself: `${context.run.id}` or, shorter, `${run.id}`.
 * All values are texts; one that a run or step does not have leaves the reference as it
 * is written.
 */
export interface ContextField {
  meaning: string;
  /** Where there is a value: in every step and handler, or in some. */
  available: 'always' | 'sometimes';
  /** The environment variable that carries the same value. */
  variable?: string;
}

const always = (meaning: string, variable?: string): ContextField => ({
  meaning,
  available: 'always',
  ...(variable !== undefined && { variable }),
});
const sometimes = (meaning: string, variable?: string): ContextField => ({
  ...always(meaning, variable),
  available: 'sometimes',
});

/** The fields by their short names. */
export const contextFields: ReadonlyMap<string, ContextField> = new Map([
  ['dag.name', always('name of the workflow', 'DAG_NAME')],
  ['run.id', always('id of the run', 'DAG_RUN_ID')],
  ['run.status', sometimes('status of the run, in handlers', 'DAG_RUN_STATUS')],
  ['run.started_at', always('when this attempt of the run started (RFC 3339, UTC)')],
  ['run.scheduled_at', sometimes('the time of the schedule that started the run (RFC 3339, UTC)')],
  ['run.root_name', sometimes('name of the outermost workflow, in a run under another')],
  ['run.root_id', sometimes('id of the outermost run, in a run under another')],
  ['attempt.id', always('id of this attempt of the run')],
  ['step.id', sometimes('id of the step, where it has one; not in handlers')],
  ['step.name', always('name of the step or handler', 'DAG_RUN_STEP_NAME')],
  ['trigger.type', always('what started the run: manual, scheduler, subdag, retry or catchup')],
  ['trigger.actor', sometimes('who started the run, where that is known')],
  ['paths.log_file', always("the run's log file", 'DAG_RUN_LOG_FILE')],
  ['paths.work_dir', always("the run's own folder to work in", 'DAG_RUN_WORK_DIR')],
  ['paths.artifacts_dir', sometimes("the run's artifacts, where they are on", 'DAG_RUN_ARTIFACTS_DIR')],
  ['paths.docs_dir', sometimes('the folder of documents of the workflow, where there is one', 'DAG_DOCS_DIR')],
  ['paths.step_stdout_file', always("the step's standard output", 'DAG_RUN_STEP_STDOUT_FILE')],
  ['paths.step_stderr_file', always("the step's standard error", 'DAG_RUN_STEP_STDERR_FILE')],
  ['paths.step_output_file', sometimes("the file that the step's outputs are written to", 'DAGU_OUTPUT_FILE')],
  ['profile.name', sometimes('the profile that the run was started with')],
  ['profile.resolved_at', sometimes('when that profile was read (RFC 3339, UTC)')],
  ['pushback.iteration', sometimes('how often a reviewer has pushed the step back', 'DAG_PUSHBACK_ITERATION')],
  [
    'pushback.previous_stdout_file',
    sometimes("the step's output before it was pushed back", 'DAG_PUSHBACK_PREVIOUS_STDOUT_FILE'),
  ],
]);
