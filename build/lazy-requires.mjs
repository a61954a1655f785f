import { parseAst } from 'vite';

/**
 * Makes the programs load other packages, and Node's own modules, when they are first
 * used: `const x = require('y')` becomes a function that is called wherever `x` was read.
 * What a module imports thus costs a start nothing that does not use it. Of `import('y')` it
 * makes `require.import('y')`, which the loader of the programs has (build/load-program.cjs).
 *
 * @typedef {{type: string, start: number, end: number} & Record<string, any>} Node Of a syntax tree.
 * @typedef {{start: number, end: number, text: string}} Edit
 *
 * @typedef {object} Required A variable that holds what was required.
 * @property {Node} statement That declares it.
 * @property {Node} id
 * @property {Node} init
 * @property {Node} scope The body of the function, or the module, that the statement is in.
 *
 * @typedef {object} Mention An identifier in the code.
 * @property {Node} node
 * @property {'name' | 'read' | 'constructed' | 'other'} use
 */

/** Modules that Node has loaded before any program begins. */
const loadedByNode = ['buffer', 'events', 'fs', 'path', 'process', 'timers', 'url', 'util'];
const loadedBefore = new RegExp(`^(?:node:)?(?:${loadedByNode.join('|')})$`);

/** What is in all code that has something to change. */
const sign = new RegExp(`\\brequire\\("(?!\\.|(?:node:)?(?:${loadedByNode.join('|')})")|\\bimport\\(`);

/** @returns {import('vite').Plugin} */
export function lazyRequires() {
  return {
    name: 'lazy-requires',
    renderChunk: (code) => (sign.test(code) ? { code: withLazyRequires(code), map: null } : undefined),
  };
}

/**
 * @param {string} code Of a CommonJS module.
 * @returns {string}
 */
export function withLazyRequires(code) {
  /** @type {Required[]} */
  const required = [];
  /** @type {Map<string, Mention[]>} */
  const mentions = new Map();
  /** @type {Edit[]} */
  const edits = [];
  const program = /** @type {any} */ (parseAst(code));
  read(program, { scope: program, required, mentions, edits });

  edits.push(...required.flatMap((one) => editsOf(one, mentions.get(one.id.name) ?? [])));
  let result = code;
  for (const { start, end, text } of edits.sort((one, other) => other.start - one.start)) {
    result = result.slice(0, start) + text + result.slice(end);
  }
  return result;
}

/**
 * @param {Node} node
 * @param {{scope: Node, required: Required[], mentions: Map<string, Mention[]>, edits: Edit[]}} found
 * @param {boolean} [isConstructed] The node is what `new` is applied to, or that is a member of it.
 */
function read(node, found, isConstructed = false) {
  if (node.type === 'VariableDeclaration') {
    const [{ id, init }, ...others] = node.declarations;
    if (others.length === 0 && isOthersRequire(id, init)) {
      found.required.push({ statement: node, id, init, scope: found.scope });
    }
  }
  if (node.type === 'ImportExpression') {
    found.edits.push({ start: node.start, end: node.start + 'import'.length, text: 'require.import' });
  }
  for (const key of Object.keys(node)) {
    for (const child of Array.isArray(node[key]) ? node[key] : [node[key]]) {
      if (typeof child?.type !== 'string') continue;
      const constructed = node.type === 'NewExpression' ? key === 'callee' : isConstructed && key === 'object';
      if (child.type === 'Identifier') {
        const mention = { node: child, use: purposeOf(node, key, constructed) };
        const others = found.mentions.get(child.name);
        if (others === undefined) found.mentions.set(child.name, [mention]);
        else others.push(mention);
      } else {
        const isBody = key === 'body' && /Function/.test(node.type);
        read(child, isBody ? { ...found, scope: child } : found, constructed);
      }
    }
  }
}

/**
 * @param {Node} id
 * @param {Node | null} init
 */
function isOthersRequire(id, init) {
  if (id.type !== 'Identifier' || init?.type !== 'CallExpression' || init.callee.name !== 'require') return false;
  const [module] = init.arguments;
  const name = module?.value;
  return typeof name === 'string' && !name.startsWith('.') && !loadedBefore.test(name);
}

/**
 * What an identifier is there for, in the forms that the code has.
 *
 * @param {Node} parent
 * @param {string} key
 * @param {boolean} isConstructed
 * @returns {Mention['use']}
 */
function purposeOf(parent, key, isConstructed) {
  if (parent.type === 'MemberExpression') {
    if (key === 'property' && !parent.computed) return 'name';
    return isConstructed ? 'constructed' : 'read';
  }
  const hasKey = ['Property', 'MethodDefinition', 'PropertyDefinition'].includes(parent.type);
  if (hasKey && key === 'key' && !parent.computed && !parent.shorthand) return 'name';
  return parent.type === 'CallExpression' && key === 'arguments' ? 'read' : 'other';
}

/**
 * @param {Required} required
 * @param {Mention[]} mentions Of its name.
 * @returns {Edit[]} None where it is more than read, or something else has its name.
 */
function editsOf({ statement, id, init, scope }, mentions) {
  const { name } = id;
  const uses = mentions.filter(({ node, use }) => use !== 'name' && node !== id && isIn(node, scope));
  if (uses.some(({ use }) => use === 'other')) return [];
  const reads = uses.map(({ node: { start, end }, use }) => {
    return { start, end, text: use === 'constructed' ? `(${name}$())` : `${name}$()` };
  });
  return [
    { start: statement.start, end: init.start, text: `let ${name}$module; const ${name}$ = () => ${name}$module ??= ` },
    { start: init.end, end: statement.end, text: ';' },
    ...reads,
  ];
}

/**
 * @param {Node} node
 * @param {Node} scope
 */
function isIn(node, scope) {
  return node.start >= scope.start && node.end <= scope.end;
}
