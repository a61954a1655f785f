import { describe, expect, test } from 'vitest';
import { withLazyRequires } from './lazy-requires.mjs';

/** Runs code with a `require` that tells in `loaded` what it was asked for. */
function run(code: string, modules: Record<string, unknown>) {
  const loaded: string[] = [];
  const require = (name: string) => {
    loaded.push(name);
    return modules[name];
  };
  const exports: Record<string, (...given: never[]) => unknown> = {};
  new Function('require', 'exports', withLazyRequires(code))(require, exports);
  return { loaded, exports };
}

const path = { join: (...parts: string[]) => parts.join('/') };

describe('a package that a program requires', () => {
  test('is loaded at its first use, once', () => {
    const { loaded, exports } = run(
      `let node_path = require('node:path'); exports.join = () => (0, node_path.join)('a', 'b') + node_path.join('c');`,
      { 'node:path': path },
    );
    expect(loaded).toEqual([]);
    expect(exports.join?.()).toBe('a/bc');
    expect(loaded).toEqual(['node:path']);
  });

  test('is so inside a function too, where it may be given on', () => {
    const { loaded, exports } = run(
      `const make = () => { const path = require('path'); exports.get = (use) => use(path); exports.key = () => ({ path: 1 }).path; };
       make();`,
      { path },
    );
    expect(exports.key?.()).toBe(1);
    expect(loaded).toEqual([]);
    expect(exports.get?.(((given: unknown) => given) as never)).toBe(path);
  });

  test('gives its classes', () => {
    const { loaded, exports } = run(`const db = require('db'); exports.open = () => new db.Database(1).size;`, {
      db: {
        Database: class {
          readonly size: number;
          constructor(size: number) {
            this.size = size;
          }
        },
      },
    });
    expect(loaded).toEqual([]);
    expect(exports.open?.()).toBe(1);
  });

  test('is loaded at once where its name stands for something else as well', () => {
    const code = `let a = require('a'); exports.set = () => { a = 1; }; let b = require('b'); exports.own = (b) => b; exports.short = () => ({ b });`;
    expect(run(code, {}).loaded).toEqual(['a', 'b']);
  });

  test('is loaded at once where it is a file of the program', () => {
    expect(run(`let chunk = require('./chunk.cjs'); exports.f = () => chunk.f();`, {}).loaded).toEqual(['./chunk.cjs']);
  });
});
