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

  it('may have any name, of which the workflow keeps what is allowed', () => {
    const { workflow } = loadWorkflow(step, 'C:\\flows\\Post invoices (2).yml', { strictStream: true });
    expect(workflow?.name).toBe('Post-invoices-2-');
  });

  it('has local workflows that know each other', () => {
    const { workflow } = validate(`${step}---\nname: a\n${step}---\nname: b\n${step}`);
    expect(workflow?.locals.map(({ name }) => name)).toEqual(['a', 'b']);
    expect(workflow?.locals[0]?.locals).toBe(workflow?.locals);
  });

  it('gives the body of a loop what is around it', () => {
    const { workflow } = validate(`
env: {A: 1}
steps:
  - id: each
    foreach:
      items: [1]
      steps: [{action: computer.run, with: {ai: never, do: [{wait: 1s}]}}]
`);
    const body = workflow?.steps[0]?.foreach?.body;
    expect(body).toMatchObject({ env: [['A', '1']], artifacts: { enabled: true } });
    expect(body?.locals).toBe(workflow?.locals);
  });
});

describe('values that YAML would change', () => {
  it('stay as they are written where they are texts', () => {
    const { workflow, problems } = validate(
      `params: {ACCOUNT: 12345678901234567890, PHONE: 0612345678, VER: 1.10, HEX: 0x1F, ON: true, INF: .inf}
env: {ZIP: 01234}
consts: [{RATE: 1.50}]
steps:
  - run: echo \${consts.RATE}
    env: [{BIG: 99999999999999999999}]
  - [{run: x, env: {ZIP: 01234}}]
  - id: each
    foreach: {items: [1.10], steps: [{run: x, env: {ZIP: 01234}}]}
  - {id: call, action: dag.run, with: {dag: other, params: {ZIP: 01234}}}
handler_on: {exit: {run: x, env: {ZIP: 01234}}}
`,
    );
    expect(problems).toEqual([]);
    expect(workflow?.params.map((param) => param.default)).toEqual([
      '12345678901234567890',
      '0612345678',
      '1.10',
      '0x1F',
      'true',
      '.inf',
    ]);
    expect(workflow?.env).toEqual([['ZIP', '01234']]);
    expect(workflow?.consts).toEqual({ RATE: '1.50' });
    expect(workflow?.steps[0]?.env).toEqual([['BIG', '99999999999999999999']]);
    expect(workflow?.steps[1]?.env).toEqual([['ZIP', '01234']]);
    expect(workflow?.steps[2]?.foreach).toMatchObject({ items: [1.1], body: { steps: [{ env: [['ZIP', '01234']] }] } });
    expect(workflow?.steps[3]?.with).toEqual({ dag: 'other', params: { ZIP: '01234' } });
    expect(workflow?.handlers.exit?.env).toEqual([['ZIP', '01234']]);
  });

  it('stay so where an alias brings them', () => {
    const { workflow } = validate('max_active_steps: &n 007\nenv: {A: *n}\nsteps: [{run: x}]\n');
    expect(workflow).toMatchObject({ maxActiveSteps: 7, env: [['A', '007']] });
  });

  it('come from the anchor before the alias, also where they are read again', () => {
    const { workflow, problems } = validate(`
steps:
  - id: a
    action: dag.run
    with: &w {dag: other, params: &p {X: &x 1}}
  - {id: b, action: dag.run, with: {dag: other, params: {X: &x 2, Y: *x}}}
  - {id: c, run: x, env: *p, timeout_sec: *x}
  - {id: d, action: dag.run, with: *w, timeout_sec: *x}
`);
    expect(problems).toEqual([]);
    expect(workflow?.steps.slice(1)).toMatchObject([
      { with: { params: { X: '2', Y: '2' } } },
      { env: [['X', '1']], timeoutSec: 2 },
      { with: { params: { X: '1' } }, timeoutSec: 2 },
    ]);
  });

  it('merge where a merge key says so', () => {
    const { workflow, problems } = validate('steps:\n  - &a {id: a, run: echo, timeout_sec: 5}\n  - {<<: *a, id: b}\n');
    expect(problems).toEqual([]);
    expect(workflow?.steps[1]).toMatchObject({ key: 'b', run: ['echo'], timeoutSec: 5 });
  });

  it('named as what every object has are ordinary ones', () => {
    const { workflow, problems } = validate(`env: {__proto__: x, constructor: y}\n${step}`);
    expect(problems).toEqual([]);
    expect(workflow?.env).toEqual([
      ['__proto__', 'x'],
      ['constructor', 'y'],
    ]);
  });
});

