import { describe, expect, it } from 'vitest';
import { loadWorkflow } from './load.ts';
import { findNotices, type Notice } from './notices.ts';

/** The notices of a workflow, by field and reason; those of the given class. */
function notices(text: string, of: Notice['class'] = 'defect'): string[] {
  const { workflow, problems } = loadWorkflow(text, '/w/case.yaml', { strictStream: false });
  expect(problems).toEqual([]);
  if (workflow === undefined) throw new Error('no workflow');
  return findNotices(workflow)
    .filter((notice) => notice.class === of)
    .map(({ path, source, reason }) => `${path.join('.')} ${source} ${reason}`);
}

const makes = `
  - id: a
    run: echo a=1 >> "$DAGU_OUTPUT_FILE"
    outputs: [{name: x}]`;

describe('notices of outputs', () => {
  it.each([
    ['steps.1.run', '${steps.b.outputs.x}', 'self_reference', 'depends: a'],
    ['steps.1.run', '${steps.c.outputs.x}', 'unknown_step_id', 'depends: a'],
    ['steps.1.run', '${steps.a.outputs.y}', 'unknown_output_name', 'depends: a'],
    ['steps.1.run', '${steps.a.outputs.y}', 'unknown_output_name', 'env: []'],
    ['steps.1.run', '${steps.a.outputs.x}', 'missing_dependency', 'env: []'],
  ])('%s %s %s', (path, source, reason, more) => {
    const text = `steps:${makes}\n  - {id: b, run: 'echo ${source}', ${more}}`;
    expect(notices(text)).toEqual([`${path} ${source} ${reason}`]);
  });

  it('none where a step waits for another, be it through others', () => {
    expect(
      notices(`steps:${makes}
  - {id: b, run: 'true', depends: a}
  - {id: c, run: 'echo \${steps.a.outputs.x}', depends: b, preconditions: ['test \${steps.a.outputs.x}']}`),
    ).toEqual([]);
    expect(notices(`type: chain\nsteps:${makes}\n  - {run: 'true'}\n  - {run: 'echo \${steps.a.outputs.x}'}`)).toEqual(
      [],
    );
  });

  it('none of what is escaped, or no reference', () => {
    expect(notices("steps: [{run: 'echo \\${steps.a.outputs.x} ${steps.a.stdout} ${steps.a.outputs.x.y}'}]")).toEqual(
      [],
    );
  });

  it('handlers and fields outside of steps read none, whatever else is wrong', () => {
    const text = `env: {V: '\${steps.nobody.outputs.x}'}
steps:${makes}
handler_on:
  exit: {run: 'echo \${steps.a.outputs.x}'}`;
    expect(notices(text)).toEqual([
      'env ${steps.nobody.outputs.x} namespace_unavailable',
      'handler_on.exit.run ${steps.a.outputs.x} namespace_unavailable',
    ]);
  });

  it('the names that could have been meant are told', () => {
    const { workflow } = loadWorkflow(
      "steps: [{id: a, run: 'true'}, {run: 'echo ${steps.b.outputs.x}'}]",
      '/w/x.yaml',
      {
        strictStream: false,
      },
    );
    const [notice] = workflow === undefined ? [] : findNotices(workflow);
    expect(notice?.message).toBe('${steps.b.outputs.x} names no step id (there is: a)');
  });
});

describe('notices in foreach', () => {
  const loop = (body: string, more = '') => `steps:${makes}
  - id: each
    depends: a
    foreach:
      items: [1, 2]
      as: one${more}
      steps:
        - id: inner
          run: 'echo y=1 >> "$DAGU_OUTPUT_FILE"'
          outputs: [{name: y}]
        - id: last
          depends: inner
          run: 'echo ${body}'`;

  it('a body reads its item, its own steps and those before the loop', () => {
    const body =
      '${foreach.one} ${foreach.one.name} ${foreach.index} ${foreach.key} ${steps.inner.outputs.y} ${steps.a.outputs.x}';
    expect(
      notices(loop(body, '\n      key: k-${foreach.index}\n      collect: {z: "${steps.inner.outputs.y}"}')),
    ).toEqual([]);
  });

  it.each([
    ['${foreach.item}', 'unknown_field'],
    ['${foreach.index.name}', 'unknown_field'],
    ['${steps.each.outputs.z}', 'self_reference'],
    ['${steps.inner.outputs.z}', 'unknown_output_name'],
    ['${steps.after.outputs.z}', 'unknown_step_id'],
  ])('%s in a body: %s', (source, reason) => {
    expect(notices(loop(source))).toEqual([`steps.1.foreach.steps.1.run ${source} ${reason}`]);
  });

  it('outside of a body there is no item, nor what its steps give', () => {
    const text = `${loop('x')}\n  - {run: 'echo \${foreach.one} \${steps.inner.outputs.y}', depends: each}`;
    expect(notices(text)).toEqual([
      'steps.2.run ${foreach.one} namespace_unavailable',
      'steps.2.run ${steps.inner.outputs.y} unknown_step_id',
    ]);
  });

  it('an item is named before its body runs', () => {
    expect(notices(loop('x', '\n      key: ${steps.inner.outputs.y}'))).toEqual([
      'steps.1.foreach.key ${steps.inner.outputs.y} unknown_step_id',
    ]);
  });
});

describe('notices of other values', () => {
  it('the context', () => {
    const text =
      "env: {N: '${context.step.name}'}\nsteps: [{run: 'echo ${context.run.id} ${run.id} ${context.run.number}'}]";
    expect(notices(text)).toEqual([
      'env ${context.step.name} namespace_unavailable',
      'steps.0.run ${context.run.number} unknown_field',
    ]);
  });

  it('what shows when the workflow runs', () => {
    const text = `params: [{name: p, required: true}, {name: q, default: '1'}]
env: {KNOWN: '1'}
steps:
  - id: s
    env: {OWN: '1'}
    run: 'echo \${params.p} \${params.q} \${env.KNOWN} \${env.OWN} \${env.OTHER} \${run.scheduled_at} \${step.id}'`;
    expect(notices(text)).toEqual([]);
    expect(notices(text, 'runtime')).toEqual([
      'steps.0.run ${params.p} no_value',
      'steps.0.run ${env.OTHER} no_value',
      'steps.0.run ${run.scheduled_at} no_value',
    ]);
  });

  it('ten thousand steps that read what others gave', () => {
    const steps = Array.from({ length: 10_000 }, (_, at) => ({
      at,
      reads: Math.floor(at / 2),
      depends: at === 0 ? '[]' : `s${at - 1}`,
    }));
    const text = `steps:\n${steps.map(({ at, reads, depends }) => `  - {id: s${at}, run: 'echo \${steps.s${reads}.outputs.o}', output: o, depends: ${depends}}`).join('\n')}`;
    const { workflow } = loadWorkflow(text, '/w/many.yaml', { strictStream: false });
    const started = performance.now();
    const found = workflow === undefined ? [] : findNotices(workflow);
    expect(found.map(({ reason }) => reason)).toEqual(['self_reference']);
    expect(performance.now() - started).toBeLessThan(2000);
  });
});
