'use strict';
const { writeFileSync } = require('node:fs');
const { join } = require('node:path');

/**
 * For the build, which runs each program on a sample (build/quick-programs.mjs): at the
 * process' end, writes the compiled code of the packs that the program loaded, with the
 * functions that were called.
 *
 * @param {ReturnType<typeof import('./load-program.cjs').loadProgram>} packs
 * @param {string} folder
 */
function recordCode(packs, folder) {
  process.on('exit', () => {
    for (const [name, script] of packs) writeFileSync(join(folder, `${name}.code`), script.createCachedData());
  });
}

module.exports = { recordCode };
