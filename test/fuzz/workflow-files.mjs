import { fork } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { root } from '../../build/freshness.mjs';
import { mutated } from './mutate.mjs';

/**
 * `npm run fuzz [-- --minutes 10 --seed 1]`: loads mutations of valid workflow files until the
 * time is up. One that crashes the loader, takes longer than a second of its time or leaves an
 * unhandled rejection is kept in test/fuzz/found, whose files the unit tests load, too.
 */

const { values } = parseArgs({ options: { minutes: { type: 'string', default: '1' }, seed: { type: 'string' } } });
const until = Date.now() + Number(values.minutes) * 60_000;
const first = values.seed === undefined ? Date.now() % 1_000_000_000 : Number(values.seed);

/** How long a file may take, in ms of CPU time; twice, since each is loaded twice. */
const mostMs = 2000;
/** When a child that says nothing is ended, in ms: other programs may keep the computer busy. */
const patienceMs = 30_000;

const folders = ['examples', 'test/fuzz/corpus', 'test/fuzz/found'];
const corpus = folders.flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.yaml'))
    .map((file) => readFileSync(join(root, folder, file), 'utf8')),
);

console.log(`seed ${first}, ${corpus.length} files to begin with`);
let seed = first;
let found = 0;
let valid = 0;
let slowest = { ms: 0, seed: first };
let child = await start();
for (; Date.now() < until; seed += 1) {
  const text = mutated(corpus, seed);
  const { wrong, ms = 0, isValid = false } = await answer(child, text);
  if (isValid) valid += 1;
  if (ms > slowest.ms) slowest = { ms, seed };
  const problem = wrong ?? (ms > mostMs ? `slow: ${Math.round(ms)} ms` : undefined);
  if (problem === undefined) continue;
  found += 1;
  const file = join(root, 'test/fuzz/found', `seed-${seed}.yaml`);
  writeFileSync(file, text);
  console.log(`seed ${seed}: ${problem}\n  ${file}`);
  child.kill('SIGKILL');
  child = await start();
}
child.kill('SIGKILL');
console.log(
  `${seed - first} files, of which ${valid} are still valid, ${found} found; the slowest took ${Math.round(slowest.ms)} ms (seed ${slowest.seed})`,
);
process.exitCode = found === 0 ? 0 : 1;

/** @returns {Promise<import('node:child_process').ChildProcess>} */
async function start() {
  const started = fork(join(root, 'test/fuzz/loader.mjs'), { serialization: 'advanced' });
  await new Promise((resolve, reject) => {
    started.once('message', resolve);
    started.once('exit', () => reject(new Error('the loader did not start')));
  });
  started.removeAllListeners('exit');
  return started;
}

/**
 * @param {import('node:child_process').ChildProcess} to
 * @param {string} text
 * @returns {Promise<{ wrong?: string, ms?: number, isValid?: boolean }>}
 */
function answer(to, text) {
  return new Promise((resolve) => {
    const finish = (/** @type {any} */ told) => {
      clearTimeout(timer);
      to.removeAllListeners('message');
      to.removeAllListeners('exit');
      resolve(told);
    };
    const timer = setTimeout(() => finish({ wrong: `hang: no answer for ${patienceMs} ms` }), patienceMs);
    to.once('message', finish);
    to.once('exit', (code, signal) => finish({ wrong: `crash: the process ended with ${code ?? signal}` }));
    to.send(text);
  });
}
