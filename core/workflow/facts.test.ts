import { describe, expect, it } from 'vitest';
import { type Loaded, loadWorkflow } from './load.ts';

/**
 * What files of Dagu may hold, a line for each statement: what a file's workflow is, what
 * it is refused with, or warned of.
 */

const schema = '{"type": "object", "properties": {"CITY": {"type": "string", "minLength": 2}}, "required": ["CITY"]}';
const readSchemaFile = (path: string): string => {
  if (path === 'city.json') return schema;
  throw new Error('there is no such file');
};
const load = (text: string): Loaded =>
  loadWorkflow(text, '/flows/invoices.yaml', { strictStream: true, readSchemaFile });
const told = (problems: Loaded['problems']) =>
  problems.map(({ message, line }) => `${line ?? '-'}: ${message}`).join('\n');

const step = 'steps: [{id: a, run: echo hi}]\n';
const one = (fields: string) => `steps:\n  - {id: a, ${fields}}\n`;
/** Root fields, then a step. */
const root = (fields: string) => `${fields}\n${step}`;

type Row = [statement: string, text: string, ...expected: unknown[]];

function refuses(rows: [string, string, string][]): void {
  it.each(rows)('%s', (_, text, message) => {
    const { workflow, problems } = load(text);
    expect(told(problems)).toContain(message);
    expect(workflow).toBeUndefined();
  });
}

function gives(rows: [string, string, object, string?][]): void {
  it.each(rows as Row[])('%s', (_, text, expected, warning) => {
    const { workflow, problems, warnings } = load(text);
    expect(told(problems)).toBe('');
    expect(workflow).toMatchObject(expected as object);
    if (warning !== undefined) expect(told(warnings)).toContain(warning);
    else expect(told(warnings)).toBe('');
  });
}

const first = (fields: object) => ({ steps: [fields] });

describe('1.1 the stream', () => {
  refuses([
    ['at least one document', '', 'yaml stream must contain at least one DAG document'],
    ['comments are no document', '# nothing\n', 'yaml stream must contain at least one DAG document'],
    ['the first must not be empty', `---\n---\nname: child\n${step}`, 'entrypoint document must not be empty'],
    ['nor a later one', `${step}---\n`, 'document 2 must not be empty'],
    ['the first has no name', `name: main\n${step}`, '1: entrypoint document must not define name'],
    ['a later one has', `${step}---\n${step}`, 'document 2 must define name'],
    ['which is a text', `${step}---\nname: ''\n${step}`, '3: document 2 name must be a non-empty string'],
    [
      'of its own',
      `${step}---\nname: child\n${step}---\nname: child\n${step}`,
      'DAG document name "child" must be unique',
    ],
    ['steps must be there', 'description: x\n', 'entrypoint document must define steps'],
    ['in every document', `${step}---\nname: child\n`, 'document 2 must define steps'],
    ['as a sequence', 'steps: {}\n', '1: entrypoint document steps must be a non-empty sequence'],
    ['with a step', 'steps: [[], [[]]]\n', "1: field 'steps': steps must hold at least one step"],
    ['with an entry', 'steps: []\n', 'entrypoint document steps must be a non-empty sequence'],
    ['unknown root keys', `${step}stepz: 1\n`, '2: invalid keys: "stepz" (did you mean "steps"?)'],
    ['doubled keys', `env: {A: 1}\nenv: {B: 2}\n${step}`, '2: mapping key "env" already defined'],
    ['doubled keys further down', 'steps:\n  - run: a\n    run: b\n', '3: mapping key "run" already defined'],
    [
      'a name of 41 letters',
      `${step}---\nname: ${'x'.repeat(41)}\n${step}`,
      "must be 1 to 40 letters, digits, '-', '.' or '_'",
    ],
    ['a name with a blank', `${step}---\nname: a b\n${step}`, 'name "a b" must be'],
    ['a type that is none', root('type: tree'), '1: invalid type: tree (must be one of: graph, chain, agent, build)'],
    ['types of Dagu alone', root('type: agent'), 'type agent is one of Dagu that Dagu Desktop does not run'],
    ['controller is one of them', root('type: controller'), 'type controller is one of Dagu'],
  ]);
  gives([
    ['later documents are local workflows', `${step}---\nname: child\n${step}`, { locals: [{ name: 'child' }] }],
    ['graph is the default', step, { type: 'graph', name: 'invoices' }],
    ['chain', root('type: chain'), { type: 'chain' }],
    ['a key without a value is as if it were not there', root('env:\nparams:\nschedule:'), { env: [], params: [] }],
    [
      'keys without effect',
      root(
        'labels: [a]\ntags: x\ngroup: g\nhist_retention_days: 3\nhist_retention_runs: 3\nlog_output: merged\nmax_output_size: 5\notel: {}',
      ),
      {},
    ],
  ]);
  it('a start takes a name in the first document', () => {
    const { workflow } = loadWorkflow(`name: main\n${step}`, '/flows/x.yaml', { strictStream: false });
    expect(workflow?.name).toBe('main');
  });
  it.each(
    'actions container defaults error_mail harness harnesses info_mail kubernetes log_dir mail_on max_clean_up_time_sec queue redis registry_auths resources restart_wait_sec retry_policy run_config s3 skip_if_successful smtp ssh step_types tasks tools webhook'.split(
      ' ',
    ),
  )('%s is refused by name', (key) => {
    expect(told(load(root(`${key}: x`)).problems)).toContain(
      `field '${key}': "${key}" is a key of Dagu that Dagu Desktop does not run`,
    );
  });
});

