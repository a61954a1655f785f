import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { normalizePath, parseAst, runnerImport } from 'vite';
import { root } from './freshness.mjs';

/**
 * Makes literals of the source's schemas, so that what is built neither loads TypeBox nor
 * makes schemas each time it starts.
 *
 * The modules that define schemas are evaluated once before the build. In the bundle each
 * of their constants that holds schemas is then the JSON of its value; what no program
 * uses falls to tree-shaking, and TypeBox with it.
 *
 * @typedef {Map<string, Record<string, unknown>>} SchemaConstants The constants that hold schemas, by module and name.
 */

const folders = ['core', 'native', 'executor', 'main', 'cli'];
const importsTypeBox = /^import (?!type\b)[^;]*? from 'typebox';$/m;
const exportPrefix = '__constant_';

/**
 * Evaluates every module of the source that defines schemas. It must be awaited before a
 * bundler's build: loading the source inside one waits for ever.
 *
 * @returns {Promise<SchemaConstants>}
 */
export async function evaluateSchemas() {
  const files = schemaModules();
  const entry = '\0all-schemas';
  const { module } = await runnerImport(entry, {
    configFile: false,
    root,
    logLevel: 'error',
    plugins: [
      {
        name: 'all-schemas',
        resolveId: (id) => (id === entry ? entry : undefined),
        load: (id) => (id === entry ? files.map(exportModule).join('\n') : undefined),
        transform: (code, id) => (files.includes(id) ? exportConstants(code) : undefined),
      },
    ],
  });
  return new Map(files.map((file, index) => [file, schemaConstants(module[moduleName(index)])]));
}

function schemaModules() {
  return folders
    .flatMap((folder) => readdirSync(join(root, folder), { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile() && /(?<!\.test)\.ts$/.test(entry.name))
    .map((entry) => normalizePath(join(entry.parentPath ?? entry.path, entry.name)))
    .filter((file) => importsTypeBox.test(readFileSync(file, 'utf8')));
}

/**
 * @param {string} file
 * @param {number} index
 */
function exportModule(file, index) {
  return `export * as ${moduleName(index)} from ${JSON.stringify(file)};`;
}

/** @param {number} index */
function moduleName(index) {
  return `module${index}`;
}

/** @param {string} code */
function exportConstants(code) {
  const names = constantsOf(code).map(({ name }) => `${name} as ${exportPrefix}${name}`);
  return `${code}\nexport { ${names.join(', ')} };`;
}

/**
 * @param {Record<string, unknown>} module
 * @returns {Record<string, unknown>}
 */
function schemaConstants(module) {
  const constants = Object.entries(module)
    .filter(([name, value]) => name.startsWith(exportPrefix) && holdsSchema(value))
    .map(([name, value]) => [name.slice(exportPrefix.length), value]);
  return Object.fromEntries(constants);
}

/**
 * The constants at the top level of a module.
 *
 * @param {string} code JavaScript.
 * @returns {{name: string, start: number, end: number}[]} With the place of what each is set to.
 */
function constantsOf(code) {
  return parseAst(code).body.flatMap((node) => {
    const statement = node.type === 'ExportNamedDeclaration' ? node.declaration : node;
    if (statement?.type !== 'VariableDeclaration' || statement.kind !== 'const') return [];
    return statement.declarations.flatMap(({ id, init }) =>
      id.type === 'Identifier' && init ? [{ name: id.name, start: init.start, end: init.end }] : [],
    );
  });
}

/**
 * @param {unknown} value
 * @returns {boolean}
 */
function holdsSchema(value) {
  if (typeof value !== 'object' || value === null) return false;
  // TypeBox marks what it makes with properties that are not enumerable.
  return '~kind' in value || '~unsafe' in value || Object.values(value).some(holdsSchema);
}

/**
 * Puts literals in the place of what makes the source's schemas.
 *
 * @param {SchemaConstants} schemas
 * @returns {import('vite').Plugin}
 */
export function schemaLiterals(schemas) {
  return {
    name: 'schema-literals',
    transform(code, id) {
      // It has no side effects, and does not say so.
      if (isTypeBox(id)) return { code, map: null, moduleSideEffects: false };
      const constants = schemas.get(id);
      return constants && { code: withLiterals(code, constants), map: null };
    },
    generateBundle(_, bundle) {
      for (const file of Object.values(bundle)) if (file.type === 'chunk') refuseTypeBox(file);
    },
  };
}

/** @param {string} id */
function isTypeBox(id) {
  return id.includes('/node_modules/typebox/');
}

/**
 * Throws where a program would still make a schema when it runs.
 *
 * @param {import('vite').Rolldown.OutputChunk} chunk
 */
function refuseTypeBox({ fileName, moduleIds }) {
  if (!moduleIds.some(isTypeBox)) return;
  const own = moduleIds.filter((id) => !id.includes('/node_modules/')).join(', ');
  throw new Error(
    `${fileName} makes a schema when it runs: make it a constant at the top of its module, which is one of ${own}`,
  );
}

/**
 * @param {string} code Of a module.
 * @param {Record<string, unknown>} constants
 */
export function withLiterals(code, constants) {
  let result = code;
  for (const { name, start, end } of constantsOf(code).reverse()) {
    if (!Object.hasOwn(constants, name)) continue;
    // The lines that follow keep their numbers, which the source map tells.
    const lines = code.slice(start, end).split('\n').length - 1;
    result = result.slice(0, start) + literal(constants[name]) + '\n'.repeat(lines) + result.slice(end);
  }
  return result;
}

/**
 * @param {unknown} value Schemas, and lists and tables of them.
 * @returns {string}
 */
function literal(value) {
  if (Array.isArray(value)) return `[${value.map(literal).join(',')}]`;
  if (typeof value === 'function') throw new Error('a constant that holds a schema and a function has no literal');
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'undefined';
  return `{${Object.entries(value)
    .map(([key, inner]) => `${JSON.stringify(key)}:${literal(inner)}`)
    .join(',')}}`;
}
