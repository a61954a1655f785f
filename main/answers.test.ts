import { expect, it } from 'vitest';
import type { apiProtocol } from '../core/contract/api.ts';
import { CallError, type Handlers } from '../core/contract/protocol.ts';
import { makeAnswers } from './answers.ts';

const seen: unknown[] = [];
const handlers = {
  listWorkflows: () => ({ folder: '/flows', workflows: [] }),
  startRun: (params: unknown) => {
    seen.push(params);
    return { runId: 'run-1' };
  },
  stopRun: () => {
    throw new CallError('not_found', 'there is no run');
  },
  listRuns: () => {
    throw new Error('the disk is full');
  },
  getRun: () => {
    throw new CallError('not_found', 'there is no run');
  },
} as Partial<Handlers<typeof apiProtocol>> as Handlers<typeof apiProtocol>;
const answers = makeAnswers(handlers);

it('answers with the value of the handler', async () => {
  expect(await answers.startRun({ path: '/flows/a.yaml' })).toEqual({ ok: true, value: { runId: 'run-1' } });
  expect(seen.splice(0)).toEqual([{ path: '/flows/a.yaml' }]);
});

it.each([undefined, null, {}, { path: 3 }, { path: '/flows/a.yaml', params: { A: 1 } }, ['/flows/a.yaml']])(
  'gives no handler %j',
  async (given) => {
    expect(await answers.startRun(given)).toMatchObject({ ok: false, failure: { code: 'invalid' } });
    expect(seen).toEqual([]);
  },
);

it('answers with the code and the words of a failure, never its stack', async () => {
  expect(await answers.stopRun({ runId: 'a' })).toEqual({
    ok: false,
    failure: { code: 'not_found', message: 'there is no run' },
  });
  expect(await answers.listRuns({ limit: 1 })).toEqual({
    ok: false,
    failure: { code: 'failed', message: 'the disk is full' },
  });
});
