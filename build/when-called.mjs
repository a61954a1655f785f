import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { normalizePath, parseAst } from 'vite';
import { root } from './freshness.mjs';

/** Modules of functions alone that bring a heavy package which most starts of a program do not need. */
const modules = ['core/workflow/author-ajv.ts'].map((file) => normalizePath(join(root, file)));

const whenCalled = '?when-called';
const ownFile = /^\.\/[\w-]+-when-called\.cjs$/;

/**
 * Makes a CommonJS file of its own of each such module, with the packages that it
 * imports; what is built loads the file at the first call of one of its functions.
 *
 * @returns {import('vite').Plugin}
 */
export function loadWhenCalled() {
  return {
    name: 'when-called',
    resolveId: (source) => (ownFile.test(source) ? { id: source, external: true } : undefined),
    load(id) {
      if (!modules.includes(id)) return undefined;
      const file = `${id.replace(/^.*\/|\.ts$/g, '')}-when-called.cjs`;
      this.emitFile({ type: 'chunk', id: `${id}${whenCalled}`, fileName: file });
      return functionsOf(readFileSync(id, 'utf8'))
        .map((name) => `export const ${name} = (...given) => require('./${file}').${name}(...given);`)
        .join('\n');
    },
  };
}

/**
 * @param {string} code TypeScript.
 * @returns {string[]} The names of the functions that it exports.
 */
function functionsOf(code) {
  return parseAst(code, { lang: 'ts' }).body.flatMap((node) => {
    if (node.type !== 'ExportNamedDeclaration') return [];
    if (node.declaration?.type === 'FunctionDeclaration' && node.declaration.id) return [node.declaration.id.name];
    throw new Error('a module that is loaded when it is called exports functions alone');
  });
}
