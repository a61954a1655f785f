import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TestStore } from './testing.ts';

let test: TestStore;
beforeEach(() => {
  test = new TestStore();
});
afterEach(() => test.close());

const today = { day: '2026-03-02', model: 'local/m' };

describe('countTokens', () => {
  it('counts until a budget of the run would be passed, and then counts nothing', () => {
    const { store } = test;
    expect(store.countTokens('one', { ...today, tokens: 600 }, { run: 1000 })).toBeUndefined();
    expect(store.countTokens('one', { ...today, tokens: 500 }, { run: 1000 })).toEqual({
      budget: 'run',
      limit: 1000,
      used: 600,
    });
    expect(store.countTokens('one', { ...today, tokens: 400 }, { run: 1000 })).toBeUndefined();
    expect(store.countTokens('other', { ...today, tokens: 1000 }, { run: 1000 })).toBeUndefined();
  });

  it('counts all runs of a day together, and each day by itself', () => {
    const { store } = test;
    store.countTokens('one', { ...today, tokens: 700 });
    expect(store.countTokens('two', { ...today, tokens: 301 }, { day: 1000 })).toEqual({
      budget: 'day',
      limit: 1000,
      used: 700,
    });
    expect(store.countTokens('two', { ...today, day: '2026-03-03', tokens: 301 }, { day: 1000 })).toBeUndefined();
  });

  it('takes back what was expected and not used', () => {
    const { store } = test;
    store.countTokens('one', { ...today, tokens: 900 }, { run: 1000 });
    store.countTokens('one', { ...today, tokens: -800 });
    expect(store.countTokens('one', { ...today, tokens: 900 }, { run: 1000 })).toBeUndefined();
  });

  it('lets old days go', () => {
    const { store } = test;
    store.countTokens('one', { ...today, day: '2024-01-01', tokens: 1 });
    store.countTokens('one', { ...today, tokens: 1 });
    expect(test.sql('SELECT day FROM model_tokens')).toEqual([{ day: '2026-03-02' }]);
  });
});
