import {
  closeSync,
  ftruncateSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { dist, isFresh, readSource, readStamp, stampFile } from './freshness.mjs';

/** Many times what a build takes. */
const turnLimitMs = 120_000;

/**
 * Builds the product into dist/ when the source has changed; says so on standard error.
 *
 * Builds may run at the same time, and while programs of the last build do: a lock of the
 * system lets one build at a time, each file is replaced in one step, shared chunks (whose
 * names carry their content) come before the programs that import them, and the chunks of
 * the last build stay until the next one.
 *
 * @returns {Promise<boolean>} Whether it built.
 */
export async function ensureBuilt() {
  if (isFresh()) return false;
  mkdirSync(dist, { recursive: true });
  const lock = openSync(join(dist, '.lock'), 'a+');
  try {
    await takeTurn(lock);
    if (isFresh()) return false;
    await buildAll();
    return true;
  } finally {
    // Whoever builds may live on, as a test runner does, whose programs then ask for a build themselves.
    closeSync(lock);
  }
}

/**
 * Waits until no other process builds. The system frees the lock of a process that was killed.
 *
 * @param {number} lock Descriptor of the lock file, which names the process that builds.
 */
async function takeTurn(lock) {
  const { tryLock } = await import('fs-native-extensions');
  const limit = Date.now() + turnLimitMs;
  while (!tryLock(lock)) {
    if (Date.now() > limit) {
      const holder = readFileSync(lock, 'utf8');
      throw new Error(
        `another build (process ${holder}) has not ended for ${turnLimitMs / 1000} s: end it and try again`,
      );
    }
    await delay(50);
  }
  ftruncateSync(lock);
  writeSync(lock, String(process.pid), 0);
}

async function buildAll() {
  console.error('Building Dagu Desktop …');
  const started = Date.now();
  const source = readSource();
  const staging = mkdtempSync(join(dist, '.staging-'));
  try {
    await buildInto(staging);
    publish(staging, source);
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
  console.error(`Built in ${((Date.now() - started) / 1000).toFixed(1)} s.`);
}

/** @param {string} folder */
async function buildInto(folder) {
  const [vite, { targets }, { finishQuickPrograms }] = await Promise.all([
    import('vite'),
    import('./targets.mjs'),
    import('./quick-programs.mjs'),
  ]);
  for (const target of await targets(folder)) await vite.build(target);
  finishQuickPrograms(folder);
}

/**
 * @param {string} staging
 * @param {import('./freshness.cjs').Source} source
 */
function publish(staging, source) {
  const files = filesOf(staging).sort((one, other) => Number(isProgram(one)) - Number(isProgram(other)));
  const last = readStamp()?.files ?? [];
  for (const file of files) {
    mkdirSync(dirname(join(dist, file)), { recursive: true });
    renameSync(join(staging, file), join(dist, file));
  }
  writeFileSync(join(staging, 'stamp.json'), JSON.stringify({ source, files }));
  renameSync(join(staging, 'stamp.json'), stampFile);

  const kept = new Set([...files, ...last]);
  for (const file of filesOf(dist)) {
    if (!file.startsWith('.') && !kept.has(file)) rmSync(join(dist, file));
  }
}

/**
 * Programs and pages: what others are imported from.
 *
 * @param {string} file
 */
function isProgram(file) {
  return /^\w+\.c?js$|\.html$/.test(file);
}

/**
 * @param {string} folder
 * @returns {string[]} Relative to the folder.
 */
function filesOf(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath ?? entry.path, entry.name)));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  try {
    await ensureBuilt();
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  }
}
