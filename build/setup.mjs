import { fileURLToPath } from 'node:url';
import { installElectron } from './electron-runtime.mjs';
import { installNodePackages } from './node-packages.mjs';
import { installRealDagu } from './real-dagu.mjs';
import { installSystemPackages } from './system-packages.mjs';

/**
 * Installs what is missing for a purpose, and does nothing when nothing is:
 * `node build/setup.mjs [code|demo|test|bench|official]`. It runs before any package is
 * there: this file and what it imports need Node alone.
 *
 * @type {Record<string, {system: import('./system-packages.mjs').Purpose[], after?: () => Promise<void>}>}
 */
const purposes = {
  /** Building, checking and the tests that need no display. */
  code: { system: [] },
  demo: { system: ['session', 'demo'] },
  test: { system: ['session', 'demo', 'applications', 'electron'], after: installElectron },
  bench: { system: ['session', 'demo', 'applications', 'bench'], after: installRealDagu },
  /** The tray's tests on the official Electron binary. */
  official: {
    system: ['session', 'demo', 'applications', 'electron'],
    after: () => installElectron({ officialOnly: true }),
  },
};

/**
 * @param {string} purpose
 */
export async function setUp(purpose) {
  const needs = purposes[purpose];
  if (needs === undefined) {
    throw new Error(`there is no set-up for "${purpose}", only for ${Object.keys(purposes).join(', ')}`);
  }
  checkNode();
  installSystemPackages(needs.system);
  installNodePackages();
  await needs.after?.();
}

function checkNode() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const known = (major === 20 && minor >= 19) || (major === 22 && minor >= 12) || major > 22;
  if (!known) throw new Error(`Node ${process.versions.node} is too old: install Node 20.19, 22.12, or a newer one`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  try {
    await setUp(process.argv[2] ?? 'test');
  } catch (error) {
    console.error(`Set-up stopped: ${error instanceof Error ? error.message : String(error)}`);
    process.exitCode = 1;
  }
}
