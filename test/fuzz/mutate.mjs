import { parseAllDocuments, stringify } from 'yaml';

/**
 * Mutations of workflow files: what a person may write by mistake, and what nobody would.
 * All of them follow from the seed.
 *
 * @typedef {() => number} Random Gives a number from 0 up to 1.
 */

/**
 * @param {number} seed
 * @returns {Random}
 */
export function randomOf(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

/**
 * A file made of one of the corpus by some mutations.
 *
 * @param {readonly string[]} corpus
 * @param {number} seed
 * @returns {string}
 */
export function mutated(corpus, seed) {
  const random = randomOf(seed);
  let text = pick(corpus, random);
  const rounds = 1 + Math.floor(random() * 4);
  for (let round = 0; round < rounds; round += 1) {
    text = random() < 0.5 ? mutateValues(text, corpus, random) : pick(textMutations, random)(text, random, corpus);
  }
  return text.length > 400_000 ? text.slice(0, 400_000) : text;
}

/**
 * @template T
 * @param {readonly T[]} list
 * @param {Random} random
 * @returns {T}
 */
function pick(list, random) {
  return /** @type {T} */ (list[Math.floor(random() * list.length)]);
}

const snippets = [
  '&a ',
  '*a',
  '<<: *base',
  '*base',
  '&base',
  '!!str ',
  '!!binary ',
  '!!js/x ',
  '---\n',
  '...\n',
  '|\n',
  '>-\n',
  '[',
  ']',
  '{',
  '}',
  '? ',
  ': ',
  '- ',
  '\t',
  '\0',
  '\uFEFF',
  '\r\n',
  '\r',
  '#',
  '%YAML 1.1\n---\n',
  '%TAG ! tag:x,2000:\n---\n',
  "'",
  '"',
  '`',
  '@',
  '${',
  '${params.N}',
  '${steps.a.outputs.OUT}',
  '\\${params.N}',
  '${foreach.item}',
  '$(',
  '\u2028',
  '\ud800',
  '𠮷',
  '\\',
  '__proto__: 1\n',
  '.nan',
  '.inf',
  '0x1F',
  '0o17',
  '1e999',
  '2030-01-01',
  '~',
  'null',
  'yes',
  '012',
  '-',
  '99999999999999999999',
  '"\\u0000"',
];

const scalars = [
  null,
  true,
  false,
  0,
  -1,
  1.5,
  1e21,
  Number.NaN,
  Number.POSITIVE_INFINITY,
  '',
  ' ',
  'a',
  'a b',
  '-1',
  'true',
  '${params.N}',
  '${params.X}',
  '${steps.a.outputs.OUT}',
  '${consts.service}',
  '\\${x}',
  '$(date)',
  '`date`',
  're:(',
  're:^(a+)+$',
  'CRON_TZ=x * * * * *',
  '* * * * *',
  '0 0 30 2 *',
  '*/0 * * * *',
  '@every 1s',
  '../x',
  '/x',
  'x'.repeat(300),
  'ä'.repeat(200),
  '\0',
  '__proto__',
  'constructor',
  'graph',
  'chain',
  'agent',
  'a=b',
  '=b',
  'NAME=',
  '{"a": [1]}',
  '[1, 2]',
  '999999999999999999999999',
  '1w2d3h',
  '-5h',
  'child',
  'bash -e',
  "'",
  '"',
  '#!/bin/sh',
];

const keys = [
  'id',
  'name',
  'run',
  'action',
  'with',
  'foreach',
  'depends',
  'env',
  'output',
  'outputs',
  'output_schema',
  'stdout',
  'stderr',
  'timeout_sec',
  'retry_policy',
  'continue_on',
  'preconditions',
  'approval',
  'worker_selector',
  'command',
  'script',
  'shell',
  'call',
  'params',
  'type',
  'config',
  'llm',
  'messages',
  'items',
  'as',
  'key',
  'steps',
  'collect',
  'schema',
  'values',
  'properties',
  'required',
  'default',
  'enum',
  'pattern',
  'minimum',
  '__proto__',
  'constructor',
  'toString',
  '',
  ' ',
  '<<',
  'a.b',
  'schedule',
  'handler_on',
  'exit',
  'consts',
  'secrets',
  'parallel',
  'container',
  'do',
  'act',
  'prompt',
  'tools',
  'dag',
  'artifact',
  'fields',
  'ref',
  'kind',
  'at',
  'start',
  '1',
  '$ref',
  '$id',
  'definitions',
];

/** @type {((text: string, random: Random, corpus: readonly string[]) => string)[]} */
const textMutations = [
  (text, random) => withLines(text, (lines) => lines.splice(place(lines, random), 1)),
  (text, random) =>
    withLines(text, (lines) => lines.splice(place(lines, random), 0, lines[place(lines, random)] ?? '')),
  (text, random) =>
    withLines(text, (lines) => {
      const [one, other] = [place(lines, random), place(lines, random)];
      [lines[one], lines[other]] = [lines[other] ?? '', lines[one] ?? ''];
    }),
  (text, random) =>
    withLines(text, (lines) => {
      const at = place(lines, random);
      lines[at] = random() < 0.5 ? ` ${lines[at]}` : (lines[at] ?? '').replace(/^ /, '');
    }),
  (text, random) => insert(text, pick(snippets, random), random),
  (text, random) => insert(text, pick(snippets, random).repeat(1 + Math.floor(random() * 300)), random),
  (text, random) => text.slice(0, Math.floor(random() * text.length)),
  (text, random) => {
    const start = Math.floor(random() * text.length);
    return text.slice(0, start) + text.slice(start + Math.floor(random() * 20));
  },
  (text, random, corpus) => `${text}\n---\n${pick(corpus, random)}`,
  (text, random, corpus) => {
    const other = pick(corpus, random);
    return text.slice(0, Math.floor(random() * text.length)) + other.slice(Math.floor(random() * other.length));
  },
  (text, random) => text.replace(/: [^\n{[|>&]+/g, (found) => (random() < 0.1 ? `: ${pick(snippets, random)}` : found)),
  (text, random) => {
    const code = Math.floor(random() * 0x3000);
    return insert(text, String.fromCharCode(code), random);
  },
];

/**
 * @param {readonly unknown[]} list
 * @param {Random} random
 */
function place(list, random) {
  return Math.floor(random() * list.length);
}

/**
 * @param {string} text
 * @param {(lines: string[]) => void} change
 */
function withLines(text, change) {
  const lines = text.split('\n');
  change(lines);
  return lines.join('\n');
}

/**
 * @param {string} text
 * @param {string} more
 * @param {Random} random
 */
function insert(text, more, random) {
  const at = Math.floor(random() * (text.length + 1));
  return text.slice(0, at) + more + text.slice(at);
}

/**
 * Changes a value somewhere in one of the documents.
 *
 * @param {string} text
 * @param {readonly string[]} corpus
 * @param {Random} random
 */
function mutateValues(text, corpus, random) {
  const documents = valuesOf(text);
  if (documents === undefined || documents.length === 0) return text;
  const changed = documents.map((value, position) =>
    position === Math.floor(random() * documents.length)
      ? mutateValue(value, valuesOf(pick(corpus, random)) ?? [], random, 0)
      : value,
  );
  try {
    return changed.map((value) => stringify(value, { aliasDuplicateObjects: random() < 0.5 })).join('---\n');
  } catch {
    // What cannot be written is no file.
    return text;
  }
}

/**
 * @param {string} text
 * @returns {unknown[] | undefined}
 */
function valuesOf(text) {
  try {
    const parsed = parseAllDocuments(text, { logLevel: 'silent', uniqueKeys: false });
    return 'empty' in parsed ? [] : parsed.map((document) => document.toJS({ maxAliasCount: 1000 }));
  } catch {
    return undefined;
  }
}

/**
 * @param {any} value
 * @param {unknown[]} others Values to take parts from.
 * @param {Random} random
 * @param {number} depth
 * @returns {unknown}
 */
function mutateValue(value, others, random, depth) {
  const isHere = typeof value !== 'object' || value === null || random() < 0.15 + depth * 0.05;
  if (isHere) return replacement(value, others, random);
  if (Array.isArray(value)) {
    const list = [...value];
    const at = place(list, random);
    const choice = random();
    if (choice < 0.15) list.splice(at, 1);
    else if (choice < 0.3) list.splice(at, 0, ...Array.from({ length: random() < 0.05 ? 3000 : 2 }, () => list[at]));
    else if (list.length > 0) list[at] = mutateValue(list[at], others, random, depth + 1);
    return list;
  }
  const entries = Object.entries(value);
  const at = place(entries, random);
  const choice = random();
  const [name, inner] = entries[at] ?? [pick(keys, random), null];
  if (choice < 0.12) entries.splice(at, 1);
  else if (choice < 0.25) entries.push([pick(keys, random), replacement(null, others, random)]);
  else if (choice < 0.33) entries[at] = [pick(keys, random), inner];
  else entries[at] = [name, mutateValue(inner, others, random, depth + 1)];
  return Object.fromEntries(entries);
}

/**
 * @param {unknown} value
 * @param {unknown[]} others
 * @param {Random} random
 * @returns {unknown}
 */
function replacement(value, others, random) {
  const choice = random();
  if (choice < 0.5) return pick(scalars, random);
  if (choice < 0.6) return [value];
  if (choice < 0.7) return { [pick(keys, random)]: value };
  if (choice < 0.75) return Array.from({ length: Math.floor(random() * 250) }).reduce((inner) => [inner], value);
  if (choice < 0.8) return typeof value === 'string' ? value.repeat(2 + Math.floor(random() * 2000)) : [];
  if (choice < 0.85) return {};
  return partOf(others, random);
}

/**
 * @param {any} value
 * @param {Random} random
 * @returns {unknown}
 */
function partOf(value, random) {
  if (typeof value !== 'object' || value === null || random() < 0.2) return value;
  const inner = Object.values(value);
  return inner.length === 0 ? value : partOf(pick(inner, random), random);
}