describe('1.2 the order of steps', () => {
  gives([
    [
      'graph: no order without depends',
      'steps: [{id: a, run: x}, {id: b, run: x}]',
      { steps: [{ depends: [] }, { depends: [] }] },
    ],
    [
      'depends by name or id',
      'steps: [{id: a, name: First, run: x}, {run: x, depends: First}, {run: x, depends: [a]}]',
      { steps: [{}, { depends: ['a'] }, { depends: ['a'] }] },
    ],
    [
      'chain: each after the one before',
      'type: chain\nsteps: [{id: a, run: x}, {id: b, run: x}, {id: c, run: x}]',
      { steps: [{ depends: [] }, { depends: ['a'] }, { depends: ['b'] }] },
    ],
    [
      'chain: a group as a whole',
      'type: chain\nsteps: [{id: a, run: x}, [{id: b, run: x}, {id: c, run: x}], {id: d, run: x}]',
      { steps: [{}, { depends: ['a'], path: ['steps', 1, 0] }, { depends: ['a'] }, { depends: ['b', 'c'] }] },
    ],
    [
      'graph: a group has no effect',
      'steps: [{id: a, run: x}, [{id: b, run: x}]]',
      { steps: [{ depends: [] }, { depends: [] }] },
    ],
    [
      'groups in groups',
      'steps: [[{run: x}, [{run: x}]], {run: x}]',
      { steps: [{ key: 'step-1' }, { key: 'step-2' }, { key: 'step-3' }] },
    ],
    [
      'a step may be a text',
      'steps: [echo hi]',
      first({ run: ['echo hi'] }),
      'Deprecated DAG syntax: steps[0] is deprecated; use run',
    ],
    ['an empty depends is none', one('run: x, depends: []'), first({ depends: [] })],
  ]);
  refuses([
    [
      'depends in a chain',
      'type: chain\nsteps:\n  - {id: a, run: x, depends: []}',
      "3: step 'a': depends field is not allowed for DAGs with type 'chain'; use type 'graph' for explicit dependencies",
    ],
    [
      'depends is exact',
      'steps: [{id: a, run: x}, {id: b, run: x, depends: "a "}]',
      'step b depends on non-existent step a ',
    ],
    [
      'a circle',
      'steps:\n  - {id: a, run: x, depends: b}\n  - {id: b, run: x, depends: a}',
      '2: steps depend on each other in a circle: a, b',
    ],
    ['on itself', one('run: x, depends: a'), 'steps depend on each other in a circle: a'],
  ]);
});

describe('1.3 params', () => {
  gives([
    [
      'a text: words are positional',
      root('params: first "second third"'),
      {
        params: [
          { name: '1', default: 'first' },
          { name: '2', default: 'second third' },
        ],
      },
    ],
    [
      'a text: K=v is named',
      root('params: CITY=Paris N="a b"'),
      {
        params: [
          { name: 'CITY', default: 'Paris' },
          { name: 'N', default: 'a b' },
        ],
      },
    ],
    [
      'a list of texts',
      root('params: [CITY=Paris, x y]'),
      {
        params: [
          { name: 'CITY', default: 'Paris' },
          { name: '1', default: 'x y' },
        ],
      },
    ],
    [
      'a list of single-key maps',
      root('params: [{CITY: Paris}, {N: 010}]'),
      {
        params: [
          { name: 'CITY', default: 'Paris' },
          { name: 'N', default: '010' },
        ],
      },
    ],
    [
      'a map',
      root('params: {CITY: Paris, N: 1.10, ON: true}'),
      { params: [{ default: 'Paris' }, { default: '1.10' }, { default: 'true' }] },
    ],
    [
      'a map: without a default it must be given',
      root('params: {CITY: }'),
      { params: [{ name: 'CITY', required: true }] },
    ],
    [
      'rich entries',
      root(
        'params: [{name: N, type: integer, default: 25, minimum: 1, maximum: 100, description: d}, {name: E, enum: [dev, prod], required: true}, {name: S, min_length: 2, max_length: 4, pattern: "^a"}]',
      ),
      {
        params: [
          { name: 'N', type: 'integer', default: '25', minimum: 1, maximum: 100, description: 'd', required: false },
          { name: 'E', type: 'string', enum: ['dev', 'prod'], required: true },
          { name: 'S', minLength: 2, maxLength: 4, pattern: '^a' },
        ],
      },
    ],
    [
      'a JSON Schema',
      root(
        'params: {type: object, properties: {N: {type: integer, default: 010, minimum: 1}, C: {type: string, description: d}}, required: [C]}',
      ),
      {
        params: [
          { name: 'N', type: 'integer', default: '010', minimum: 1 },
          { name: 'C', required: true, description: 'd' },
        ],
      },
    ],
    [
      'a schema in a file, with values',
      root('params: {schema: city.json, values: {CITY: Paris}}'),
      { params: [{ name: 'CITY', default: 'Paris', minLength: 2, required: false }], paramsSchemaFile: 'city.json' },
    ],
    [
      'a schema beside values',
      root('params: {schema: {type: object, properties: {N: {type: number}}}, values: {N: 1.50}}'),
      { params: [{ name: 'N', type: 'number', default: '1.50' }] },
    ],
    ['any values', root('params: {schema: true, values: {X: 1}}'), { params: [{ name: 'X', default: '1' }] }],
    [
      'a boolean is true or false',
      root('params: [{name: B, type: boolean, default: "T"}]'),
      { params: [{ default: 'true' }] },
    ],
  ]);
  refuses([
    ['a bad name', root('params: {a-b: 1}'), '1: parameter name "a-b" must match ^[A-Za-z][A-Za-z0-9_]*$'],
    ['a bad name in a text', root('params: a-b=1'), 'parameter name "a-b" must match'],
    ['a doubled name', root('params: [A=1, {A: 2}]'), 'duplicate parameter name "A"'],
    ['a name alone', root('params: [{name: A}]'), 'parameter "A" must define at least one field in addition to name'],
    ['an unknown type', root('params: [{name: A, type: date}]'), 'parameter "A" has unsupported type "date"'],
    [
      'an unknown type in a schema',
      root('params: {type: object, properties: {A: {type: array}}}'),
      'parameter "A" has unsupported type "array"',
    ],
    [
      'a default of another type',
      root('params: [{name: A, type: integer, default: x}]'),
      'parameter "A": default cannot coerce "x" to integer',
    ],
    ['a number that is none', root('params: [{name: A, type: number, default: 1e}]'), 'cannot coerce "1e" to number'],
    [
      'a boolean that is none',
      root('params: [{name: A, type: boolean, default: maybe}]'),
      'cannot coerce "maybe" to boolean',
    ],
    [
      'a default that is not allowed',
      root('params: [{name: A, enum: [x, y], default: z}]'),
      'default "z" must be one of: x, y',
    ],
    [
      'a default below the minimum',
      root('params: [{name: A, type: integer, minimum: 3, default: 2}]'),
      'default "2" must be at least 3',
    ],
    [
      'a default above the maximum',
      root('params: [{name: A, type: number, maximum: 3, default: 3.5}]'),
      'default "3.5" must be at most 3',
    ],
    [
      'a default too short',
      root('params: [{name: A, min_length: 3, default: ab}]'),
      'default "ab" must have at least 3 characters',
    ],
    [
      'a default too long',
      root('params: [{name: A, max_length: 1, default: ab}]'),
      'default "ab" must have at most 1 characters',
    ],
    [
      'a default that does not match',
      root('params: [{name: A, pattern: "^x", default: ab}]'),
      'default "ab" must match ^x',
    ],
    [
      'a pattern that is none',
      root('params: [{name: A, pattern: "("}]'),
      'parameter "A": the regular expression is not valid',
    ],
    [
      'eval',
      root('params: [{name: A, eval: "`date`"}]'),
      `field 'params[0].eval': "eval" is a key of Dagu that Dagu Desktop does not run`,
    ],
    [
      'an unknown key of an entry',
      root('params: [{name: A, deflt: 1, default: 2}]'),
      `field 'params[0]': must not have the key "deflt"`,
    ],
    [
      'a default that is a list',
      root('params: {A: [1]}'),
      `field 'params.A': the default of "A" must be a string, a number or a boolean`,
    ],
    [
      'a schema that is not there',
      root('params: {schema: x.json}'),
      'the schema file "x.json" cannot be read: there is no such file',
    ],
    [
      'a schema of the web',
      root('params: {schema: "https://a.example/x.json"}'),
      'schema must be a file on this computer',
    ],
    [
      'values that the schema does not list',
      root('params: {schema: city.json, values: {TOWN: x, CITY: ab}}'),
      'TOWN is not among the properties of the schema',
    ],
    [
      'values that do not fit the schema',
      root('params: {schema: city.json, values: {CITY: a}}'),
      'default "a" must have at least 2 characters',
    ],
    [
      'a required property that is not listed',
      root('params: {type: object, properties: {}, required: [A]}'),
      'required names "A", which properties does not list',
    ],
  ]);
});

