import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { minifySync } from 'vite';
import { root } from './freshness.cjs';

/**
 * Programs that start often, by their names in dist/ (core/process/entries.ts), so that their
 * start is made quick: the build runs them on samples, puts the files that they loaded into
 * packs, and leaves the packs' compiled code beside them (build/load-program.cjs).
 */
export const quickPrograms = { cli: 'cli/main.ts', executor: 'executor/process.ts' };

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

/** What the command is asked for: each loads more than the one before it. */
const samples = [['version'], ['validate', 'sample.yaml'], ['start', 'sample.yaml']];

/**
 * Makes the quick programs of a build startable.
 *
 * @param {string} folder Of the built programs.
 */
export function finishQuickPrograms(folder) {
  copyFileSync(join(root, 'build', loader), join(folder, loader));
  const programs = Object.keys(quickPrograms).map((name) => ({ name, entry: entryOf(folder, name) }));
  const packs = recordPacks(folder, programs);

  for (const { name, entry } of programs) {
    const program = loading(entry, packs.get(name) ?? {});
    writeStart(folder, name, `require(${recorder}).recordCode(${program}, __dirname)`);
  }
  for (const sample of samples) runSample(folder, sample);
  for (const { name, entry } of programs) writeStart(folder, name, loading(entry, packs.get(name) ?? {}));
}

/**
 * @param {string} folder
 * @param {string} name Of a program.
 */
function entryOf(folder, name) {
  const entries = readdirSync(folder).filter((file) => file.startsWith(`${name}-main-`) && file.endsWith('.cjs'));
  const [entry, ...others] = entries;
  if (entry === undefined || others.length > 0) throw new Error(`the build made no or several programs "${name}"`);
  return entry;
}

/**
 * Runs the samples, and makes a pack of the files that each program loaded for the first time.
 *
 * @param {string} folder
 * @param {{name: string, entry: string}[]} programs
 * @returns {Map<string, Record<string, string[]>>} By program: the files in its packs.
 */
function recordPacks(folder, programs) {
  for (const { name, entry } of programs) {
    const path = `__filename.replace(/cjs$/, 'json')`;
    writeStart(folder, name, `require(${recorder}).recordFiles(${loading(entry, {})}, ${path})`);
  }
  /** @type {ReturnType<typeof recordPacks>} */
  const packs = new Map(programs.map(({ name }) => [name, {}]));
  for (const sample of samples) {
    runSample(folder, sample);
    for (const [name, own] of packs) {
      const files = takeList(join(folder, `${name}.json`)).filter((file) => !Object.values(own).flat().includes(file));
      if (files.length > 0) own[writePack(folder, name, files)] = files;
    }
  }
  return packs;
}

/**
 * @param {string} path
 * @returns {string[]}
 */
function takeList(path) {
  if (!existsSync(path)) return [];
  const files = JSON.parse(readFileSync(path, 'utf8'));
  rmSync(path);
  return files;
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
 * @param {string} entry
 * @param {Record<string, string[]>} packs
 */
function loading(entry, packs) {
  return `require('./${loader}').loadProgram('${entry}', ${JSON.stringify(packs)})`;
}

/**
 * Runs the command, and with it what it starts.
 *
 * @param {string} folder
 * @param {string[]} sample
 */
function runSample(folder, sample) {
  const work = mkdtempSync(join(tmpdir(), 'dagu-build-'));
  try {
    writeFileSync(join(work, 'sample.yaml'), workflow);
    const { status, stderr } = spawnSync(process.execPath, [join(folder, 'cli.cjs'), ...sample], {
      cwd: work,
      env: { ...process.env, DAGU_DESKTOP_HOME: join(work, 'home') },
      encoding: 'utf8',
    });
    // What is built may be what is worked on.
    if (status !== 0) console.error(`dagu ${sample[0]} failed on a sample, and so starts slower: ${stderr.trim()}`);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}
