import type { Findings } from './findings.ts';
import type { FieldPath } from './types.ts';

/**
 * Keys of Dagu that this executor does not run, with what to do instead where there is
 * something: refused by name, so that nobody takes their silence for effect.
 */
const root: Readonly<Record<string, string | undefined>> = {
  ...all(
    'actions container defaults error_mail harness harnesses info_mail kubernetes log_dir mail_on max_clean_up_time_sec redis registry_auths resources restart_policy restart_wait_sec run_config s3 skip_if_successful smtp ssh step_types tools webhook',
  ),
  queue: 'max_active_runs keeps runs of one workflow in line',
  retry_policy: 'give the steps a retry_policy, or run dagu retry',
  tasks: 'it belongs to type: agent',
};

const step: Readonly<Record<string, string | undefined>> = {
  ...all('container dependencies inputs mail_on_error pass_env shell_packages signal_on_stop stdin executor'),
  exec: 'use run',
  value: 'use preconditions on the steps that it would choose',
  routes: 'use preconditions on the steps that it would choose',
  repeat_policy: 'use foreach for a known number of times, or retry_policy until it succeeds',
  parallel: 'use foreach with a dag.run step in its body',
};

const handlers: Readonly<Record<string, string | undefined>> = { cancel: 'use abort' };

const llm: Readonly<Record<string, string | undefined>> = {
  files: 'files belong with the prompt they go with: set them in with of the step',
  tools: 'set them in with of the step',
  max_tool_iterations: 'set it in with of the step',
};

const tables = { root, step, handlers, llm };

/** Tells the refused keys of an object, and gives the object without them. */
export function withoutRefused<T extends object>(
  value: T,
  where: keyof typeof tables,
  path: FieldPath,
  findings: Findings,
): Partial<T> {
  const table = tables[where];
  const refused = Object.keys(value).filter((key) => Object.hasOwn(table, key));
  if (refused.length === 0) return value;
  for (const key of refused) findings.refused([...path, key], table[key]);
  return Object.fromEntries(Object.entries(value).filter(([key]) => !refused.includes(key))) as Partial<T>;
}

function all(keys: string): Record<string, undefined> {
  return Object.fromEntries(keys.split(' ').map((key) => [key, undefined]));
}

/** Beginnings of the names of Dagu's other actions. */
const actionFamilies = new Set(
  'archive artifact browser container data dag decision docker duckdb file git harness http human jq js k8s kubernetes log mail mailbox node outputs postgres python redis router s3 sftp sqlite ssh state template wait xlsx'.split(
    ' ',
  ),
);

/** Whether a name is of an action that Dagu has and this executor does not. */
export function isActionOfDagu(name: string): boolean {
  const [family = '', operation] = name.split('.');
  return operation !== undefined && actionFamilies.has(family);
}
