import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { Masker } from '../../core/masking/masker.ts';
import { Network } from '../../core/net/network.ts';
import { TestStore } from '../../core/store/testing.ts';
import { RunContext } from './run-context.ts';
import { makeStep, makeWorkflow, noDesktop } from './testing.ts';
import { RunValues } from './values.ts';

let test: TestStore;
beforeEach(() => {
  test = new TestStore();
  test.hold('r1');
  test.create('r1');
});
afterEach(() => test.close());

async function open(sequences?: ReadonlyMap<string, number>): Promise<RunContext> {
  const workflow = makeWorkflow(test.home);
  const { store } = test;
  const logs = join(store.paths.runs, 'invoices', 'r1', 'logs');
  return new RunContext({
    request: { runId: 'r1' },
    workflow,
    values: await RunValues.open({ workflow, params: {}, ownNames: {} }),
    folders: { logs, artifacts: join(logs, '../artifacts'), work: join(logs, '../work') },
    session: noDesktop,
    network: new Network({}, () => {}),
    store,
    masker: new Masker([{ name: 'KEY', value: 'open-sesame' }]),
    changed: () => {},
    ...(sequences !== undefined && { sequences }),
  });
}

it('numbers the events of a step, on from those of an earlier process, and masks them', async () => {
  const event = { type: 'lifecycle' as const, status: 'running' as const, content: 'with open-sesame' };
  (await open()).addEvent('read', event);
  (await open(test.store.stateOf('r1')?.sequences)).addEvent('read', event);
  const events = test.seen((other) => other.getRun('r1')?.events);
  expect(events?.map(({ sequence, id, content }) => [sequence, id, content])).toEqual([
    [1, 'computer-1-1', 'with *******'],
    [2, 'computer-1-2', 'with *******'],
  ]);
});

it('keeps conversations of steps, masked', async () => {
  const read = makeStep({ id: 'read' });
  const run = await open();
  run.conversationsFor(read).save([{ role: 'user', content: 'the key is open-sesame' }]);
  run.flush();
  const post = (await open()).conversationsFor(makeStep({ id: 'post' }));
  expect(post.of('read')).toEqual([{ role: 'user', content: 'the key is *******' }]);
  expect(post.of('post')).toBeUndefined();
});

it('masks the secrets of runs under it, and knows them in what is kept', async () => {
  const run = await open();
  run.adoptSecrets([{ name: 'call/PIN', value: 'four-five' }]);
  run.changeStep('read', { status: 'succeeded', outputs: { both: 'four-five and open-sesame' } });
  run.flush();
  expect(test.seen((other) => other.getRun('r1')?.steps[0]?.outputs)).toEqual({ both: '******* and *******' });
  const sealed = test.store.stateOf('r1')?.steps[0]?.outputs ?? {};
  expect(run.unseal(sealed)).toEqual({ both: 'four-five and *******' });
});
