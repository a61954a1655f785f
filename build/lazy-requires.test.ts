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

const paths = { join: (...parts: string[]) => parts.join('/') };

describe('a package that a program requires', () => {
  test('is loaded at its first use, once', () => {
    const { loaded, exports } = run(
      `let paths = require('paths'); exports.join = () => (0, paths.join)('a', 'b') + paths.join('c');`,
      { paths },
    );
    expect(loaded).toEqual([]);
    expect(exports.join?.()).toBe('a/bc');
    expect(loaded).toEqual(['paths']);
  });

  test('is so inside a function too, where it may be given on', () => {
    const { loaded, exports } = run(
      `const make = () => { const paths = require('paths'); exports.get = (use) => use(paths); exports.key = () => ({ paths: 1 }).paths; };
       make();`,
      { paths },
    );
    expect(exports.key?.()).toBe(1);
    expect(loaded).toEqual([]);
    expect(exports.get?.(((given: unknown) => given) as never)).toBe(paths);
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

  test('is imported by the loader', () => {
    expect(withLazyRequires(`exports.f = async () => (await import('koffi')).load;`)).toBe(
      `exports.f = async () => (await require.import('koffi')).load;`,
    );
  });

  test('is loaded at once where it is a file of the program, or loaded already', () => {
    const code = `let chunk = require('./chunk.cjs'); let fs = require('node:fs'); exports.f = () => chunk.f(fs.a);`;
    expect(run(code, {}).loaded).toEqual(['./chunk.cjs', 'node:fs']);
  });
});
