import { describe, expect, it } from 'vitest';
import type { RunDetail, RunStatus, StepStatus, TimelineEvent } from '../run.ts';
import { en } from './en.ts';
import { formatsFor } from './formats.ts';
import { ja } from './ja.ts';
import { languageOf, pickLocale, wordsFor } from './language.ts';
import { messageWords, stateSentence } from './sentence.ts';

const english = formatsFor('en', en.common.justNow);
const japanese = formatsFor('ja', ja.common.justNow);

describe('formats', () => {
  const now = new Date('2026-03-02T12:00:00Z');
  const earlier = (ms: number) => new Date(now.getTime() - ms);

  it('says how long ago something was', () => {
    expect(english.ago(earlier(3_000), now)).toBe('just now');
    expect(english.ago(earlier(45_000), now)).toBe('45 seconds ago');
    expect(english.ago(earlier(2 * 60_000), now)).toBe('2 minutes ago');
    expect(english.ago(earlier(25 * 3_600_000), now)).toBe('yesterday');
    expect(english.ago(earlier(800 * 86_400_000), now)).toBe('2 years ago');
    expect(japanese.ago(earlier(2 * 60_000), now)).toBe('2 分前');
  });

  it('takes a time ahead, from a clock that was put back, as now', () => {
    expect(english.ago(earlier(-60_000), now)).toBe('just now');
  });

  it('says how long something took, in at most two units', () => {
    expect(english.duration(40)).toBe('0 sec');
    expect(english.duration(1_240)).toBe('1.2 sec');
    expect(english.duration(9_999)).toBe('10 sec');
    expect(english.duration(59_999)).toBe('59 sec');
    expect(english.duration(65_000)).toBe('1 min 5 sec');
    expect(english.duration(2 * 3_600_000)).toBe('2 hr');
    expect(english.duration(26 * 3_600_000)).toBe('1 day 2 hr');
    expect(japanese.duration(65_000)).toBe('1 分 5 秒');
  });
});

describe('catalogues', () => {
  it('take the first wish that there is a catalogue for', () => {
    expect(pickLocale(['fr-FR', 'ja-JP', 'en'])).toBe('ja-JP');
    expect(pickLocale(['ja_JP.UTF-8'])).toBe('ja-JP');
    expect(pickLocale(['C', 'toString', 'en-GB'])).toBe('en-GB');
    expect(pickLocale(['', 'not a locale'])).toBe('en');
    expect(languageOf('ja-JP')).toBe('ja');
    expect(wordsFor('ja')).toBe(ja);
  });

  it('say every text of the English catalogue in Japanese, with nothing left in English', () => {
    const names = new Set(['Dagu Desktop', 'AI']);
    const missing = texts(en)
      .map(([key, text], index) => ({ key, text, other: texts(ja)[index] }))
      .filter(({ text, other }) => !names.has(text) && (other === undefined || other[1] === text));
    expect(missing).toEqual([]);
  });
});

/** Texts that only put others together, which languages may do alike. */
const layouts = new Set([
  'tray.named',
  'allow.step',
  'run.item',
  'run.sentTo',
  'approval.given',
  'approval.input',
  'failureWith',
]);

/** Every text of a catalogue with its key, functions called with numbers. */
function texts(node: object, prefix = ''): [key: string, text: string][] {
  return Object.entries(node).flatMap(([key, value]): [string, string][] => {
    if (typeof value === 'string') return [[prefix + key, value]];
    if (typeof value === 'function') return layouts.has(prefix + key) ? [] : [[prefix + key, value(2, 3, 'x')]];
    return texts(value, `${prefix}${key}.`);
  });
}

describe('stateSentence', () => {
  it('names the step that works, counted among the steps', () => {
    const working = detail('running', { first: 'succeeded', post: 'running', check: 'not_started' });
    expect(stateSentence(working, en, english)).toBe('Working: step 2 of 3, post');
    expect(stateSentence(working, ja, japanese)).toBe('実行中: ステップ 2 / 3「post」');
  });

  it('says what a step waits for, and no longer once it works again', () => {
    const waiting = detail('running', { post: 'running' }, [event('post', 1, 'waiting', 'person')]);
    expect(stateSentence(waiting, en, english)).toBe('Waiting until you stop using the mouse and keyboard');
    waiting.events.push(event('post', 2, 'running'));
    expect(stateSentence(waiting, en, english)).toBe('Working: step 1 of 1, post');
  });

  it('says messages by their code, and as they are where it has no words', () => {
    const message = { ...event('post', 1, 'completed'), code: 'completed', parameters: { operations: 3 } };
    expect(messageWords(message, en)).toBe('Completed 3 operations');
    expect(messageWords({ ...message, code: 'unheard_of' }, en)).toBe('text');
    expect(messageWords({ ...message, code: 'toString' }, en)).toBe('text');
  });

  it('names the step that failed', () => {
    expect(stateSentence(detail('failed', { first: 'succeeded', post: 'failed' }), en, english)).toBe(
      'Failed at step 2 of 2, post',
    );
    expect(stateSentence(detail('failed', {}), en, english)).toBe('Failed');
  });

  it('says a handler finishes the run', () => {
    const finishing = detail('running', { post: 'succeeded' });
    finishing.steps.push({ step: 'tidy', action: 'run', handler: 'exit', status: 'running', outputs: {} });
    expect(stateSentence(finishing, en, english)).toBe('Finishing: tidy');
  });

  it('counts the steps of a run that is done, without handlers', () => {
    const done = detail('succeeded', { first: 'succeeded', post: 'succeeded' });
    done.steps.push({ step: 'tidy', action: 'run', handler: 'exit', status: 'succeeded', outputs: {} });
    expect(stateSentence(done, en, english)).toBe('Done: all 2 steps');
  });
});

function detail(status: RunStatus, steps: Record<string, StepStatus>, events: TimelineEvent[] = []): RunDetail {
  return {
    run: {
      runId: 'r1',
      attempt: 1,
      name: 'invoices',
      path: '/flows/invoices.yaml',
      status,
      trigger: 'tray',
      createdAt: '2026-03-02T12:00:00Z',
      params: {},
      logDir: '/logs',
      artifactsDir: '/artifacts',
    },
    steps: Object.entries(steps).map(([step, state]) => ({ step, action: 'run', status: state, outputs: {} })),
    events,
    children: [],
    egress: [],
  };
}

function event(step: string, sequence: number, status: TimelineEvent['status'], name?: string): TimelineEvent {
  return {
    sequence,
    id: `computer-1-${sequence}`,
    step,
    type: 'lifecycle',
    timestamp: '2026-03-02T12:00:00Z',
    status,
    content: 'text',
    ...(name !== undefined && { name }),
  };
}
