import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { runNpm } from './node-packages.mjs';

/**
 * npm packages that tests or the bench use and that are no dependency: fetched once into
 * the user's cache, outside any clone.
 *
 * @typedef {object} PinnedPackage
 * @property {string} name
 * @property {string} version
 * @property {string} integrity As a package-lock.json has it; npm checks it.
 */

const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'dagu-desktop');

/**
 * A folder of the cache.
 *
 * @param {string} name
 */
export function cacheFolder(name) {
  return join(cache, name);
}

/**
 * Fetches a package and has a folder of the cache made from it, which is either whole or
 * not there.
 *
 * @param {PinnedPackage} pinned
 * @param {string} name Of the folder in the cache.
 * @param {(fetched: string, folder: string) => Promise<void> | void} make Makes `folder` from the folder `fetched`, which goes away.
 */
export async function cachePackage(pinned, name, make) {
  mkdirSync(cache, { recursive: true });
  const staging = mkdtempSync(join(cache, 'staging-'));
  try {
    const made = join(staging, 'made');
    await make(fetchPackage(pinned, staging), made);
    rmSync(cacheFolder(name), { recursive: true, force: true });
    renameSync(made, cacheFolder(name));
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
}

/**
 * @param {PinnedPackage} pinned
 * @param {string} folder
 * @returns {string} The package's folder.
 */
function fetchPackage({ name, version, integrity }, folder) {
  const project = { name: 'pinned', version: '1.0.0', dependencies: { [name]: version } };
  const packages = { '': project, [`node_modules/${name}`]: { version, integrity } };
  writeFileSync(join(folder, 'package.json'), JSON.stringify(project));
  writeFileSync(join(folder, 'package-lock.json'), JSON.stringify({ ...project, lockfileVersion: 3, packages }));
  runNpm(['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], folder);
  return join(folder, 'node_modules', name);
}
