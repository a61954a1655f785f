import { spawn } from 'node:child_process';
import { cpSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { fileURLToPath } from 'node:url';
import { checkEffects, listText, screenshotsIn } from './demo-checks.mjs';
import { invoiceScript } from './demo-script.mjs';
import { startSession } from './desktop-session.mjs';
import { scriptedNotice, startScriptedModel } from './scripted-model.mjs';

/**
 * The demo: reads three invoices with a scripted model and posts them in HomeBank, on a
 * display of its own where there is no desktop, or where that is asked for.
 *
 * node build/demo.mjs [--own-display | --use-display]
 */

const examples = fileURLToPath(new URL('../examples/invoices/', import.meta.url));
const command = fileURLToPath(new URL('../bin/dagu.cjs', import.meta.url));

/** What has to be given back, newest first, on every way out. */
/** @type {(() => Promise<unknown>)[]} */
const cleanups = [];
/** Aborts with the signal's name when the demo is told to end. */
const stop = new AbortController();
for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) {
  process.on(signal, () => stop.abort(signal));
}

process.exitCode = await main().catch((error) => {
  console.error(`\nThe demo failed: ${error instanceof Error ? error.message : String(error)}`);
  return 1;
});
for (const cleanup of cleanups.reverse()) await cleanup();
if (stop.signal.aborted) {
  console.error('The demo was stopped; all that it started has ended.');
  process.exitCode = 130;
}

/** @returns {Promise<number>} The exit code. */
async function main() {
  const place = await choosePlace(process.argv.slice(2));
  if (typeof place === 'string') {
    console.error(place);
    return 1;
  }
  const folder = mkdtempSync(join(tmpdir(), 'dagu-desktop-demo-'));
  const home = join(folder, 'data');
  const work = join(folder, 'invoices');
  cpSync(examples, work, { recursive: true });

  // The workflow's pins name what HomeBank shows in English.
  const env = place.own ? await openDisplay() : { ...process.env, LC_ALL: 'C.UTF-8', DAGU_DESKTOP_X11: '1' };
  const model = await startScriptedModel(invoiceScript);
  cleanups.push(() => model.stop());
  console.log(`The model answers at ${model.url}. ${scriptedNotice}`);
  console.log(
    'It answers only a request that holds the number and the total of the invoice, as they stand in the file.',
  );
  console.log(`The invoices, the books and the workflow were copied to ${work}\n`);
  if (stop.signal.aborted) return 1;

  const code = await runWorkflow(join(work, 'post-invoices.yaml'), model.url, { ...env, DAGU_DESKTOP_HOME: home });
  if (stop.signal.aborted) return 1;
  if (!place.own) console.log('\nHomeBank is left open, as an application that a workflow starts is.');
  return report(work, home, code);
}

/**
 * Where to run, or why not.
 *
 * @param {string[]} args
 * @returns {Promise<{own: boolean} | string>}
 */
async function choosePlace(args) {
  const usage = 'use --own-display for a display of its own that nobody sees, or --use-display for this desktop';
  const unknown = args.find((arg) => arg !== '--own-display' && arg !== '--use-display');
  if (unknown !== undefined || args.length > 1) return `The demo does not know ${args.join(' ')}: ${usage}.`;
  const { DISPLAY, WAYLAND_DISPLAY } = process.env;
  if (args[0] === '--own-display' || (!DISPLAY && !WAYLAND_DISPLAY)) return { own: true };
  if (WAYLAND_DISPLAY) {
    if (args[0] === '--use-display') return 'This is a Wayland desktop, which cannot be operated: use --own-display.';
    console.log('This is a Wayland desktop, which cannot be operated: the demo runs on a display of its own.');
    return { own: true };
  }
  if (args[0] === '--use-display') return { own: false };
  if (!process.stdin.isTTY) {
    return 'There is a desktop here, and nobody to ask whether the demo may use it: npm run demo -- --own-display runs it on a display of its own, npm run demo -- --use-display on this desktop.';
  }
  return await askPlace();
}

async function askPlace() {
  const lines = createInterface({ input: process.stdin, output: process.stdout });
  lines.on('SIGINT', () => stop.abort('SIGINT'));
  try {
    const answer = await lines.question(
      'The demo moves the pointer and types for about half a minute. Use this desktop for it? [y/N, N: a display of its own] ',
      { signal: stop.signal },
    );
    return { own: !/^y(es)?$/i.test(answer.trim()) };
  } finally {
    lines.close();
  }
}

async function openDisplay() {
  const session = await startSession({ width: 1280, height: 800, compositor: true });
  cleanups.push(() => session.stop());
  console.log(
    `The demo runs on a display of its own (${session.display}), which nobody sees; the screenshots show it.`,
  );
  return session.env;
}

/**
 * @param {string} path
 * @param {string} modelUrl
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<number>} The command's exit code.
 */
async function runWorkflow(path, modelUrl, env) {
  const child = spawn(process.execPath, [command, 'start', path, '--', `MODEL_URL=${modelUrl}`], {
    env,
    stdio: ['ignore', 'inherit', 'inherit'],
    // A group of its own: Ctrl+C reaches it once, from here.
    detached: true,
  });
  const passOn = () => child.kill('SIGINT');
  stop.signal.addEventListener('abort', passOn, { once: true });
  return await new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve(code ?? 1));
  });
}

/**
 * @param {string} work
 * @param {string} home
 * @param {number} code
 */
function report(work, home, code) {
  const findings = checkEffects(
    work,
    home,
    invoiceScript.map(({ values }) => values),
  );
  console.log('\nWhat is there now, checked apart from the run:');
  for (const { holds, text } of findings) console.log(`  ${holds ? 'ok      ' : 'MISSING '} ${text}`);
  console.log(`\n${join(work, 'posted.csv')}:\n${listText(join(work, 'posted.csv')).replace(/^(?=.)/gm, '  ')}`);
  console.log(`Books:        ${join(work, 'books.xhb')}`);
  for (const [index, file] of screenshotsIn(home).entries()) {
    console.log(`${index === 0 ? 'Screenshots:' : '            '}  ${file}`);
  }
  console.log(`Timeline:     DAGU_DESKTOP_HOME=${home} npx --no dagu status post-invoices`);
  const good = code === 0 && findings.every(({ holds }) => holds);
  console.log(good ? '\nThe demo succeeded.' : '\nThe demo did NOT succeed.');
  return good ? 0 : 1;
}