describe('1.3 other root fields', () => {
  gives([
    [
      'consts refer to those before',
      root('consts: [{A: x}, {B: "${consts.A}-y"}, {C: "${consts.D}"}, {D: z}]'),
      { consts: { A: 'x', B: 'x-y', C: '${consts.D}' } },
    ],
    ['consts are scalars', root('consts: [{A: 1.50}, {B: true}]'), { consts: { A: '1.50', B: 'true' } }],
    [
      'env as a map',
      root('env: {A: 1, B: x}'),
      {
        env: [
          ['A', '1'],
          ['B', 'x'],
        ],
      },
    ],
    [
      'env as a list',
      root('env: [{A: 1}, B=x=y, {A: 2}]'),
      {
        env: [
          ['A', '1'],
          ['B', 'x=y'],
          ['A', '2'],
        ],
      },
    ],
    ['dotenv: .env where nothing is said', step, { dotenv: ['.env'] }],
    ['dotenv: a path', root('dotenv: my.env'), { dotenv: ['my.env'] }],
    ['dotenv: a list', root('dotenv: [a.env, b.env]'), { dotenv: ['a.env', 'b.env'] }],
    ['dotenv: none', root('dotenv: []'), { dotenv: [] }],
    [
      'secrets',
      root(
        'secrets: [{name: A, provider: env, key: K}, {name: B, provider: file, key: f, options: {x: y}}, {name: C, provider: keychain, key: k}]',
      ),
      {
        secrets: [
          { provider: 'env', key: 'K', options: {} },
          { provider: 'file', options: { x: 'y' } },
          { provider: 'keychain' },
        ],
      },
    ],
    [
      'worker_selector: labels',
      root('worker_selector: {gpu: 1, x: true}'),
      { workerSelector: { gpu: '1', x: 'true' } },
    ],
    ['worker_selector: local', root('worker_selector: local'), { workerSelector: 'local' }],
    ['artifacts are off', step, { artifacts: { enabled: false } }],
    ['artifacts of a folder are on', root('artifacts: {dir: out}'), { artifacts: { enabled: true, dir: 'out' } }],
    ['artifacts that are named are on', one('run: cp x "$DAG_RUN_ARTIFACTS_DIR"'), { artifacts: { enabled: true } }],
    ['artifacts of a stream are on', one('run: x, stdout: {artifact: r.txt}'), { artifacts: { enabled: true } }],
    [
      'times and bounds',
      root('timeout_sec: 10\ndelay_sec: 0.5\nmax_active_steps: 2\nmax_active_runs: 1'),
      { timeoutSec: 10, delaySec: 0.5, maxActiveSteps: 2, maxActiveRuns: 1 },
    ],
    ['max_active_runs: -1 is no bound', root('max_active_runs: -1'), { maxActiveRuns: 0 }],
    ['working_dir', root('working_dir: sub'), { workingDir: 'sub' }],
    ['shell as a text', root('shell: bash -e'), { shell: 'bash -e' }],
    ['shell as a list', root('shell: [bash, -e, -u]'), { shell: 'bash', shellArgs: ['-e', '-u'] }],
    ['shell and its arguments', root('shell: bash\nshell_args: [-e]'), { shell: 'bash', shellArgs: ['-e'] }],
    [
      'all handlers',
      root(
        'handler_on: {init: {run: i}, success: {run: s}, failure: {run: f}, abort: {run: a}, exit: {run: e}, wait: {run: w}}',
      ),
      {
        handlers: { init: { key: 'init', run: ['i'] }, wait: { key: 'wait' }, exit: { path: ['handler_on', 'exit'] } },
      },
    ],
    ['schedule: a text', root('schedule: "5 4 * * *"'), { schedules: [{ does: 'start', cron: '5 4 * * *' }] }],
    [
      'schedule: a time zone',
      root('schedule: "CRON_TZ=Asia/Tokyo 5 9 * * MON-FRI"'),
      { schedules: [{ cron: 'CRON_TZ=Asia/Tokyo 5 9 * * MON-FRI' }] },
    ],
    [
      'schedule: a list',
      root(
        'schedule: ["0 9 * * *", {kind: cron, expression: "0 10 * * *"}, {kind: at, at: "2030-01-31T09:00:00+01:00"}]',
      ),
      { schedules: [{ cron: '0 9 * * *' }, { cron: '0 10 * * *' }, { at: '2030-01-31T09:00:00+01:00' }] },
    ],
    [
      'schedule: start, stop, restart',
      root('schedule: {start: "0 8 * * *", stop: ["0 18 * * *"], restart: "0 12 * * *"}'),
      { schedules: [{ does: 'start' }, { does: 'stop' }, { does: 'restart' }] },
    ],
    ['overlap_policy', root('overlap_policy: latest'), { overlapPolicy: 'latest' }],
    ['overlap_policy: skip where nothing is said', step, { overlapPolicy: 'skip', catchupWindowMs: 0 }],
    ['catchup_window', root('catchup_window: 2d12h'), { catchupWindowMs: 60 * 3_600_000 }],
    [
      'preconditions: a text',
      root('preconditions: test -f x'),
      { preconditions: [{ condition: 'test -f x', negate: false }] },
    ],
    [
      'preconditions: a list',
      root(
        'preconditions: [a, {condition: "${params.E}", expected: "re:^(a|b)$", negate: true}, {eval: "$X", expected: y}]\nparams: {E: a}',
      ),
      {
        preconditions: [
          { condition: 'a' },
          { expected: 're:^(a|b)$', negate: true },
          { condition: '$X', substitutes: true, expected: 'y' },
        ],
      },
    ],
    [
      'llm: thinking and web search',
      root('llm: {provider: anthropic, model: m, thinking: {effort: low}, web_search: {enabled: true, max_uses: 2}}'),
      { llm: { thinking: { effort: 'low' }, web_search: { max_uses: 2 } } },
    ],
    [
      'llm: models as a list',
      root('llm: {model: [{provider: local, name: a}, {provider: openai, name: b, temperature: 0}]}'),
      { llm: { model: [{ name: 'a' }, { name: 'b' }] } },
    ],
  ]);
  refuses([
    ['consts as a map', root('consts: {A: 1}'), "field 'consts': consts must be a list of single-key maps"],
    ['a const of two keys', root('consts: [{A: 1, B: 2}]'), "field 'consts[0]'"],
    [
      'a const that is a list',
      root('consts: [{A: [1]}]'),
      "field 'consts[0].A': A must be a string, a number or a boolean",
    ],
    ['a bad env name', root('env: {a-b: 1}'), `field 'env': must not have the key "a-b"`],
    [
      'env that is a text',
      root('env: A=1'),
      "field 'env': env must be a map of names and values, or a list of such maps or of NAME=value (value: A=1)",
    ],
    ['a secret without a provider', root('secrets: [{name: A, key: K}]'), 'secret "A" must have provider and key'],
    [
      'a secret from nowhere',
      root('secrets: [{name: A, provider: moon, key: K}]'),
      '1: secret "A": provider "moon" is not known; use env, file, keychain',
    ],
    [
      'a secret of another store',
      root('secrets: [{name: A, provider: vault, key: K}]'),
      'provider "vault" is a provider of Dagu that Dagu Desktop does not run',
    ],
    ['a secret by reference', root('secrets: [{name: A, ref: x}]'), 'secret "A": ref names an entry of a secret store'],
    ['a secret named DAGU_', root('secrets: [{name: DAGU_X, provider: env, key: K}]'), 'must not start with DAGU_'],
    [
      'a secret with a managed name',
      root('secrets: [{name: DAG_RUN_ID, provider: env, key: K}]'),
      'secret name "DAG_RUN_ID" is one that each run sets itself',
    ],
    [
      'a doubled secret',
      root('secrets: [{name: A, provider: env, key: K}, {name: A, provider: env, key: L}]'),
      'secret "A" is declared twice',
    ],
    [
      'options that are no text',
      root('secrets: [{name: A, provider: env, key: K, options: {x: 1}}]'),
      "field 'secrets[0].options.x'",
    ],
    [
      'llm: a temperature',
      root('llm: {provider: local, model: m, temperature: 3}'),
      "field 'llm.temperature': temperature must be between 0.0 and 2.0 (value: 3)",
    ],
    ['llm: max_tokens', root('llm: {provider: local, model: m, max_tokens: 0}'), 'max_tokens must be at least 1'],
    ['llm: top_p', root('llm: {provider: local, model: m, top_p: 2}'), 'top_p must be between 0.0 and 1.0'],
    ['llm: no provider', root('llm: {model: m}'), 'provider is required (set at DAG or step level)'],
    ['llm: no model', root('llm: {provider: local}'), 'model is required (set at DAG or step level)'],
    ['llm: a provider in a list', root('llm: {model: [{provider: x, name: a}]}'), 'invalid provider: x'],
    ['llm: files', root('llm: {provider: local, model: m, files: x}'), `field 'llm.files': "files" is a key of Dagu`],
    [
      'worker_selector that is neither',
      root('worker_selector: remote'),
      `worker_selector must be "local", or a map of labels`,
    ],
    ['artifacts with another key', root('artifacts: {path: x}'), `field 'artifacts': must not have the key "path"`],
    [
      'artifacts that are off and wanted',
      'artifacts: {enabled: false}\nsteps: [{run: x, stdout: {artifact: a}}]',
      'artifacts.enabled: false turns off',
    ],
    ['a negative time', root('timeout_sec: -1'), "1: field 'timeout_sec': timeout_sec must be >= 0 (value: -1)"],
    ['a negative delay', root('delay_sec: -1'), 'delay_sec must be >= 0'],
    [
      'half a step',
      root('max_active_steps: 1.5'),
      "field 'max_active_steps': max_active_steps must be a whole number >= 0 (value: 1.5)",
    ],
    ['an unknown handler', root('handler_on: {done: {run: x}}'), `field 'handler_on': "done" is no handler`],
    [
      'a handler of several steps',
      root('handler_on: {exit: [{run: x}]}'),
      "field 'handler_on.exit': a handler is one step",
    ],
    ['a handler that depends', root('handler_on: {exit: {run: x, depends: a}}'), 'a handler cannot have depends'],
    ['schedule: no cron expression', root('schedule: "5 4 * *"'), 'cron expression "5 4 * *" is not valid'],
    ['schedule: out of bounds', root('schedule: "61 4 * * *"'), 'cron expression "61 4 * * *" is not valid'],
    ['schedule: seconds', root('schedule: "0 5 4 * * *"'), 'is not valid'],
    ['schedule: no time zone', root('schedule: "CRON_TZ=Moon/Base 5 4 * * *"'), 'there is no time zone Moon/Base'],
    ['schedule: never', root('schedule: "0 0 30 2 *"'), 'cron expression "0 0 30 2 *" never comes'],
    [
      'schedule: the place of a bad one',
      root('schedule:\n  start: ["0 8 * * *", x]'),
      '2: field \'schedule.start[1]\': cron expression "x" is not valid',
    ],
    ['schedule: no moment', root('schedule: [{kind: at, at: tomorrow}]'), 'at "tomorrow" must be a moment'],
    [
      'schedule: profile',
      root('schedule: [{kind: cron, expression: "0 8 * * *", profile: p}]'),
      `field 'schedule[0].profile': "profile" is a key of Dagu`,
    ],
    ['overlap_policy', root('overlap_policy: never'), 'overlap_policy must be skip, all or latest (value: never)'],
    [
      'catchup_window',
      root('catchup_window: long'),
      'catchup_window must be a duration such as 6h or 2d12h (value: long)',
    ],
    ['preconditions: an empty one', root('preconditions: " "'), 'a condition must be a non-empty string'],
    [
      'preconditions: a pattern that is none',
      root('preconditions: [{condition: x, expected: "re:("}]'),
      "field 'preconditions[0].expected': the regular expression is not valid",
    ],
    ['preconditions: another key', root('preconditions: [{command: x}]'), "field 'preconditions[0]'"],
    [
      'preconditions: a command whose text is compared',
      root('preconditions: [{condition: "`date`", expected: "1"}]'),
      'beside expected no command of a condition runs',
    ],
    ['preconditions: eval alone', root('preconditions: [{eval: x}]'), 'eval needs expected'],
  ]);
});

