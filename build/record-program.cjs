'use strict';
const { writeFileSync } = require('node:fs');
const { join } = require('node:path');

/**
 * For the build, which runs each program on samples (build/quick-programs.mjs): what a run
 * leaves at its end.
 *
 * @typedef {ReturnType<typeof import('./load-program.cjs').loadProgram>} Program
 */

/**
 * Writes the names of the files that the program loaded.
 *
 * @param {Program} program
 * @param {string} list Path.
 */
function recordFiles({ files }, list) {
  process.on('exit', () => writeFileSync(list, JSON.stringify([...files])));
}

/**
 * Writes the compiled code of the packs that the program loaded, with the functions that were called.
 *
 * @param {Program} program
 * @param {string} folder
 */
function recordCode({ scripts }, folder) {
  process.on('exit', () => {
    for (const [name, script] of scripts) writeFileSync(join(folder, `${name}.code`), script.createCachedData());
  });
}

module.exports = { recordFiles, recordCode };
