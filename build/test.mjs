import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from './freshness.mjs';
import { setUp } from './setup.mjs';

/**
 * `npm test [suite…]`: sets up, builds, then runs the suites one after another, each within
 * its own time. The last line is the sum. Exits with 1 when anything failed, or when a
 * suite ran no test.
 *
 * @typedef {object} Suite
 * @property {string} setup Purpose of the set-up that it needs (setup.mjs).
 * @property {number} minutes Its time; a suite that takes longer is ended and has failed.
 * @property {(limitMs: number) => Promise<Count>} run
 *
 * @typedef {object} Count
 * @property {number} passed
 * @property {number} failed
 * @property {string[]} remarks What the numbers do not say.
 */

/** @type {Record<string, Suite>} */
const suites = {
  lint: { setup: 'code', minutes: 3, run: lint },
  unit: { setup: 'code', minutes: 8, run: (limitMs) => vitest('unit', limitMs) },
  cli: { setup: 'code', minutes: 15, run: (limitMs) => vitest('cli', limitMs) },
  desktop: { setup: 'test', minutes: 15, run: (limitMs) => vitest('desktop', limitMs) },
  tray: { setup: 'test', minutes: 15, run: (limitMs) => vitest('tray', limitMs) },
};

const bin = join(root, 'node_modules/.bin');
/** Suites that are under way, each in a process group of its own. */
const running = new Set();

process.exitCode = await main(process.argv.slice(2));

/** @param {string[]} names */
async function main(names) {
  for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) process.on(signal, endAll);
  const unknown = names.filter((name) => suites[name] === undefined);
  if (unknown.length > 0) {
    console.error(`There is no suite ${unknown.join(', ')}; the suites are ${Object.keys(suites).join(', ')}.`);
    return 2;
  }
  const chosen = Object.entries(suites).filter(([name]) => names.length === 0 || names.includes(name));
  await prepare(chosen.map(([, suite]) => suite));

  /** @type {string[]} */
  const lines = [];
  let passed = 0;
  let failed = 0;
  for (const [name, suite] of chosen) {
    console.log(`\n=== ${name}`);
    const started = Date.now();
    const count = await suite.run(suite.minutes * 60_000);
    const seconds = ((Date.now() - started) / 1000).toFixed(1);
    const remarks = count.remarks.map((remark) => `; ${remark}`).join('');
    lines.push(`${name.padEnd(8)} ${count.passed} passed, ${count.failed} failed in ${seconds} s${remarks}`);
    passed += count.passed;
    failed += count.failed;
  }
  console.log(`\n${lines.join('\n')}\n\n${passed} passed, ${failed} failed`);
  return failed === 0 ? 0 : 1;
}

/** @param {Suite[]} chosen */
async function prepare(chosen) {
  try {
    for (const purpose of new Set(chosen.map((suite) => suite.setup))) await setUp(purpose);
    const { ensureBuilt } = await import('./build.mjs');
    await ensureBuilt();
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    console.log('\nSet-up or build failed: no test ran.\n\n0 passed, 1 failed');
    process.exit(1);
  }
}

/**
 * Types and rules; counts as one test.
 *
 * @param {number} limitMs
 * @returns {Promise<Count>}
 */
async function lint(limitMs) {
  const types = await runProgram('tsc', ['-p', '.'], limitMs);
  const rules = await runProgram('biome', ['check'], limitMs);
  const remarks = [types, rules].flatMap(({ problem }) => problem ?? []);
  return remarks.length === 0 ? { passed: 1, failed: 0, remarks } : { passed: 0, failed: 1, remarks };
}

/**
 * @param {string} project
 * @param {number} limitMs
 * @returns {Promise<Count>}
 */
async function vitest(project, limitMs) {
  const folder = mkdtempSync(join(tmpdir(), 'dagu-test-'));
  try {
    const report = join(folder, 'report.json');
    const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
    const { problem } = await runProgram('vitest', ['run', '--project', project, ...reporters], limitMs);
    return countReport(report, problem);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * @param {string} report Path of vitest's report.
 * @param {string | undefined} problem How vitest itself ended, when not well.
 * @returns {Count}
 */
function countReport(report, problem) {
  const { numPassedTests: passed, numFailedTests, numPendingTests, testResults } = readReport(report);
  // A file that could not be loaded has no test that failed.
  const brokenFiles = testResults.filter(
    ({ status, assertionResults }) => status === 'failed' && assertionResults.every((test) => test.status !== 'failed'),
  ).length;
  const remarks = [];
  let failed = numFailedTests + brokenFiles;
  if (brokenFiles > 0) remarks.push(`${brokenFiles} files could not be run`);
  if (numPendingTests > 0) remarks.push(`${numPendingTests} skipped`);
  if (problem !== undefined && failed === 0) {
    failed = 1;
    remarks.push(problem);
  }
  if (passed + failed === 0) {
    failed = 1;
    remarks.push('it ran no test');
  }
  return { passed, failed, remarks };
}

/**
 * @param {string} path
 * @returns {{numPassedTests: number, numFailedTests: number, numPendingTests: number,
 *   testResults: {status: string, assertionResults: {status: string}[]}[]}}
 */
function readReport(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    // It was ended, or found no test: how it ended says which.
    if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'ENOENT') throw error;
    return { numPassedTests: 0, numFailedTests: 0, numPendingTests: 0, testResults: [] };
  }
}

/**
 * Runs a program of node_modules with its output shown, and ends it and what it started after a time.
 *
 * @param {string} name
 * @param {string[]} args
 * @param {number} limitMs
 * @returns {Promise<{problem: string | undefined}>}
 */
function runProgram(name, args, limitMs) {
  return new Promise((resolve) => {
    const child = spawn(join(bin, name), args, { cwd: root, stdio: ['ignore', 'inherit', 'inherit'], detached: true });
    running.add(child.pid);
    let late = false;
    const timer = setTimeout(() => {
      late = true;
      endGroup(child.pid);
    }, limitMs);
    child.once('error', (error) => finish(`${name} did not start: ${error.message}`));
    child.once('exit', (code, signal) => {
      if (late) finish(`${name} was ended after ${limitMs / 60_000} minutes`);
      else finish(code === 0 ? undefined : `${name} ended with ${signal ?? `exit code ${code}`}`);
    });
    /** @param {string | undefined} problem */
    const finish = (problem) => {
      clearTimeout(timer);
      endGroup(child.pid); // whatever it left behind
      running.delete(child.pid);
      resolve({ problem });
    };
  });
}

function endAll() {
  for (const pid of running) endGroup(pid);
  process.exit(1);
}

/** @param {number | undefined} pid */
function endGroup(pid) {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'ESRCH') throw error;
  }
}