describe('1.4 steps: names', () => {
  gives([
    ['an id is a name', one('run: x'), first({ key: 'a', id: 'a', name: 'a' })],
    ['a name is a key', 'steps: [{name: Read it, run: x}]', first({ key: 'Read it', name: 'Read it' })],
    ['neither: its place', 'steps: [{run: x}]', first({ key: 'step-1', name: 'step-1' })],
  ]);
  refuses([
    [
      'an id with a dash',
      'steps:\n  - id: a-b\n    run: x',
      `2: invalid step ID format: "a-b" must match ^[A-Za-z][A-Za-z0-9_]*$, 40 characters at most (use '_' instead of '-')`,
    ],
    ['an id of 41 letters', `steps: [{id: ${'x'.repeat(41)}, run: x}]`, 'invalid step ID format'],
    ['a reserved id', 'steps: [{id: Env, run: x}]', "step ID 'Env' is a reserved word"],
    ['a doubled id', 'steps:\n  - {id: a, run: x}\n  - {id: a, run: y}', '3: duplicate step ID: a'],
    ['a doubled name', 'steps: [{name: a, run: x}, {name: a, run: y}]', 'step name must be unique: "a"'],
    [
      'an id that is a name',
      'steps: [{id: a, name: x, run: x}, {name: a, run: y}]',
      "step ID 'a' conflicts with another step's name",
    ],
    ['a name of 256 bytes', `steps: [{name: ${'ä'.repeat(128)}, run: x}]`, 'a step name must have at most 255 bytes'],
    ['a missing dependency', one('run: x, depends: b'), 'step a depends on non-existent step b'],
  ]);
});

