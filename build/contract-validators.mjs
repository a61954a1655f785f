import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import standaloneModule from 'ajv/dist/standalone/index.js';
import { runnerImport } from 'vite';
import { root } from './freshness.mjs';

const id = 'virtual:contract-validators';
const resolvedId = `\0${id}`;
// In Node a CommonJS module's default import is all that it exports; its types say otherwise.
const standalone = /** @type {{default: typeof standaloneModule}} */ (/** @type {unknown} */ (standaloneModule))
  .default;
const contract = join(root, 'core/contract/api.ts');

/**
 * Offers `virtual:contract-validators` (build/contract-validators.d.ts): the API contract's
 * checks as plain code, for the pages and their bridge, whose content security policy
 * forbids to compile schemas there.
 *
 * @param {() => string | Promise<string>} code Gives what {@link contractValidatorsCode} made. Inside a
 *   bundler's build it must have been made before: loading the contract there waits for ever.
 * @returns {import('vite').Plugin}
 */
export function contractValidators(code) {
  return {
    name: 'contract-validators',
    resolveId: (source) => (source === id ? resolvedId : undefined),
    load: (source) => (source === resolvedId ? code() : undefined),
  };
}

/**
 * The checks of the API contract as it stands.
 *
 * @returns {Promise<string>}
 */
export async function contractValidatorsCode() {
  const { module } = await runnerImport(contract, { configFile: false, root, logLevel: 'error' });
  return validatorCode(module);
}

/**
 * @param {any} module The contract's module: its schemas are TypeBox's, which are JSON Schemas.
 * @returns {string}
 */
export function validatorCode({ apiProtocol, apiNotices }) {
  // The same options as core/contract/check.ts, so that both sides of a call agree.
  const ajv = new Ajv2020({
    allErrors: false,
    strict: true,
    strictTypes: false,
    strictTuples: false,
    allowUnionTypes: true,
    code: { source: true, esm: true },
  });
  /** @type {Map<object, string>} */
  const names = new Map();
  /** @type {Record<'params' | 'results' | 'notices', string[]>} */
  const tables = { params: [], results: [], notices: [] };
  /**
   * @param {keyof typeof tables} table
   * @param {string} key
   * @param {object} schema
   */
  const add = (table, key, schema) => {
    // A schema that several calls share is compiled once: ajv would write its code twice under one name.
    const name = names.get(schema) ?? `check${names.size}`;
    if (!names.has(schema)) ajv.addSchema(schema, name);
    names.set(schema, name);
    tables[table].push(`${JSON.stringify(key)}: ${name}`);
  };
  for (const [call, { params, result }] of Object.entries(apiProtocol)) {
    add('params', call, params);
    add('results', call, result);
  }
  for (const [notice, schema] of Object.entries(apiNotices)) add('notices', notice, schema);

  const exported = Object.entries(tables).map(([table, keys]) => `export const ${table} = { ${keys.join(', ')} };`);
  return [
    importRequired(standalone(ajv, Object.fromEntries([...names.values()].map((name) => [name, name])))),
    ...exported,
  ].join('\n');
}

/**
 * ajv's code for ES modules still requires its own helpers (string length, equality).
 *
 * @param {string} code
 */
function importRequired(code) {
  /** @type {string[]} */
  const imports = [];
  const body = code.replace(/const (\w+) = require\("([^"]+)"\)\.default;/g, (_, name, module) => {
    const file = module.endsWith('.js') ? module : `${module}.js`;
    imports.push(`import * as ${name}_module from ${JSON.stringify(file)};`);
    // Depending on who bundles, a CommonJS module's `default` is the module or its own default.
    return `const ${name} = ${name}_module.default.default ?? ${name}_module.default;`;
  });
  if (/\brequire\(/.test(body)) throw new Error('ajv made code with a form of require that is not known here');
  return [...new Set(imports), body].join('\n');
}
