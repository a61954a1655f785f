#!/usr/bin/env node
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/**
 * The `dagu` command. In a clone it first builds what is stale; an installed package has
 * the built programs and no source.
 */
const root = new URL('../', import.meta.url);
const program = new URL('dist/cli.js', root);

if (existsSync(new URL('cli/main.ts', root))) await buildClone();
await import(program.href);

async function buildClone() {
  if (!existsSync(new URL('node_modules/.package-lock.json', root))) {
    fail(`the packages it needs are not installed: run \`npm run setup\` in ${fileURLToPath(root)}`);
  }
  const { isFresh } = await import('../build/freshness.mjs');
  if (isFresh()) return;
  // In a process of its own, so that the bundler is not loaded into this one; standard output is the command's.
  const build = spawnSync(process.execPath, [fileURLToPath(new URL('build/build.mjs', root))], {
    stdio: ['ignore', 2, 2],
  });
  if (build.status !== 0) {
    fail(`it could not be built; if a package is missing, run \`npm run setup\` in ${fileURLToPath(root)}`);
  }
}

/** @param {string} reason */
function fail(reason) {
  console.error(`dagu: ${reason}`);
  process.exit(1);
}