describe('1.4 steps: what they do', () => {
  gives([
    ['run: a command', one('run: echo hi'), first({ action: 'run', run: ['echo hi'] })],
    ['run: a script', 'steps:\n  - run: |\n      a\n      b', first({ run: ['a\nb\n'] })],
    ['run: a list', one('run: [a, b]'), first({ run: ['a', 'b'] })],
    ['run: a shell', one('run: x, with: {shell: bash, shell_args: [-e]}'), first({ shell: 'bash', shellArgs: ['-e'] })],
    [
      'run: a shell with a blank in its path',
      one('run: x, with: {shell: ["/my shells/sh", -e]}'),
      first({ shell: "'/my shells/sh'", shellArgs: ['-e'] }),
    ],
    ['command is run', one('command: echo hi'), first({ run: ['echo hi'] }), 'steps[0].command is deprecated; use run'],
    [
      'script is run',
      one('script: echo hi'),
      first({ run: ['echo hi'] }),
      'Deprecated DAG syntax: steps[0].script is deprecated; use run',
    ],
    [
      'command and script: an interpreter',
      one('command: python3 -u, script: print(1)'),
      first({ run: ['print(1)'], shell: 'python3 -u' }),
      'steps[0].command is deprecated; use with.shell',
    ],
    [
      'shell of a step',
      one('run: x, shell: bash'),
      first({ shell: 'bash' }),
      'steps[0].shell is deprecated; use with.shell',
    ],
    [
      'call is dag.run',
      `${one('call: child, params: {A: 1}')}---\nname: child\nparams: {A: x}\n${step}`,
      first({ action: 'dag.run', with: { dag: 'child', params: { A: '1' } } }),
      'steps[0].call is deprecated; use action: dag.run',
    ],
    [
      'type: chat',
      one('type: chat, llm: {provider: local, model: m}, messages: [{role: user, content: hi}]'),
      first({ action: 'chat.completion', with: { provider: 'local', model: 'm', messages: [{ content: 'hi' }] } }),
      'steps[0].type is deprecated; use action: chat.completion',
    ],
    [
      'messages alone',
      root('llm: {provider: local, model: m}').replace(step, one('messages: [{role: user, content: hi}]')),
      first({ action: 'chat.completion' }),
      'steps[0].messages is deprecated',
    ],
    ['log_output has no effect', one('run: x, log_output: merged'), first({})],
    [
      'worker_selector of dag.run',
      `${one('action: dag.run, with: {dag: other}, worker_selector: {x: y}')}`,
      { workerSelector: { x: 'y' } },
    ],
  ]);
  refuses([
    ['nothing after run', 'steps:\n  - run:', '2: steps[0] must have run or action'],
    ['an empty command', one("run: ''"), "field 'steps[0].run': run must be a command, or a list of commands"],
    ['nothing to do', 'steps:\n  - id: a', '2: steps[0] must have run or action'],
    [
      'run beside action',
      'steps:\n  - run: x\n    action: chat.completion',
      '2: run cannot be used together with action',
    ],
    ['run beside command', one('run: x, command: y'), 'run, command and script cannot be used together'],
    [
      'action beside command',
      one('action: dag.run, command: y, with: {dag: b}'),
      'action cannot be used together with command',
    ],
    [
      'an unknown action',
      one('action: moon.fly'),
      'unknown action "moon.fly" (known: chat.completion, computer.run, computer.extract, dag.run)',
    ],
    [
      'an action of Dagu',
      one('action: mail.send'),
      'action "mail.send" is an action of Dagu that Dagu Desktop does not run',
    ],
    ['an action that is no text', one('action: [x]'), "field 'steps[0].action': action must be a string"],
    ['an input that is no object', one('action: dag.run, with: x'), "field 'steps[0].with': with must be an object"],
    [
      'run with another input',
      one('run: x, with: {image: y}'),
      'run accepts only with.shell and with.shell_args, not with.image',
    ],
    ['dag.run without a name', one('action: dag.run'), 'with.dag is required'],
    ['dag.run with an empty name', one('action: dag.run, with: {dag: ""}'), 'with.dag must be a non-empty string'],
    [
      'dag.run with another key',
      one('action: dag.run, with: {dag: b, queue: q}'),
      'with.queue is not a key of this action; it takes dag, params',
    ],
    [
      'worker_selector of another step',
      one('run: x, worker_selector: {x: y}'),
      'action "run" does not support worker_selector field',
    ],
    [
      'a type beside run',
      one('run: x, type: docker'),
      "field 'steps[0].type': type has no effect beside run; remove it",
    ],
    ['messages beside run', one('run: x, messages: []'), 'messages has no effect beside run; remove it'],
    [
      'llm beside a loop',
      one('foreach: {items: [], steps: [{run: x}]}, llm: {provider: local}'),
      'llm has no effect beside foreach',
    ],
    ['params beside run', one('run: x, params: {A: 1}'), 'params has no effect beside run'],
    [
      'shell beside an action',
      one('action: dag.run, with: {dag: b}, shell: bash'),
      'shell has no effect beside action',
    ],
    [
      'a type that does not run',
      one('type: docker'),
      'step type "docker" is one of Dagu that Dagu Desktop does not run',
    ],
    [
      'an unknown key',
      'steps:\n  - run: x\n    comand: y',
      `3: field 'steps[0]': must not have the key "comand" (did you mean "command"?)`,
    ],
    ['an older spelling', one('run: x, workingDir: y'), '(did you mean "working_dir"?)'],
  ]);
  it.each('exec value routes repeat_policy parallel signal_on_stop container shell_packages'.split(' '))(
    '%s is refused by name',
    (key) => {
      expect(told(load(one(`run: x, ${key}: y`)).problems)).toContain(
        `field 'steps[0].${key}': "${key}" is a key of Dagu that Dagu Desktop does not run`,
      );
    },
  );
});