describe('YAML that says nothing sensible', () => {
  it.each([
    ['a syntax error', 'steps: [\n', '2: '],
    ['an unknown tag', 'steps:\n  - run: !!js/function "x"\n', '2: Unresolved tag'],
    ['an alias without its anchor', 'steps:\n  - run: a\n  - run: *nothing\n', '3: alias *nothing has no anchor'],
    ['an alias before its anchor', 'env: *e\nsteps: &e [{run: x}]\n', '1: alias *e has no anchor'],
    ['an alias in itself', 'steps: &s [*s]\n', '1: alias *s stands inside of what it names'],
    ['a key that is a list', '[a, b]: c\nsteps: [{run: x}]\n', '1: a key must be a text'],
    ['a merge of a text', 'steps:\n  - <<: x\n    run: y\n', '2: a merge key << takes a map'],
  ])('%s', (_, text, message) => {
    expect(messages(text).join('\n')).toContain(message);
  });

  it('aliases that unfold without end', () => {
    const names = [...'bcdefghijk'];
    const lines = names.map((name, at) => `${name}: &${name} [${`*${'abcdefghij'[at]}, `.repeat(9)}x]`);
    expect(messages(`a: &a [x, x]\n${lines.join('\n')}\n${step}`).join()).toContain('aliases unfold to more than');
  });

  it('an anchor may be used as often as there are steps', () => {
    const steps = '  - {run: x, retry_policy: *r}\n'.repeat(2000);
    expect(messages(`steps:\n  - {run: x, retry_policy: &r {limit: 1, interval_sec: 1}}\n${steps}`)).toEqual([]);
  });
});

describe('a file of unusual size', () => {
  it('with 10,000 steps that refer to each other loads', () => {
    const steps = Array.from(
      { length: 10_000 },
      (_, at) =>
        `  - {id: s${at}, run: "echo ${at === 0 ? '' : `\${steps.s${at - 1}.outputs.O} \${steps.s0.outputs.O}`}", output: O}\n`,
    );
    const { workflow, problems, warnings } = validate(`type: chain\nsteps:\n${steps.join('')}`);
    expect([problems, warnings]).toEqual([[], []]);
    expect(workflow?.steps).toHaveLength(10_000);
  }, 60_000);

  it('with two groups of thousands in a chain loads', () => {
    const group = (name: string) =>
      `  -\n${Array.from({ length: 4000 }, (_, at) => `    - {id: ${name}${at}, run: x}\n`).join('')}`;
    const { workflow, problems } = validate(`type: chain\nsteps:\n${group('a')}${group('b')}`);
    expect(problems).toEqual([]);
    expect(workflow?.steps[4000]?.depends).toHaveLength(4000);
  }, 60_000);

  // What does not end in an error early takes minutes, or all memory.
  it.each([
    ['steps', `steps:\n${'- {run: x}\n'.repeat(300_000)}`, 'the file has more than 10000 steps'],
    ['steps in groups', `steps:\n${`-\n${'  - {run: x}\n'.repeat(101)}`.repeat(100)}`, 'more than 10000 steps'],
    [
      'steps of local workflows',
      `${step}---\nname: a\nsteps:\n${'- {run: x}\n'.repeat(10_000)}`,
      'more than 10000 steps',
    ],
    ['lists in lists', `x: ${'['.repeat(1_000_000)}`, 'nested too deeply'],
    ['maps in maps', `x: ${'{a: '.repeat(1_000_000)}`, 'nested too deeply'],
    ['dashes', '- '.repeat(1_000_000), 'nested too deeply'],
    ['documents', '---\n'.repeat(100_000), 'more than 1000 documents'],
    ['errors', '}\n'.repeat(100_000), 'Unexpected flow-map-end'],
  ])(
    'with too many %s is refused',
    (_, text, message) => {
      expect(messages(text).join()).toContain(message);
    },
    60_000,
  );

  it('with thousands of wrong values is refused', () => {
    expect(messages(`env:\n${'  - {a b: c}\n'.repeat(5000)}${step}`).at(-1)).toBe('-: and 4950 more problems');
    const keys = Array.from({ length: 5000 }, (_, at) => `k${at}: 1\n`).join('');
    expect(messages(`${keys}${step}`).at(-1)).toBe('-: and 4950 more problems');
  }, 60_000);
});
