#!/usr/bin/env node
'use strict';
const { existsSync } = require('node:fs');
const { join } = require('node:path');

/**
 * The `dagu` command. In a clone it first builds what is stale; an installed package has
 * the built programs and no source. It is a CommonJS module: loading the first ES module
 * takes Node as long as much of a command's work.
 */
const root = join(__dirname, '..', '/');

if (existsSync(`${root}cli/main.ts`)) buildClone();
require('../dist/cli.cjs');

function buildClone() {
  if (!existsSync(`${root}node_modules/.package-lock.json`)) {
    fail(`the packages it needs are not installed: run \`npm run setup\` in ${root}`);
  }
  if (require('../build/freshness.cjs').isFresh()) return;
  // In a process of its own, so that the bundler is not loaded into this one; standard output is the command's.
  const { spawnSync } = require('node:child_process');
  const build = spawnSync(process.execPath, [`${root}build/build.mjs`], { stdio: ['ignore', 2, 2] });
  if (build.status !== 0) fail(`it could not be built; if a package is missing, run \`npm run setup\` in ${root}`);
}

/** @param {string} reason */
function fail(reason) {
  console.error(`dagu: ${reason}`);
  process.exit(1);
}