describe('1.4 steps: what they publish', () => {
  gives([
    ['output: a name', one('run: x, output: OUT'), first({ output: 'OUT', outputNames: ['OUT'] })],
    [
      'output: a map',
      one(
        'run: x, output: {total: {from: stdout, decode: json, select: .total}, label: "is ${params.A}", n: {value: 5}, f: {from: file, path: x.yaml, decode: yaml}}',
      ).replace(/^/, 'params: {A: x}\n'),
      first({
        outputMap: {
          total: { from: 'stdout', decode: 'json', select: '.total' },
          label: { value: 'is ${params.A}' },
          n: { value: 5 },
          f: { from: 'file' },
        },
        outputNames: ['total', 'label', 'n', 'f'],
      }),
    ],
    [
      'outputs',
      one('run: x, outputs: [{name: x}, {name: y, type: json}]'),
      first({
        declaredOutputs: [
          { name: 'x', type: 'string' },
          { name: 'y', type: 'json' },
        ],
        outputNames: ['x', 'y'],
      }),
    ],
    [
      'output_schema',
      one('run: x, output_schema: {type: object, properties: {n: {type: number}}}'),
      first({ outputNames: ['n'] }),
    ],
    ['stdout: a path', one('run: x, stdout: out.txt'), first({ stdout: { path: 'out.txt' } })],
    [
      'stderr: an artifact',
      one('run: x, stderr: {artifact: logs/err.txt}'),
      first({ stderr: { artifact: 'logs/err.txt' } }),
    ],
    [
      'stdout: outputs',
      one('run: x, stdout: {outputs: {fields: {n: {decode: json, select: .n}}}}'),
      first({ stdout: { outputs: { n: { decode: 'json', select: '.n' } } }, outputNames: ['n'] }),
    ],
  ]);
  refuses([
    ['output: no name', one('run: x, output: a-b'), "field 'steps[0].output': output must be the name of a variable"],
    [
      'output: a file without a path',
      one('run: x, output: {f: {from: file}}'),
      "field 'steps[0].output.f': from: file needs path",
    ],
    [
      'output: select of a text',
      one('run: x, output: {f: {from: stdout, select: .x}}'),
      'select needs decode: json or decode: yaml',
    ],
    ['output: a value beside a source', one('run: x, output: {f: {value: 1, from: stdout}}'), 'value stands alone'],
    ['outputs without an id', 'steps: [{run: x, outputs: [{name: x}]}]', "outputs needs the step's id"],
    [
      'outputs: an empty list',
      one('run: x, outputs: []'),
      "field 'steps[0].outputs': outputs must be a non-empty list",
    ],
    ['outputs: twice', one('run: x, outputs: [{name: x}, {name: x}]'), 'output "x" is declared twice'],
    ['outputs: a bad name', one('run: x, outputs: [{name: a-b}]'), "field 'steps[0].outputs[0].name'"],
    [
      'outputs: a type',
      one('run: x, outputs: [{name: x, type: number}]'),
      "field 'steps[0].outputs[0].type': must be one of",
    ],
    [
      'output_schema that is none',
      one('run: x, output_schema: {type: thing}'),
      'output_schema is not a valid JSON Schema',
    ],
    [
      'output_schema with a lost reference',
      one('run: x, output_schema: {$ref: "#/nowhere"}'),
      'output_schema is not a valid JSON Schema',
    ],
    [
      'an artifact elsewhere',
      one('run: x, stdout: {artifact: ../x}'),
      "artifact must be a path inside the run's artifacts",
    ],
  ]);
});

