'use strict';
const { existsSync, readFileSync } = require('node:fs');
const { dirname, join, normalize } = require('node:path');
const vm = require('node:vm');

/**
 * Runs a program of the folder that this file is in; the build puts it into dist/. What
 * the program's runs load together is in one file, a *pack*, beside which the build left
 * the pack's compiled code: reading and compiling file by file is most of a start. V8
 * refuses code of another version or other flags, and then compiles as always.
 *
 * @typedef {(exports: unknown, require: (name: string) => unknown, module: object, file: string, folder: string) => void} ModuleFunction
 *
 * @param {string} entry The program's file.
 * @param {Record<string, string[]>} packs The files that are in packs, by the pack's name.
 * @returns {Map<string, vm.Script>} The packs that were loaded so far, by their names.
 */
function loadProgram(entry, packs) {
  /** @type {Map<string, {exports: unknown}>} */
  const modules = new Map();
  /** @type {Map<string, vm.Script>} */
  const scripts = new Map();
  /** @type {Record<string, ModuleFunction>} */
  const functions = {};
  /** @type {(file: string) => ModuleFunction} */
  const functionOf = (file) => {
    const pack = Object.keys(packs).find((name) => packs[name]?.includes(file));
    if (pack === undefined) return compile(file).runInThisContext();
    if (!scripts.has(pack)) {
      const script = compilePack(pack);
      scripts.set(pack, script);
      Object.assign(functions, script.runInThisContext());
    }
    return /** @type {ModuleFunction} */ (functions[file]);
  };
  /** @type {(file: string) => unknown} */
  const load = (file) => {
    const known = modules.get(file);
    if (known !== undefined) return known.exports;
    const module = { exports: {} };
    modules.set(file, module);
    /** @param {string} name */
    const requireFrom = (name) => (name.startsWith('.') ? load(normalize(join(dirname(file), name))) : require(name));
    requireFrom.import = importPackage;
    functionOf(file)(module.exports, requireFrom, module, join(__dirname, file), __dirname);
    return module.exports;
  };
  load(entry);
  return scripts;
}

/**
 * V8 forgets of code that was compiled before how it imports.
 *
 * @param {string} name
 */
function importPackage(name) {
  return import(name);
}

/** @param {string} name */
function compilePack(name) {
  const code = join(__dirname, `${name}.code`);
  return script(`${name}.pack.cjs`, (text) => text, existsSync(code) ? readFileSync(code) : undefined);
}

/** @param {string} file A CommonJS module. */
function compile(file) {
  return script(file, (text) => `(function (exports, require, module, __filename, __dirname) {${text}\n})`);
}

/**
 * @param {string} file
 * @param {(text: string) => string} change
 * @param {Buffer} [cachedData]
 */
function script(file, change, cachedData) {
  const filename = join(__dirname, file);
  // The build writes ASCII alone, which this reads fastest.
  return new vm.Script(change(readFileSync(filename, 'latin1')), { filename, ...(cachedData && { cachedData }) });
}

module.exports = { loadProgram };
