import { rmSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RunTest, statuses, stepOf } from './run-testing.ts';

let test: RunTest;
beforeEach(() => {
  test = new RunTest();
});
afterEach(() => test.close());

const note = (text: string) => `echo ${text} >> ${test.path('ran')}`;
const ran = () => test.lines('ran');

describe('foreach', () => {
  it('runs its body for each item of a list, each as a run under the step', async () => {
    const detail = await test.start(`
params: {CITY: Lyon}
env: [{GREETING: Hello}]
steps:
  - id: loop
    foreach:
      items: [{n: 1, who: {first: "it's"}}, {n: 2, who: x}]
      as: one
      key: item-\${foreach.one.n}
      steps:
        - {id: a, run: 'echo "$GREETING $CITY \${foreach.one.n} \${foreach.one.who} \${foreach.index} \${foreach.key}" | tee -a ${test.path('ran')}', output: SAID}
        - {id: b, depends: a, run: '[ -n "$SAID" ]'}
      collect: {said: "<\${steps.a.outputs.SAID}>", key: "\${foreach.key}"}
    output: ALL
  - {id: after, depends: loop, run: 'echo "\${steps.loop.outputs.said}" >> ${test.path('after')}; echo "$ALL" >> ${test.path('all')}'}
`);
    expect(detail.run.status).toBe('succeeded');
    const said = [`Hello Lyon 1 {"first":"it's"} 0 item-1`, 'Hello Lyon 2 x 1 item-2'];
    expect(ran().sort()).toEqual(said);
    expect(detail.children.map(({ parent, status }) => [parent?.item, status]).sort()).toEqual([
      ['item-1', 'succeeded'],
      ['item-2', 'succeeded'],
    ]);
    expect(JSON.parse(test.lines('after')[0] as string)).toEqual(said.map((text) => `<${text}>`));
    expect(JSON.parse(test.lines('all')[0] as string)).toEqual({
      summary: { total: 2, succeeded: 2, failed: 0 },
      items: said.map((text, index) => ({
        index,
        key: `item-${index + 1}`,
        status: 'succeeded',
        outputs: { said: `<${text}>`, key: `item-${index + 1}` },
      })),
      outputs: said.map((text, index) => ({ said: `<${text}>`, key: `item-${index + 1}` })),
    });
  });

  it('takes the list from an output, and lets the body see the steps before it', async () => {
    const detail = await test.start(`
steps:
  - {id: list, run: "echo '[\\"a b\\",\\"c\\"]'", output: LIST}
  - id: loop
    depends: list
    working_dir: .
    foreach:
      items: \${steps.list.outputs.LIST}
      steps: [{id: a, run: 'echo "\${foreach.item}|\${steps.list.outputs.LIST}|$LIST" >> ran'}]
`);
    expect(detail.run.status).toBe('succeeded');
    expect(ran().sort()).toEqual(['a b|["a b","c"]|["a b","c"]', 'c|["a b","c"]|["a b","c"]']);
  });

  it('succeeds without items', async () => {
    const detail = await test.start(
      `steps: [{id: loop, foreach: {items: [], steps: [{id: a, run: "${note('a')}"}]}}]\n`,
    );
    expect(detail.run.status).toBe('succeeded');
    expect(ran()).toEqual([]);
    expect(JSON.parse(test.printed('loop', detail))).toMatchObject({ summary: { total: 0 } });
  });

  it('refuses what is no list, and keys that are not one an item', async () => {
    const detail = await test.start(`
env: [{ITEMS: "a,b"}]
steps:
  - {id: text, foreach: {items: $ITEMS, steps: [{id: a, run: "${note('a')}"}]}}
  - {id: twice, foreach: {items: [x, x], key: "\${foreach.item}", steps: [{id: b, run: "${note('b')}"}]}}
  - {id: empty, foreach: {items: [" "], key: "\${foreach.item}", steps: [{id: c, run: "${note('c')}"}]}}
`);
    expect(detail.steps.map(({ error }) => error)).toEqual([
      'foreach.items must be a JSON list, and is "a,b"',
      'foreach.key is "x" for the items 0 and 1; each item needs a key of its own',
      'foreach.key is empty for item 0; each item needs a key of its own',
    ]);
    expect(ran()).toEqual([]);
  });

  it('fails after the rest has ended, and on retry runs only what did not succeed', async () => {
    test.write('broken', '');
    const text = `
steps:
  - id: loop
    foreach:
      items: [1, 2, 3]
      max_concurrent: 1
      steps:
        - {id: a, run: "${note('a${foreach.item}')}"}
        - {id: b, depends: a, run: "${note('b${foreach.item}')}; test \${foreach.item} -ne 2 -o ! -e ${test.path('broken')}; echo out\${foreach.item}", output: OUT}
      collect: {outs: "\${steps.b.outputs.OUT}"}
`.replace('; echo out', ' && echo out');
    const first = await test.start(text);
    expect(first.run.status).toBe('failed');
    expect(ran()).toEqual(['a1', 'b1', 'a2', 'b2', 'a3', 'b3']);
    expect(stepOf(first, 'loop').error).toBe(
      '1 of 3 items failed; the first one, "1": step "b" failed: the command ended with exit code 1',
    );
    rmSync(test.path('broken'));
    rmSync(test.path('ran'));
    const second = await test.retry();
    expect(second.run.status).toBe('succeeded');
    expect(ran()).toEqual(['b2']);
    expect(stepOf(second, 'loop').outputs).toEqual({ outs: ['out1', 'out2', 'out3'] });
  });

  it('runs as many bodies at once as may be', async () => {
    await test.start(`
steps:
  - id: loop
    foreach:
      items: [1, 2, 3, 4, 5, 6]
      max_concurrent: 2
      steps: [{id: a, run: "${note('+')}; sleep 0.1; ${note('-')}"}]
`);
    let active = 0;
    let most = 0;
    for (const line of ran()) {
      active += line === '+' ? 1 : -1;
      most = Math.max(most, active);
    }
    expect([ran().length, most]).toEqual([12, 2]);
  });

  it('fails the item whose collected value is not there', async () => {
    const detail = await test.start(`
steps:
  - id: loop
    foreach:
      items: [1]
      steps: [{id: a, run: "true", output: OUT, preconditions: ["false"]}]
      collect: {out: "\${steps.a.outputs.OUT}"}
`);
    expect(stepOf(detail, 'loop').error).toContain('foreach.collect.out: ${steps.a.outputs.OUT} has no value');
    expect(test.child('loop', '0').status).toBe('failed');
  });

  it('nests, and runs workflows for each item', async () => {
    const detail = await test.start(`
steps:
  - id: outer
    foreach:
      items: [1, 2]
      as: o
      steps:
        - id: inner
          foreach:
            items: ["a", "b"]
            as: i
            steps: [{id: call, action: dag.run, with: {dag: child, params: {V: "\${foreach.o}\${foreach.i}"}}}]
---
name: child
params: {V: x}
steps: [{id: a, run: "${note('$V')}"}]
`);
    expect(detail.run.status).toBe('succeeded');
    expect(ran().sort()).toEqual(['1a', '1b', '2a', '2b']);
  });

  it('begins no more items when it is stopped, or its time is up', async () => {
    const detail = await test.start(`
steps:
  - id: loop
    timeout_sec: 1
    foreach: {items: [1, 2, 3], max_concurrent: 1, steps: [{id: a, run: "${note('a')}; sleep 600"}]}
`);
    expect(stepOf(detail, 'loop').error).toBe('the step did not finish within its timeout_sec of 1 s');
    expect(ran()).toEqual(['a']);
    expect(detail.children.map(({ status }) => status)).toEqual(['aborted']);
  });

  it('waits for the items that wait, and goes on with those that were answered', async () => {
    const text = `
steps:
  - id: loop
    preconditions: ["test ! -e ${test.path('begun')}"]
    foreach:
      items: [1, 2, 3]
      key: k\${foreach.item}
      steps:
        - {id: a, run: "${note('a${foreach.item}')}; touch ${test.path('begun')}; test \${foreach.item} -ne 3", approval: {}}
        - {id: b, depends: a, run: "${note('b${foreach.item}')}"}
handler_on: {exit: {run: "true"}}
`;
    const first = await test.start(text);
    expect(statuses(first)).toMatchObject({ loop: 'waiting' });
    expect(ran().sort()).toEqual(['a1', 'a2', 'a3']);
    rmSync(test.path('ran'));
    const approve = (item: string) =>
      test.store((store) =>
        store.addAnswer(test.child('loop', item).runId, { step: 'a', kind: 'approve', inputs: {} }),
      );
    approve('k2');
    expect((await test.execute({ mode: 'resume' })).status).toBe('waiting');
    // The one that failed is not run again by an answer to another.
    expect(ran()).toEqual(['b2']);
    approve('k1');
    expect((await test.execute({ mode: 'resume' })).status).toBe('failed');
    expect(ran()).toEqual(['b2', 'b1']);
    expect(stepOf(test.look(), 'loop').error).toContain('1 of 3 items failed');
  });
});