describe('1.4 steps: how they run', () => {
  const noMore = { exitCodes: [], outputs: [], markSuccess: false };
  gives([
    ['timeout_sec', one('run: x, timeout_sec: 5'), first({ timeoutSec: 5 })],
    [
      'retry_policy',
      one('run: x, retry_policy: {limit: 3, interval_sec: 2}'),
      first({ retryPolicy: { limit: 3, intervalSec: 2, backoff: 1 } }),
    ],
    [
      'retry_policy: backoff',
      one('run: x, retry_policy: {limit: 3, interval_sec: 2, backoff: true, max_interval_sec: 9, exit_code: [22, 28]}'),
      first({ retryPolicy: { backoff: 2, maxIntervalSec: 9, exitCodes: [22, 28] } }),
    ],
    [
      'retry_policy: references',
      one('run: x, retry_policy: {limit: "${params.N}", interval_sec: "5", backoff: 1.5}').replace(
        /^/,
        'params: {N: 3}\n',
      ),
      first({ retryPolicy: { limit: '${params.N}', intervalSec: 5, backoff: 1.5 } }),
    ],
    [
      'continue_on: failed',
      one('run: x, continue_on: failed'),
      first({ continueOn: { failure: true, skipped: false, ...noMore } }),
    ],
    [
      'continue_on: skipped',
      one('run: x, continue_on: skipped'),
      first({ continueOn: { failure: false, skipped: true, ...noMore } }),
    ],
    [
      'continue_on: all',
      one(
        'run: x, continue_on: {failure: true, skipped: true, exit_code: 3, output: ["WARN", "re:^I"], mark_success: true}',
      ),
      first({
        continueOn: { failure: true, skipped: true, exitCodes: [3], outputs: ['WARN', 're:^I'], markSuccess: true },
      }),
    ],
    [
      'preconditions',
      one('run: x, preconditions: [test -f x]'),
      first({ preconditions: [{ condition: 'test -f x' }] }),
    ],
    [
      'env and working_dir',
      one('run: x, env: [A=1], working_dir: sub'),
      first({ env: [['A', '1']], workingDir: 'sub' }),
    ],
    [
      'approval',
      one('run: x, approval: {prompt: Right?, input: [why], required: [why], rewind_to: a}'),
      first({ approval: { prompt: 'Right?', input: ['why'], required: ['why'], rewindTo: 'a' }, outputNames: ['why'] }),
    ],
    [
      'approval: rewinds to one before',
      'steps: [{id: a, name: A, run: x}, {id: b, run: x, depends: a}, {id: c, run: x, depends: b, approval: {rewind_to: A}}]',
      { steps: [{}, {}, { approval: { rewindTo: 'a' } }] },
    ],
  ]);
  refuses([
    [
      'a negative time',
      one('run: x, timeout_sec: -1'),
      "field 'steps[0].timeout_sec': timeout_sec must be >= 0 (value: -1)",
    ],
    [
      'retry_policy without limit',
      one('run: x, retry_policy: {interval_sec: 2}'),
      `field 'steps[0].retry_policy': must have the key "limit"`,
    ],
    ['retry_policy without interval_sec', one('run: x, retry_policy: {limit: 2}'), `must have the key "interval_sec"`],
    [
      'retry_policy: backoff',
      one('run: x, retry_policy: {limit: 2, interval_sec: 1, backoff: 0.5}'),
      'backoff must be greater than 1.0 (value: 0.5)',
    ],
    [
      'retry_policy: a limit that is none',
      one('run: x, retry_policy: {limit: often, interval_sec: 1}'),
      'limit must be a whole number, or a text with a reference',
    ],
    [
      'continue_on: another word',
      one('run: x, continue_on: always'),
      'continue_on must be "failed", "skipped", or an object',
    ],
    [
      'continue_on: a pattern that is none',
      one('run: x, continue_on: {output: "re:("}'),
      "field 'steps[0].continue_on.output': the regular expression is not valid",
    ],
    [
      'approval: required is not in input',
      one('run: x, approval: {required: [why]}'),
      'required names "why", which is not in input',
    ],
    ['approval: rewinds to nobody', one('run: x, approval: {rewind_to: b}'), 'approval.rewind_to names no step: "b"'],
    [
      'approval: rewinds to a later step',
      'steps: [{id: a, run: x, approval: {rewind_to: b}}, {id: b, run: x, depends: a}]',
      'approval.rewind_to must be the step itself or one that it depends on, not "b"',
    ],
  ]);
});

describe('1.4 foreach', () => {
  const each = (fields: string) => `steps:\n  - {id: a, foreach: {${fields}}}\n`;
  gives([
    [
      'its defaults',
      each('items: [1], steps: [{run: x}]'),
      first({
        action: 'foreach',
        foreach: { items: [1], as: 'item', maxConcurrent: 10, body: { steps: [{ key: 'step-1' }] } },
      }),
    ],
    [
      'all of it',
      each(
        'items: "${params.L}", as: file, key: "${foreach.file.name}", max_concurrent: 3, steps: [{id: b, run: "cat ${foreach.file.path}", output: O}], collect: {text: "${steps.b.outputs.O}"}',
      ).replace(/^/, 'params: {L: "[]"}\n'),
      first({
        outputNames: ['text'],
        foreach: {
          as: 'file',
          key: '${foreach.file.name}',
          maxConcurrent: 3,
          collect: { text: '${steps.b.outputs.O}' },
        },
      }),
    ],
    ['no items', each('items: [], steps: [{run: x}]'), first({ foreach: { items: [] } })],
    [
      'one in another',
      each(
        'items: [1], steps: [{id: b, foreach: {items: [2], as: y, steps: [{id: c, run: "echo ${foreach.y} ${foreach.item}"}]}}]',
      ),
      first({ foreach: { body: { steps: [{ foreach: { body: { steps: [{ key: 'c' }] } } }] } } }),
    ],
    [
      'settings around it are those of the body',
      `env: {A: 1}\ntimeout_sec: 5\npreconditions: x\n${each('items: [1], steps: [{run: x}]')}`,
      first({ foreach: { body: { env: [['A', '1']], preconditions: [], schedules: [] } } }),
    ],
  ]);
  refuses([
    ['items are missing', each('steps: [{run: x}]'), `field 'steps[0].foreach': must have the key "items"`],
    ['steps are missing', each('items: []'), `must have the key "steps"`],
    ['no steps', each('items: [], steps: []'), 'steps must be a non-empty list of steps'],
    ['a name that is taken', each('items: [], as: index, steps: [{run: x}]'), 'as must not be "index"'],
    ['a bad name', each('items: [], as: a-b, steps: [{run: x}]'), "field 'steps[0].foreach.as'"],
    [
      'too many at once',
      each('items: [], max_concurrent: 1001, steps: [{run: x}]'),
      'max_concurrent must be a whole number from 1 to 1000 (value: 1001)',
    ],
    [
      'too many items',
      each(`items: [${'1, '.repeat(1001)}], steps: [{run: x}]`),
      'items has 1001 items; there may be 1000',
    ],
    [
      'items that are no list',
      each('items: a b, steps: [{run: x}]'),
      'items must be a list, a reference to one, or a JSON array',
    ],
    [
      'another key',
      each('items: [], steps: [{run: x}], parallel: 3'),
      `field 'steps[0].foreach': must not have the key "parallel"`,
    ],
    [
      'beside run',
      'steps: [{run: x, foreach: {items: [], steps: [{run: y}]}}]',
      'foreach cannot be used together with run',
    ],
    [
      'a body that depends on a step outside',
      'steps: [{id: a, run: x}, {id: b, foreach: {items: [], steps: [{run: x, depends: a}]}}]',
      'depends on non-existent step a',
    ],
    [
      'a step outside that depends on the body',
      'steps: [{id: a, foreach: {items: [], steps: [{id: b, run: x}]}}, {run: x, depends: b}]',
      'depends on non-existent step b',
    ],
    [
      'a name of a step outside',
      'steps: [{id: a, run: x}, {id: b, foreach: {items: [], steps: [{id: a, run: x}]}}]',
      'step "a" has the name of a step outside of its foreach',
    ],
    [
      'what is wrong in the body',
      each('items: [], steps: [{run: x, timeout_sec: -1}]'),
      "field 'steps[0].foreach.steps[0].timeout_sec'",
    ],
  ]);
});

