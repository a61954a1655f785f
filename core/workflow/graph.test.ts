import { describe, expect, it } from 'vitest';
import { linkSteps } from './graph.ts';
import type { Step } from './types.ts';

function step(key: string, depends: string[] = [], name = key): Step {
  return { key, name, depends, path: ['steps', key] } as unknown as Step;
}
const told = (...steps: Step[]) => linkSteps(steps).map(({ message }) => message);

describe('dependencies', () => {
  it('become keys, each once', () => {
    const steps = [step('a', [], 'First'), step('b', ['First', 'a'])];
    expect(linkSteps(steps)).toEqual([]);
    expect(steps[1]?.depends).toEqual(['a']);
  });

  it('in a circle are told by those in it alone', () => {
    expect(told(step('x', ['b']), step('a', ['c']), step('b', ['a']), step('c', ['b']), step('y', []))).toEqual([
      'steps depend on each other in a circle: b, a, c',
    ]);
  });

  it('in a long circle are told by the first', () => {
    const ring = Array.from({ length: 5000 }, (_, at) => step(`s${at}`, [`s${(at + 1) % 5000}`]));
    expect(told(...ring)).toEqual([
      expect.stringMatching(/^steps depend on each other in a circle: s0, s1, .* and 4990 more$/),
    ]);
  });

  it('that many share are looked at once', () => {
    const before = Array.from({ length: 5000 }, (_, at) => step(`a${at}`));
    const shared = before.map(({ key }) => key);
    const after = Array.from({ length: 5000 }, (_, at) => step(`b${at}`, shared));
    expect(told(...before, ...after)).toEqual([]);
    expect(after[0]?.depends).toBe(after[4999]?.depends);
  });
});
