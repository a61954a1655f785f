import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { minifySync } from 'vite';
import { root } from './freshness.mjs';

/**
 * Programs that start often, by their names in dist/ (core/process/entries.ts), so that their
 * start is made quick: the build puts the files that a start loads into packs, runs the
 * programs on a sample, and leaves the packs' compiled code beside them (build/load-program.cjs).
 */
export const quickPrograms = { cli: 'cli/main.ts', executor: 'executor/process.ts' };

/** Parts of the programs that are loaded when they are asked for and have a pack of their own, by their chunks' names. */
const parts = { cli: ['validate', 'start'], executor: [] };

/** Bundled packages that nearly every start loads, each a chunk of its own. */
export const largePackages = ['yaml', 'commander'];

const loader = 'load-program.cjs';
const recorder = JSON.stringify(join(root, 'build/record-program.cjs'));

/** A workflow whose check and run use what nearly every workflow does. */
const workflow = `
type: chain
env:
  - REGION: north
params:
  - CUSTOMER: example
steps:
  - id: first
    run: echo "\${CUSTOMER} in \${REGION}"
    output: SAID
  - name: second
    command: "true"
    continue_on: failed
`;

/** Many times what a sample takes. */
const sampleLimitMs = 20_000;

/**
 * Makes the quick programs of a build startable.
 *
 * @param {string} folder Of the built programs.
 */
export function finishQuickPrograms(folder) {
  copyFileSync(join(root, 'build', loader), join(folder, loader));
  const programs = Object.entries(parts).map(([name, chunks]) => {
    const entries = [`${name}-main`, ...chunks].map((chunk) => chunkOf(folder, chunk));
    return { name, start: loading(entries[0], makePacks(folder, name, entries)) };
  });
  for (const { name, start } of programs)
    writeStart(folder, name, `require(${recorder}).recordCode(${start}, __dirname)`);
  for (const asked of ['validate', 'start']) runSample(folder, asked);
  for (const { name, start } of programs) writeStart(folder, name, start);
}

/**
 * @param {string} folder
 * @param {string} name
 */
function chunkOf(folder, name) {
  const isChunk = new RegExp(`^${name}-[\\w-]{8}\\.cjs$`);
  const [chunk, ...others] = readdirSync(folder).filter((file) => isChunk.test(file));
  if (chunk === undefined || others.length > 0) throw new Error(`the build made no or several chunks "${name}"`);
  return chunk;
}

/**
 * Makes a pack of each part of a program, with the files that no pack before it has.
 *
 * @param {string} folder
 * @param {string} program
 * @param {string[]} entries
 * @returns {Record<string, string[]>} The files in each pack.
 */
function makePacks(folder, program, entries) {
  /** @type {Set<string>} */
  const packed = new Set();
  const packs = entries.map((entry) => {
    const files = [...filesOf(folder, entry)].filter((file) => !packed.has(file));
    for (const file of files) packed.add(file);
    return [writePack(folder, program, files), files];
  });
  return Object.fromEntries(packs);
}

/**
 * A file and all that are loaded with it.
 *
 * @param {string} folder
 * @param {string} file
 * @param {Set<string>} [found]
 */
function filesOf(folder, file, found = new Set()) {
  if (found.has(file)) return found;
  found.add(file);
  const requires = readFileSync(join(folder, file), 'utf8').matchAll(/^(?:const \w+ = )?require\("\.\/([^"]+)"\);$/gm);
  for (const [, required = ''] of requires) filesOf(folder, required, found);
  return found;
}

/**
 * @param {string} folder
 * @param {string} program
 * @param {string[]} files
 * @returns {string} The pack's name, which tells its content: V8 asks of compiled code no more
 *   than that its source has the same length.
 */
function writePack(folder, program, files) {
  const functions = files.map((file) => {
    const code = packedCode(file, readFileSync(join(folder, file), 'utf8'));
    return `${JSON.stringify(file)}: function (exports, require, module, __filename, __dirname) {${code}\n}`;
  });
  const text = `({ ${functions.join(',\n')} })`;
  checkAscii(text);
  const pack = `${program}-${createHash('sha256').update(text).digest('hex').slice(0, 16)}`;
  writeFileSync(join(folder, `${pack}.pack.cjs`), text);
  return pack;
}

/**
 * Code that nobody reads but a program at its start is made small; ours stays as it is, for
 * the places that errors name.
 *
 * @param {string} file
 * @param {string} code
 */
function packedCode(file, code) {
  const isPackage = largePackages.some((name) => file.startsWith(`${name}-`));
  if (isPackage) return minifySync(file, code, { codegen: { asciiOnly: true } }).code;
  return code.replace(/^\/\/# sourceMappingURL=.*$/m, '');
}

/** @param {string} text */
function checkAscii(text) {
  const place = text.search(/[^\0-\x7f]/);
  if (place === -1) return;
  const written = `\\u${text.charCodeAt(place).toString(16).padStart(4, '0')}`;
  throw new Error(`write ${written} in the tagged template with "${text.slice(place - 40, place + 1)}"`);
}

/**
 * @param {string} folder
 * @param {string} name
 * @param {string} code
 */
function writeStart(folder, name, code) {
  writeFileSync(join(folder, `${name}.cjs`), `'use strict';\n${code};\n`);
}

/**
 * @param {string | undefined} entry
 * @param {Record<string, string[]>} packs
 */
function loading(entry, packs) {
  return `require('./${loader}').loadProgram('${entry}', ${JSON.stringify(packs)})`;
}

/**
 * Runs the command, and with it what it starts.
 *
 * @param {string} folder
 * @param {string} asked
 */
function runSample(folder, asked) {
  const work = mkdtempSync(join(tmpdir(), 'dagu-build-'));
  try {
    writeFileSync(join(work, 'sample.yaml'), workflow);
    const { status, stderr } = spawnSync(process.execPath, [join(folder, 'cli.cjs'), asked, 'sample.yaml'], {
      cwd: work,
      env: { ...process.env, DAGU_DESKTOP_HOME: join(work, 'home') },
      encoding: 'utf8',
      timeout: sampleLimitMs,
    });
    // What is built may be what is worked on.
    if (status !== 0) console.error(`dagu ${asked} failed on a sample, and so starts slower: ${stderr.trim()}`);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}
