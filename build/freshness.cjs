'use strict';
const { existsSync, readdirSync, readFileSync, statSync } = require('node:fs');
const { basename, dirname, join } = require('node:path');

/**
 * Says whether dist/ is what the source makes. It loads nothing but Node's file system,
 * and reads no more than it must, since every start of the command in a clone asks it.
 *
 * @typedef {object} Stamp What the last build left in dist/.
 * @property {Source} source That it was built from.
 * @property {string[]} files Every file of that build, relative to dist/.
 *
 * @typedef {object} Source All that a build reads.
 * @property {string} node Version of Node.
 * @property {Record<string, FileState>} files By paths relative to the root.
 * @property {Record<string, FolderState>} folders
 *
 * @typedef {[size: number, changed: number]} FileState Bytes, and ms since 1970; none of either for a file that is gone.
 * @typedef {{changed: number, entries: string}} FolderState
 */

const root = join(__dirname, '..', '/');
const dist = join(root, 'dist');
const stampFile = join(dist, '.stamp.json');

const sources = ['core', 'native', 'executor', 'main', 'preload', 'renderer', 'cli', 'build'];
const settings = ['package.json', 'package-lock.json', 'tsconfig.json'];

/**
 * The source as it stands.
 *
 * @returns {Source}
 */
function readSource() {
  /** @type {Source} */
  const source = { node: process.versions.node, files: {}, folders: {} };
  for (const file of settings) source.files[file] = fileState(file);
  for (const folder of sources) if (existsSync(join(root, folder))) addFolder(source, folder);
  return source;
}

/**
 * @param {Source} source
 * @param {string} folder
 */
function addFolder(source, folder) {
  const changed = changedAt(folder) ?? -1;
  const entries = entriesOf(folder);
  source.folders[folder] = { changed, entries: namesOf(entries) };
  for (const entry of entries) {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) addFolder(source, path);
    else source.files[path] = fileState(path);
  }
}

/** @returns {Stamp | undefined} */
function readStamp() {
  return existsSync(stampFile) ? JSON.parse(readFileSync(stampFile, 'utf8')) : undefined;
}

/** Whether the last build was made from the source as it is now, and its files are there. */
function isFresh() {
  const stamp = readStamp();
  if (stamp === undefined || stamp.source?.node !== process.versions.node) return false;
  const { files, folders } = stamp.source;
  for (const folder in folders) if (!isSameFolder(folder, folders[folder])) return false;
  for (const file in files) if (!isSameFile(file, files[file])) return false;
  return areThere(stamp.files);
}

/**
 * Whether files of dist/ are there; asked by folder, which takes less time than by file.
 *
 * @param {string[]} files
 */
function areThere(files) {
  /** @type {Map<string, Set<string>>} */
  const folders = new Map();
  return files.every((file) => {
    const folder = dirname(file);
    const entries =
      folders.get(folder) ?? new Set(existsSync(join(dist, folder)) ? readdirSync(join(dist, folder)) : []);
    folders.set(folder, entries);
    return entries.has(basename(file));
  });
}

/**
 * @param {string} folder
 * @param {FolderState | undefined} last
 */
function isSameFolder(folder, last) {
  const changed = changedAt(folder);
  // An editor's passing file changes a folder's time and nothing of a build.
  return changed === last?.changed || (changed !== undefined && namesOf(entriesOf(folder)) === last?.entries);
}

/**
 * @param {string} file
 * @param {FileState | undefined} last
 */
function isSameFile(file, last) {
  const [size, changed] = fileState(file);
  return size === last?.[0] && changed === last?.[1];
}

/**
 * @param {string} path
 * @returns {FileState}
 */
function fileState(path) {
  // An editor may have taken the file away since it was listed.
  const stat = statSync(root + path, { throwIfNoEntry: false });
  return [stat?.size ?? -1, stat?.mtimeMs ?? -1];
}

/** @param {string} path */
function changedAt(path) {
  return statSync(root + path, { throwIfNoEntry: false })?.mtimeMs;
}

/** @param {string} folder */
function entriesOf(folder) {
  return readdirSync(root + folder, { withFileTypes: true }).filter(
    (entry) => entry.isDirectory() || (entry.isFile() && !/\.test\.tsx?$/.test(entry.name)),
  );
}

/** @param {import('node:fs').Dirent[]} entries */
function namesOf(entries) {
  return entries
    .map(({ name }) => name)
    .sort()
    .join('/');
}

module.exports = { root, dist, stampFile, readSource, readStamp, isFresh };
