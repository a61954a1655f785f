import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { OverlapPolicy } from '../core/workflow/types.ts';
import { Scheduler, type StartableWorkflow, scheduleTimer } from './scheduler.ts';
import { TestStore } from './testing.ts';

const path = '/flows/hourly.yaml';
const day = '2026-05-04T';

describe('Scheduler', () => {
  let world: TestStore;
  let now: Date;
  let workflow: StartableWorkflow;
  let stopped: string[];

  beforeEach(() => {
    world = new TestStore();
    stopped = [];
    workflow = {
      path,
      name: 'hourly',
      schedules: [{ does: 'start', cron: 'CRON_TZ=UTC 0 * * * *' }],
      overlapPolicy: 'all',
      catchupWindowMs: 0,
      hash: 'a'.repeat(64),
      text: 'steps:\n  - id: a\n    run: echo\n',
    };
  });
  afterEach(() => world.close());

  /** A scheduler as the app has it after a start. */
  const fresh = () =>
    new Scheduler({
      workflows: async () => [workflow],
      queries: world.queries,
      dispatcher: {
        look: async () => {},
        stop: async (runId) => {
          stopped.push(runId);
          return world.store.requestStop(runId, 'stopped');
        },
      },
      home: world.home,
      now: () => now,
    });
  const look = async (scheduler: Scheduler, time: string) => {
    now = new Date(`${day}${time}Z`);
    return await scheduler.look();
  };
  const queued = () =>
    world.store
      .listRuns({ limit: 100, statuses: ['queued'] })
      .reverse()
      .map(({ scheduledAt, trigger }) => `${scheduledAt?.slice(11, 16)} ${trigger}`);

  it('queues a run at each moment, once, however often and by whomever it is looked', async () => {
    const scheduler = fresh();
    expect(await look(scheduler, '09:59:00')).toEqual(new Date(`${day}10:00:00Z`));
    expect(await look(scheduler, '10:00:00')).toEqual(new Date(`${day}11:00:00Z`));
    await look(scheduler, '10:00:01');
    await look(fresh(), '10:00:02');
    expect(queued()).toEqual(['10:00 scheduler']);
    const [{ runId = '' } = {}] = world.store.listRuns({ limit: 1 });
    expect(world.store.stateOf(runId)).toMatchObject({
      workflowText: workflow.text,
      request: { mode: 'queued', path, contentHash: workflow.hash },
    });
  });

  it('does nothing twice when the clock goes back an hour', async () => {
    const scheduler = fresh();
    await look(scheduler, '09:59:00');
    await look(scheduler, '10:00:00');
    await look(scheduler, '09:00:00');
    await look(scheduler, '09:30:00');
    await look(scheduler, '10:00:00');
    expect(queued()).toEqual(['10:00 scheduler']);
  });

  it('queues the moment once where the app died between the run and its mark', async () => {
    await look(fresh(), '09:59:00');
    await look(fresh(), '10:00:00');
    world.store.setScheduleMark(path, `${day}09:59:00.000Z`);
    await look(fresh(), '10:00:30');
    expect(queued()).toEqual(['10:00 scheduler']);
  });

  it('catches up after a sleep, within the window', async () => {
    workflow = { ...workflow, catchupWindowMs: 2 * 3_600_000 };
    await look(fresh(), '05:30:00');
    await look(fresh(), '09:10:00');
    expect(queued()).toEqual(['08:00 catchup', '09:00 catchup']);
  });

  it.each<[OverlapPolicy, string[], number]>([
    ['skip', ['08:00 scheduler'], 0],
    ['all', ['08:00 scheduler', '09:00 scheduler'], 0],
    ['latest', ['08:00 scheduler', '09:00 scheduler'], 1],
  ])('%s: a moment while an earlier run waits for its turn', async (overlapPolicy, expected, superseded) => {
    workflow = { ...workflow, overlapPolicy };
    await look(fresh(), '07:59:00');
    await look(fresh(), '08:00:00');
    await look(fresh(), '09:00:00');
    expect(queued()).toEqual(expected);
    expect(stopped).toHaveLength(superseded);
  });

  it('begins with another content now: its moments before that are not its own', async () => {
    workflow = { ...workflow, catchupWindowMs: 24 * 3_600_000 };
    const scheduler = fresh();
    await look(scheduler, '08:30:00');
    await look(scheduler, '08:49:30');
    workflow = { ...workflow, hash: 'b'.repeat(64), schedules: [{ does: 'start', cron: 'CRON_TZ=UTC 45 * * * *' }] };
    await look(scheduler, '08:50:00');
    await look(scheduler, '09:45:00');
    expect(queued()).toEqual(['09:45 scheduler']);
  });

  it('loses no moment that comes as the file is saved', async () => {
    const scheduler = fresh();
    await look(scheduler, '09:59:30');
    workflow = { ...workflow, hash: 'b'.repeat(64) };
    await look(scheduler, '10:00:00');
    expect(queued()).toEqual(['10:00 scheduler']);
  });

  it('stops what runs, and starts anew', async () => {
    workflow = { ...workflow, schedules: [{ does: 'restart', cron: 'CRON_TZ=UTC 0 12 * * *' }] };
    await look(fresh(), '11:59:30');
    world.queue('early', path);
    world.queue('other', '/flows/other.yaml');
    await look(fresh(), '12:00:00');
    expect(stopped).toEqual(['early']);
    expect(world.store.listRuns({ limit: 1 })[0]).toMatchObject({ path, trigger: 'scheduler' });
  });

  it('passes over what was not to run', async () => {
    workflow = { ...workflow, catchupWindowMs: 24 * 3_600_000 };
    await look(fresh(), '05:30:00');
    now = new Date(`${day}09:10:00Z`);
    await fresh().skip([path]);
    await look(fresh(), '09:20:00');
    expect(queued()).toEqual([]);
  });
});

describe('scheduleTimer', () => {
  beforeEach(() => vi.useFakeTimers({ now: new Date(`${day}10:00:00Z`) }));
  afterEach(() => vi.useRealTimers());

  it('sleeps until the next moment, a minute at most, and looks once at a time', async () => {
    const end = new AbortController();
    const looks: string[] = [];
    const errors: unknown[] = [];
    let next: Date | undefined = new Date(`${day}10:00:20Z`);
    const look = async () => {
      looks.push(new Date().toISOString().slice(14, 19));
      if (looks.length === 3) throw new Error('the folder is gone');
      return next;
    };
    const timer = scheduleTimer(look, { signal: end.signal, onError: (error) => errors.push(error) });
    timer.wake();
    await vi.advanceTimersByTimeAsync(19_999);
    expect(looks).toEqual(['00:00']);
    next = new Date(`${day}23:00:00Z`);
    await vi.advanceTimersByTimeAsync(1);
    expect(looks).toEqual(['00:00', '00:20']);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(looks).toEqual(['00:00', '00:20', '01:20']);
    expect(errors).toEqual([new Error('the folder is gone')]);
    timer.wake();
    timer.wake();
    await vi.advanceTimersByTimeAsync(0);
    // The second call came while the first one looked.
    expect(looks).toEqual(['00:00', '00:20', '01:20', '01:20', '01:20']);
    end.abort();
    await vi.advanceTimersByTimeAsync(600_000);
    expect(looks).toHaveLength(5);
  });
});
