import { readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import * as electron from 'electron';

/**
 * Runs an application from a path, as `electron PATH` does with the official binary: its
 * folder's package.json gives the name, the version and the main module. As there, the
 * app is not ready before the main module has run: Electron waits for this module.
 */

/** @type {Electron.App & {setAppPath(path: string): void, setVersion(version: string): void}} What Electron's own default application uses. */
const app = /** @type {any} */ (electron).app;

const path = process.argv.slice(1).find((argument) => !argument.startsWith('-'));
if (path === undefined) {
  console.error('usage: electron [options] PATH');
  app.exit(1);
} else {
  await run(mainModule(resolve(path)));
}

/** @param {string} module */
async function run(module) {
  try {
    await import(pathToFileURL(module).href);
  } catch (error) {
    console.error(error);
    app.exit(1);
  }
}

/** @param {string} application */
function mainModule(application) {
  if (!statSync(application).isDirectory()) {
    app.setAppPath(dirname(application));
    return application;
  }
  const { productName, name, version, main } = JSON.parse(readFileSync(join(application, 'package.json'), 'utf8'));
  app.name = productName ?? name;
  if (version !== undefined) app.setVersion(version);
  app.setAppPath(application);
  return join(application, main ?? 'index.js');
}
