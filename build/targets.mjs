import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import react from '@vitejs/plugin-react';
import { contractValidators, contractValidatorsCode } from './contract-validators.mjs';
import { root } from './freshness.mjs';

/** The Chromium of the oldest Electron that the tests run on (docs/development.md). */
const chromium = 'chrome130';

/** Node programs by their names in dist/ (core/process/entries.ts). */
const programs = {
  cli: 'cli/main.ts',
  executor: 'executor/process.ts',
  driver: 'native/host.ts',
  electron: 'main/electron/main.ts',
  queries: 'main/queries.ts',
};

/**
 * One Vite configuration for each thing that is built.
 *
 * @param {string} outDir Folder that stands for dist/.
 * @returns {Promise<import('vite').InlineConfig[]>}
 */
export async function targets(outDir) {
  const code = await contractValidatorsCode();
  const validators = contractValidators(() => code);
  return [nodePrograms(outDir), bridge(outDir, validators), pages(outDir, validators)].filter(
    (target) => target !== undefined,
  );
}

/**
 * The programs, as ES modules at one level with the chunks that they share; other packages stay in node_modules.
 *
 * @param {string} outDir
 */
function nodePrograms(outDir) {
  const input = present(programs);
  if (Object.keys(input).length === 0) return undefined;
  return shared(outDir, {
    // Packages of many small files are bundled: reading them one by one is most of a command's start.
    ssr: { target: 'node', external: true, noExternal: ['typebox', 'ajv', 'ajv-formats', 'yaml', 'commander'] },
    build: {
      ssr: true,
      target: 'node20.19',
      rolldownOptions: {
        input,
        external: ['electron'],
        output: { format: 'esm', entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js' },
      },
    },
  });
}

/**
 * The bridge between pages and main: one CommonJS file, as a sandboxed preload has to be.
 *
 * @param {string} outDir
 * @param {import('vite').Plugin} validators
 */
function bridge(outDir, validators) {
  const input = present({ preload: 'preload/preload.ts' });
  if (Object.keys(input).length === 0) return undefined;
  return shared(outDir, {
    plugins: [validators],
    build: {
      target: chromium,
      rolldownOptions: {
        input,
        external: ['electron'],
        output: { format: 'cjs', entryFileNames: '[name].cjs', codeSplitting: false },
      },
    },
  });
}

/**
 * The pages. Everything is a file of its own (no inline scripts, no data addresses) and
 * found relative to the page, so that a strict policy and any scheme can serve them.
 *
 * @param {string} outDir
 * @param {import('vite').Plugin} validators
 */
function pages(outDir, validators) {
  const folder = join(root, 'renderer');
  const documents = existsSync(folder) ? readdirSync(folder).filter((file) => file.endsWith('.html')) : [];
  if (documents.length === 0) return undefined;
  return shared(join(outDir, 'renderer'), {
    root: folder,
    base: './',
    plugins: [react(), validators],
    build: {
      target: chromium,
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      rolldownOptions: { input: documents.map((file) => join(folder, file)) },
    },
  });
}

/**
 * @param {string} outDir
 * @param {import('vite').InlineConfig} config
 * @returns {import('vite').InlineConfig}
 */
function shared(outDir, config) {
  return {
    root,
    configFile: false,
    envDir: false,
    publicDir: false,
    logLevel: 'warn',
    ...config,
    build: { outDir, emptyOutDir: false, sourcemap: true, minify: false, reportCompressedSize: false, ...config.build },
  };
}

/**
 * The inputs that exist.
 *
 * @param {Record<string, string>} input
 * @returns {Record<string, string>}
 */
function present(input) {
  const found = Object.entries(input).filter(([, file]) => existsSync(join(root, file)));
  return Object.fromEntries(found.map(([name, file]) => [name, join(root, file)]));
}
