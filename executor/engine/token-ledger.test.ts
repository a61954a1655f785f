import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TestStore } from '../../core/store/testing.ts';
import { TokenLedger } from './token-ledger.ts';

let test: TestStore;
beforeEach(() => {
  test = new TestStore();
});
afterEach(() => test.close());

const ledger = (env: Record<string, string>, runId = 'one') =>
  new TokenLedger({ store: test.store, runId, flush: () => {}, later: (write) => write() }, env);

describe('TokenLedger', () => {
  it('stops before the request that would pass the budget of the run', () => {
    const one = ledger({ DAGU_DESKTOP_TOKENS_PER_RUN: '1000' });
    one.begin('local/m', 300)(900);
    expect(() => one.begin('local/m', 101)).toThrow(
      'the request to local/m would pass the budget of 1000 tokens a run: 900 are used, and it takes about 101; raise DAGU_DESKTOP_TOKENS_PER_RUN, or ask for less',
    );
    one.begin('local/m', 100);
  });

  it('counts requests under way as what they are expected to take', () => {
    const one = ledger({ DAGU_DESKTOP_TOKENS_PER_DAY: '1000' });
    const settle = one.begin('local/m', 800);
    expect(() => ledger({ DAGU_DESKTOP_TOKENS_PER_DAY: '1000' }, 'two').begin('local/m', 300)).toThrow('tokens a day');
    settle(0);
    ledger({ DAGU_DESKTOP_TOKENS_PER_DAY: '1000' }, 'two').begin('local/m', 300);
  });

  it('counts without a budget, for one that is set later', () => {
    ledger({}).begin('local/m', 5)(900);
    expect(() => ledger({ DAGU_DESKTOP_TOKENS_PER_RUN: '1000' }).begin('local/m', 101)).toThrow('900 are used');
  });

  it('refuses a budget that is no number', () => {
    expect(() => ledger({ DAGU_DESKTOP_TOKENS_PER_RUN: '1k' }).begin('local/m', 1)).toThrow(
      'DAGU_DESKTOP_TOKENS_PER_RUN must be a number of tokens (value: 1k)',
    );
  });
});
