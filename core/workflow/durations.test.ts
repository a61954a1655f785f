import { describe, expect, it } from 'vitest';
import { formatDuration, logDuration, parseDuration } from './durations.ts';

describe('parseDuration', () => {
  it.each([
    ['30s', 30_000],
    ['1m30s', 90_000],
    ['250ms', 250],
    ['0', 0],
    ['+0', 0],
    ['0s', 0],
    ['1.5h', 5_400_000],
    ['.5s', 500],
    ['1.s', 1000],
    ['2h45m', 9_900_000],
    ['100us', 0.1],
    ['100µs', 0.1],
    ['-1.5s', -1500],
  ])('reads %s', (text, ms) => {
    expect(parseDuration(text)).toBeCloseTo(ms, 9);
  });

  it.each(['', '5', '5 s', 's', '1d', '5sec', '1m 30s', 'soon', '-', '.s', '1h-5m', '1e3s', '30S'])(
    'refuses %j',
    (text) => {
      expect(parseDuration(text)).toBeUndefined();
    },
  );
});

describe('formatDuration', () => {
  it.each([
    [0, '0s'],
    [0.25, '250µs'],
    [250, '250ms'],
    [1500, '1.5s'],
    [10_000, '10s'],
    [90_000, '1m30s'],
    [300_000, '5m0s'],
    [3_600_000, '1h0m0s'],
    [3_661_250, '1h1m1.25s'],
    [-1500, '-1.5s'],
    [59_999.9999, '1m0s'],
  ])('writes %d ms as %s', (ms, text) => {
    expect(formatDuration(ms)).toBe(text);
  });

  it('is read back as the same duration', () => {
    for (let ms = 0; ms < 8_000_000; ms += 7919) expect(parseDuration(formatDuration(ms))).toBeCloseTo(ms, 6);
  });
});

describe('logDuration', () => {
  it.each([
    [0, '0s'],
    [49, '0s'],
    [50, '100ms'],
    [1449, '1.4s'],
    [1450, '1.5s'],
    [59_960, '1m0s'],
  ])('rounds %d ms to %s', (ms, text) => {
    expect(logDuration(ms)).toBe(text);
  });
});
