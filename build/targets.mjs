import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import react from '@vitejs/plugin-react';
import { root } from './freshness.mjs';
import { lazyRequires } from './lazy-requires.mjs';
import { largePackages, quickPrograms } from './quick-programs.mjs';
import { evaluateSchemas, schemaLiterals } from './schema-literals.mjs';
import { loadWhenCalled } from './when-called.mjs';

/** The Chromium of the oldest Electron that the tests run on (docs/development.md). */
const chromium = 'chrome130';

/** Node programs by their names in dist/ (core/process/entries.ts), beside those of build/quick-programs.mjs. */
const programs = {
  documents: 'executor/documents/host.ts',
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
  const schemas = schemaLiterals(await evaluateSchemas());
  return [
    nodePrograms(outDir, schemas),
    startedOften(outDir, schemas),
    bridge(outDir, schemas),
    pages(outDir, schemas),
  ].filter((target) => target !== undefined);
}

/**
 * The programs, as ES modules at one level with the chunks that they share; other packages stay in node_modules.
 *
 * @param {string} outDir
 * @param {import('vite').Plugin} schemas
 */
function nodePrograms(outDir, schemas) {
  const input = present(programs);
  if (Object.keys(input).length === 0) return undefined;
  return shared(outDir, {
    plugins: [schemas],
    // Packages of many small files are bundled: reading them one by one is most of a program's start.
    ssr: {
      target: 'node',
      external: true,
      noExternal: ['typebox', 'ajv', 'ajv-formats', 'yaml', 'numfmt', 'saxes', 'xmlchars', 'yauzl'],
    },
    build: {
      ssr: true,
      target: 'node20.19',
      rolldownOptions: {
        input,
        external: ['electron'],
        treeshake,
        output: { format: 'esm', entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js' },
      },
    },
  });
}

/** Packages that stay in node_modules: native ones, and those that few starts load. */
const unbundled = [
  '@anthropic-ai/sdk',
  '@bomb.sh/tab',
  '@napi-rs/keyring',
  '@photostructure/sqlite',
  'fs-native-extensions',
  'koffi',
  'openai',
  'sharp',
  'undici',
];

/**
 * The programs that start often, with all that a start loads (build/quick-programs.mjs).
 *
 * @param {string} outDir
 * @param {import('vite').Plugin} schemas
 */
function startedOften(outDir, schemas) {
  const input = present(quickPrograms);
  if (Object.keys(input).length === 0) return undefined;
  return shared(outDir, {
    plugins: [schemas, loadWhenCalled(), lazyRequires()],
    ssr: { target: 'node', external: unbundled, noExternal: true },
    build: {
      ssr: true,
      target: 'node20.19',
      rolldownOptions: {
        input,
        treeshake,
        output: {
          // To load its first ES module takes Node as long as much of a program's start.
          format: 'cjs',
          // A text of ASCII alone is half the bytes in memory.
          charset: 'ascii',
          comments: false,
          entryFileNames: '[name]-main-[hash].cjs',
          chunkFileNames: '[name]-[hash].cjs',
          codeSplitting: { groups: largePackages.map((name) => ({ name, test: `/node_modules/${name}/` })) },
        },
      },
    },
  });
}

/**
 * Reading `Type.Optional` into a constant is no reason to keep TypeBox.
 *
 * @type {import('vite').Rolldown.TreeshakingOptions}
 */
const treeshake = { propertyReadSideEffects: false };

/**
 * The bridge between pages and main: one CommonJS file, as a sandboxed preload has to be.
 *
 * @param {string} outDir
 * @param {import('vite').Plugin} schemas
 */
function bridge(outDir, schemas) {
  const input = present({ preload: 'preload/preload.ts' });
  if (Object.keys(input).length === 0) return undefined;
  return shared(outDir, {
    plugins: [schemas],
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
 * @param {import('vite').Plugin} schemas
 */
function pages(outDir, schemas) {
  const folder = join(root, 'renderer');
  const documents = existsSync(folder) ? readdirSync(folder).filter((file) => file.endsWith('.html')) : [];
  if (documents.length === 0) return undefined;
  return shared(join(outDir, 'renderer'), {
    root: folder,
    base: './',
    plugins: [react(), schemas],
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