describe('1.4 dag.run', () => {
  const child = `---\nname: child\nparams: [{name: N, type: integer, required: true}, {name: M, default: x}]\nsteps: [{run: x, output: OUT}]\n`;
  const calls = (input: string) =>
    `steps: [{id: a, action: dag.run, with: {dag: child, ${input}}}, {run: "echo \${steps.a.outputs.OUT}", depends: a}]\n${child}`;
  gives([
    [
      'a map of parameters',
      calls('params: {N: 1}'),
      { steps: [{ with: { params: { N: '1' } }, outputNames: ['OUT'] }, {}] },
    ],
    ['a list', calls('params: [N=1]'), {}],
    ['a text', calls('params: "N=1 M=y"'), {}],
    ['a value that is known later', calls('params: {N: "${params.X}"}').replace(/^/, 'params: {X: 1}\n'), {}],
    [
      'a workflow of the folder',
      one('action: dag.run, with: {dag: elsewhere, params: {A: 1}}'),
      first({ hasOtherOutputs: true }),
    ],
  ]);
  refuses([
    [
      'a parameter that is missing',
      calls('params: {M: 1}'),
      'with.params does not fit workflow "child": parameter "N" is required',
    ],
    ['a parameter of another type', calls('params: {N: x}'), 'parameter "N": cannot coerce "x" to integer'],
    [
      'an unknown parameter',
      calls('params: {N: 1, O: 2}'),
      'unknown parameter "O" (parameters of this workflow: N, M)',
    ],
  ]);
});

describe('1.5 references', () => {
  const warned = (rows: [string, string, string][]) =>
    it.each(rows)('%s', (_, text, message) => {
      const { problems, warnings } = load(text);
      expect(told(problems)).toBe('');
      expect(told(warnings)).toContain(message);
    });
  refuses([
    [
      'an unknown parameter',
      one('run: "echo ${params.X}"'),
      "field 'steps[0].run': ${params.X} names no parameter of this workflow",
    ],
    ['an unknown constant', one('run: "echo ${consts.X}"'), '${consts.X} names no constant of this workflow'],
  ]);
  warned([
    ['an unknown step', one('run: "echo ${steps.b.outputs.x}"'), '${steps.b.outputs.x} names no step id'],
    ['its own output', one('run: "echo ${steps.a.outputs.O}", output: O'), 'is an output of the step itself'],
    [
      'an unknown output',
      'steps: [{id: a, run: x, output: O}, {run: "echo ${steps.a.outputs.b}", depends: a}]',
      'names no output of step "a" (there is: O)',
    ],
    [
      'a missing dependency',
      'steps: [{id: a, run: x, output: O}, {run: "echo ${steps.a.outputs.O}"}]',
      'needs "depends: a"',
    ],
  ]);
  gives([
    [
      'a dependency through others',
      'steps: [{id: a, run: x, output: O}, {id: b, run: x, depends: a}, {run: "echo ${steps.a.outputs.O}", depends: b}]',
      {},
    ],
    ['an escape', one("run: 'echo \\${params.X}'"), {}],
    ['what is no reference', one('run: "echo ${steps.a} ${HOME} ${params.a.b}"'), {}],
    ['an escaped constant', root("consts: [{A: '\\${consts.B}'}]"), { consts: { A: '${consts.B}' } }],
  ]);
  it('what shows only in a run is kept apart', () => {
    const { warnings, unresolved } = load(one('run: "echo ${env.SOMETHING}"'));
    expect(warnings).toEqual([]);
    expect(told(unresolved)).toContain('${env.SOMETHING}');
  });
});

describe('1.6 how problems are told', () => {
  it('all at once, from top to bottom', () => {
    const { problems } = load(
      'timeout_sec: -1\nbogus: 1\nsteps:\n  - {run: {}}\n  - {id: a, run: x, timeout_sec: y}\n  - {id: a, run: x, depends: z}\n',
    );
    expect(problems.map(({ line }) => line)).toEqual([1, 2, 4, 5, 6, 6]);
  });
  it('in every document', () => {
    const { problems } = load('steps: [{run: {}}]\n---\nname: a b\nsteps: [{run: {}}]\n');
    expect(problems.map(({ line }) => line)).toEqual([1, 3, 4]);
  });
  it('in a body beside what is wrong with its loop', () => {
    const { problems } = load(
      'steps:\n  - foreach:\n      items: []\n      other: 1\n      steps:\n        - {run: {}}\n',
    );
    expect(problems.map(({ line }) => line)).toEqual([4, 6]);
  });
  it('nothing of what follows from another', () => {
    expect(told(load('params: {a-b: 1}\nsteps: [{run: "echo ${params.X}"}]').problems)).not.toContain(
      'names no parameter',
    );
    expect(told(load('steps: [{id: 5, run: x}, {run: x, depends: "5"}]').problems)).not.toContain('non-existent');
  });
  it('fifty, and how many more', () => {
    const { problems } = load(`steps:\n${'  - {run: 5}\n'.repeat(60)}`);
    expect(problems).toHaveLength(51);
    expect(problems.at(-1)?.message).toBe('and 10 more problems');
  });
});
