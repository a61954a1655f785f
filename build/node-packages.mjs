import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './freshness.mjs';

/** Runs `npm ci` when node_modules is not what package-lock.json says, an interrupted installation included. */
export function installNodePackages() {
  const difference = firstDifference();
  if (difference === undefined) return;
  console.error(`Installing packages (${difference}) …`);
  // No package of ours needs its install script: what is native comes built, and nothing is
  // to be downloaded from elsewhere unseen.
  runNpm(['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], root);
  const left = firstDifference();
  if (left !== undefined) throw new Error(`npm ci ended well, but ${left}`);
}

/**
 * Runs npm in a folder, its output shown; throws when it fails.
 *
 * @param {string[]} args
 * @param {string} cwd
 */
export function runNpm(args, cwd) {
  // Under `npm run` that very npm, else the one in the path.
  const script = process.env.npm_execpath;
  const [program, start] = script?.endsWith('.js') ? [process.execPath, [script]] : ['npm', []];
  const { status, error } = spawnSync(program, [...start, ...args], {
    cwd,
    stdio: ['ignore', 2, 2],
    env: { ...process.env, ELECTRON_SKIP_BINARY_DOWNLOAD: '1' },
    shell: process.platform === 'win32' && program === 'npm',
  });
  if (status !== 0) throw new Error(`npm ${args[0]} failed${error ? `: ${error.message}` : ` (exit code ${status})`}`);
}

/** In what way node_modules differs from the lock, in words; undefined when it does not. */
function firstDifference() {
  const record = join(root, 'node_modules/.package-lock.json');
  if (!existsSync(record)) return 'none are there, or an installation was interrupted';
  const wanted = packagesOf(join(root, 'package-lock.json'));
  const installed = packagesOf(record);
  for (const [path, entry] of Object.entries(wanted)) {
    if (path === '') continue;
    const found = installed[path];
    if (found === undefined) {
      if (entry.optional) continue; // for another system
      return `${path} is missing`;
    }
    if (found.version !== entry.version || found.integrity !== entry.integrity) return `${path} has another version`;
  }
  for (const path of Object.keys(installed)) {
    if (wanted[path] === undefined) return `${path} is no longer needed`;
    if (!existsSync(join(root, path, 'package.json'))) return `${path} has gone`;
  }
  return undefined;
}

/**
 * @param {string} file
 * @returns {Record<string, {version?: string, integrity?: string, optional?: boolean}>}
 */
function packagesOf(file) {
  return JSON.parse(readFileSync(file, 'utf8')).packages;
}
