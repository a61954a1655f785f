import { describe, expect, it } from 'vitest';
import { loadWorkflow } from './load.ts';

const validate = (text: string) => loadWorkflow(text, '/flows/invoices.yaml', { strictStream: true });
const messages = (text: string) => validate(text).problems.map(({ message, line }) => `${line ?? '-'}: ${message}`);
const step = 'steps:\n  - run: echo hi\n';

describe('a workflow file', () => {
  it('becomes a workflow named by its file', () => {
    const { workflow, problems } = validate(`
params: {CITY: Paris, NIGHTS: null}
env: {GREETING: "hello"}
secrets:
  - {name: TOKEN, provider: env, key: MY_TOKEN}
steps:
  - id: read
    run: echo "$CITY"
    output: TEXT
  - id: use
    depends: read
    run: [echo one, "echo \${steps.read.outputs.TEXT}"]
handler_on:
  exit: {run: echo bye}
`);
    expect(problems).toEqual([]);
    expect(workflow).toMatchObject({
      name: 'invoices',
      type: 'graph',
      params: [
        { name: 'CITY', default: 'Paris', required: false },
        { name: 'NIGHTS', required: true },
      ],
      env: [['GREETING', 'hello']],
      secrets: [{ name: 'TOKEN', provider: 'env', key: 'MY_TOKEN' }],
      artifacts: { enabled: false },
    });
    expect(workflow?.steps.map(({ key, run, depends }) => ({ key, run, depends }))).toEqual([
      { key: 'read', run: ['echo "$CITY"'], depends: [] },
      { key: 'use', run: ['echo one', 'echo ${steps.read.outputs.TEXT}'], depends: ['read'] },
    ]);
    expect(workflow?.handlers.exit?.run).toEqual(['echo bye']);
  });

  it('reads parameters in each of their forms', () => {
    const params = (text: string) => validate(`params: ${text}\n${step}`).workflow?.params;
    expect(params('A B=2')).toEqual([
      { name: 'A', required: true },
      { name: 'B', default: '2', required: false },
    ]);
    expect(params('[A, {B: 2}, {name: C, default: true, description: d}, {name: D, required: true}]')).toEqual([
      { name: 'A', required: true },
      { name: 'B', default: '2', required: false },
      { name: 'C', default: 'true', description: 'd', required: false },
      { name: 'D', required: true },
    ]);
  });

  it('runs a chain one after another', () => {
    const { workflow } = validate('type: chain\nsteps:\n  - {id: a, run: "true"}\n  - {id: b, run: "true"}\n');
    expect(workflow?.steps[1]?.depends).toEqual(['a']);
  });

  it('warns of old syntax and runs it', () => {
    const { workflow, warnings } = validate('steps:\n  - command: echo hi\n');
    expect(workflow?.steps[0]?.run).toEqual(['echo hi']);
    expect(warnings[0]).toMatchObject({
      message: expect.stringContaining('steps[0].command is deprecated; use run'),
      line: 2,
    });
  });
});

describe('what a stream must hold', () => {
  it.each([
    ['', 'yaml stream must contain at least one DAG document'],
    [`---\n---\nname: child\n${step}`, 'entrypoint document must not be empty'],
    [`name: main\n${step}`, 'entrypoint document must not define name'],
    [`${step}---\n${step}`, 'document 2 must define name'],
    [`${step}---\n`, 'document 2 must not be empty'],
    [`${step}---\nname: ''\n${step}`, 'document 2 name must be a non-empty string'],
    [`${step}---\nname: child\n${step}---\nname: child\n${step}`, 'DAG document name "child" must be unique'],
    ['description: x\n', 'entrypoint document must define steps'],
    ['steps: {}\n', 'entrypoint document steps must be a non-empty sequence'],
    ['- a\n', 'entrypoint document must be a mapping'],
  ])('%j', (text, message) => {
    expect(messages(text).join('\n')).toContain(message);
  });

  it('takes a name in the first document at a start', () => {
    const { workflow } = loadWorkflow(`name: main\n${step}`, '/flows/invoices.yaml', { strictStream: false });
    expect(workflow?.name).toBe('main');
  });
});

