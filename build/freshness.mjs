import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Says whether dist/ is what the source makes. Imports nothing but Node, since every start
 * of the command in a clone asks it.
 *
 * @typedef {object} Stamp What the last build left in dist/.
 * @property {string} fingerprint Of the source that it was built from.
 * @property {string[]} files Every file of that build, relative to dist/.
 */

export const root = fileURLToPath(new URL('../', import.meta.url));
export const dist = join(root, 'dist');
export const stampFile = join(dist, '.stamp.json');

const sources = ['core', 'native', 'executor', 'main', 'preload', 'renderer', 'cli', 'build'];
const settings = ['package.json', 'package-lock.json', 'tsconfig.json'];

/** A fingerprint of all that a build reads: names, sizes and times of the source files. */
export function fingerprint() {
  const hash = createHash('sha256').update(process.versions.node);
  for (const folder of sources) {
    const path = join(root, folder);
    if (!existsSync(path)) continue;
    for (const entry of readdirSync(path, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile() || /\.test\.tsx?$/.test(entry.name)) continue;
      addFile(hash, join(entry.parentPath ?? entry.path, entry.name));
    }
  }
  for (const file of settings) addFile(hash, join(root, file));
  return hash.digest('hex');
}

/** @returns {Stamp | undefined} */
export function readStamp() {
  return existsSync(stampFile) ? JSON.parse(readFileSync(stampFile, 'utf8')) : undefined;
}

/** Whether the last build was made from the source as it is now, and its files are there. */
export function isFresh() {
  const stamp = readStamp();
  return stamp?.fingerprint === fingerprint() && stamp.files.every((file) => existsSync(join(dist, file)));
}

/**
 * @param {import('node:crypto').Hash} hash
 * @param {string} path
 */
function addFile(hash, path) {
  // An editor may have taken the file away since it was listed.
  const stat = statSync(path, { throwIfNoEntry: false });
  hash.update(`${path}\0${stat?.size}\0${stat?.mtimeMs}\0`);
}