describe('what is refused, with its line and field', () => {
  it.each<[string, string, string]>([
    ['a syntax error', 'steps: [\n', '2: '],
    ['a doubled key', `env: {A: 1}\nenv: {B: 2}\n${step}`, '2: mapping key "env" already defined'],
    ['an unknown root key', `stepz: 1\n${step}`, '1: invalid keys: "stepz"'],
    [
      'an unknown step key',
      'steps:\n  - run: x\n    comand: y\n',
      '2: field \'steps[0]\': must not have the key "comand"',
    ],
    [
      'a key of Dagu that does not run here',
      `schedule: "* * * * *"\n${step}`,
      '1: field \'schedule\': "schedule" is a key of Dagu',
    ],
    [
      'a wrong type',
      'steps:\n  - run: {a: 1}\n',
      "2: field 'steps[0].run': run must be a command, or a list of commands",
    ],
    ['an unknown graph type', `type: tree\n${step}`, '1: invalid type: tree'],
    ['a negative time', `timeout_sec: -1\n${step}`, "1: field 'timeout_sec': timeout_sec must be >= 0 (value: -1)"],
    ['a step with nothing to do', 'steps:\n  - id: a\n', '2: steps[0] must have run or action'],
    [
      'run beside action',
      'steps:\n  - run: x\n    action: chat.completion\n',
      '2: run cannot be used together with action',
    ],
    ['an unknown action', 'steps:\n  - action: mail.send\n', '2: unknown action "mail.send"'],
    ['an id with a dash', 'steps:\n  - id: a-b\n    run: x\n', '2: invalid step ID format'],
    ['a reserved id', 'steps:\n  - id: Env\n    run: x\n', "2: step ID 'Env' is a reserved word"],
    ['a doubled id', 'steps:\n  - {id: a, run: x}\n  - {id: a, run: y}\n', '3: duplicate step ID: a'],
    ['a missing dependency', 'steps:\n  - {id: a, run: x, depends: b}\n', '2: step a depends on non-existent step b'],
    [
      'a circle',
      'steps:\n  - {id: a, run: x, depends: b}\n  - {id: b, run: x, depends: a}\n',
      '2: steps depend on each other in a circle: a, b',
    ],
    [
      'depends in a chain',
      'type: chain\nsteps:\n  - {id: a, run: x, depends: []}\n',
      "3: step 'a': depends field is not allowed",
    ],
    [
      'an unknown parameter',
      'steps:\n  - run: echo ${params.X}\n',
      "2: field 'steps[0].run': ${params.X} names no parameter",
    ],
    ['an unknown step', 'steps:\n  - run: echo ${steps.a.outputs.b}\n', 'names no step id'],
    [
      'an unknown output',
      'steps:\n  - {id: a, run: x, output: OUT}\n  - run: echo ${steps.a.outputs.b}\n    depends: a\n',
      'names no output of step "a" (there is: OUT)',
    ],
    [
      'a missing depends',
      'steps:\n  - {id: a, run: x, output: OUT}\n  - run: echo ${steps.a.outputs.OUT}\n',
      'needs "depends: a"',
    ],
    [
      'its own output',
      'steps:\n  - {id: a, run: "echo ${steps.a.outputs.OUT}", output: OUT}\n',
      'is an output of the step itself',
    ],
    [
      'a secret from nowhere',
      `secrets:\n  - {name: A, provider: moon, key: K}\n${step}`,
      '2: secret "A": provider "moon" is not supported; use env',
    ],
    ['another shell', 'steps:\n  - run: dir\n    shell: cmd\n', 'shell "cmd" is not supported'],
    [
      'a temperature',
      `llm: {provider: local, model: m, temperature: 3}\n${step}`,
      "field 'llm.temperature': temperature must be between 0.0 and 2.0 (value: 3)",
    ],
    [
      'an address',
      `llm: {provider: local, model: m, base_url: notaurl}\n${step}`,
      'base_url "notaurl" must be an address that starts with http:// or https://',
    ],
    ['a provider', `llm: {provider: oracle, model: m}\n${step}`, 'invalid provider: oracle'],
    ['an alias without its anchor', 'steps:\n  - run: *nothing\n', 'nothing'],
  ])('%s', (_, text, message) => {
    const { workflow } = validate(text);
    expect(workflow).toBeUndefined();
    expect(messages(text).join('\n')).toContain(message);
  });

  it('names every problem, not the first alone', () => {
    expect(messages('timeout_sec: -1\nsteps:\n  - {run: {}}\n  - {run: x, timeout_sec: y}\n')).toHaveLength(3);
  });

  it('does not unfold aliases without end', () => {
    const bomb = `a: &a [x, x]\n${[...'bcdefghijk'].map((name, at) => `${name}: &${name} [${`*${'abcdefghij'[at]}, `.repeat(9)}x]`).join('\n')}\n${step}`;
    expect(messages(bomb).join()).toContain('alias');
  });
});

describe('values that YAML would change', () => {
  it('stay as they are written where they are texts', () => {
    const { workflow } = validate(
      `params: {ACCOUNT: 12345678901234567890, PHONE: 0612345678, VER: 1.10, HEX: 0x1F, ON: true}
env: {ZIP: 01234}
consts: [{RATE: 1.50}]
steps:
  - run: echo \${consts.RATE}
    env: [{BIG: 99999999999999999999}]
`,
    );
    expect(workflow?.params.map((param) => param.default)).toEqual([
      '12345678901234567890',
      '0612345678',
      '1.10',
      '0x1F',
      'true',
    ]);
    expect(workflow?.env).toEqual([['ZIP', '01234']]);
    expect(workflow?.consts).toEqual({ RATE: '1.50' });
    expect(workflow?.steps[0]?.env).toEqual([['BIG', '99999999999999999999']]);
  });

  it('merge where a merge key says so', () => {
    const { workflow, problems } = validate('steps:\n  - &a {id: a, run: echo, timeout_sec: 5}\n  - {<<: *a, id: b}\n');
    expect(problems).toEqual([]);
    expect(workflow?.steps[1]).toMatchObject({ key: 'b', run: ['echo'], timeoutSec: 5 });
  });

  it('of an unknown tag are refused', () => {
    expect(messages('steps:\n  - run: !!js/function "x"\n').join()).toContain('Unresolved tag');
  });
});

describe('a file of unusual size', () => {
  it('with 10,000 steps that refer to each other loads', () => {
    const steps = Array.from(
      { length: 10_000 },
      (_, at) => `  - {id: s${at}, run: "echo ${at === 0 ? '' : `\${steps.s${at - 1}.outputs.O}`}", output: O}\n`,
    );
    const { workflow, problems } = validate(`type: chain\nsteps:\n${steps.join('')}`);
    expect(problems).toEqual([]);
    expect(workflow?.steps).toHaveLength(10_000);
  });

  it('nested too deeply is refused', () => {
    expect(messages(`x: ${'['.repeat(20_000)}`).join()).toMatch(/nested too deeply|Flow sequence/);
  });
});
