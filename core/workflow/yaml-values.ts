import {
  type Alias,
  type Document,
  isAlias,
  isMap,
  isNode,
  isPair,
  isScalar,
  isSeq,
  type Scalar,
  type YAMLMap,
} from 'yaml';

/** What is wrong with a document's values, where they stand in the text. */
export interface ValueProblem {
  message: string;
  offset: number;
}

/** How many values aliases may add to those that are written. */
const maxAliased = 500_000;

/**
 * Where in a workflow a value stands, as far as it decides how numbers are read: where
 * texts are wanted an account number of twenty digits, a postal code that begins with 0
 * and a version 1.10 stay as they are written.
 */
type Place =
  | 'plain'
  | 'texts'
  | 'root'
  | 'step'
  | 'with'
  | 'foreach'
  | 'handlers'
  | 'params'
  | 'param'
  | 'params schema'
  | 'properties'
  | 'property';

/** The place of what stands under a key, for those keys that lead on to texts. */
const inside: Partial<Record<Place, Readonly<Record<string, Place>>>> = {
  root: { params: 'params', env: 'texts', consts: 'texts', steps: 'step', handler_on: 'handlers' },
  step: { env: 'texts', params: 'texts', with: 'with', foreach: 'foreach' },
  with: { params: 'texts' },
  foreach: { steps: 'step' },
  param: { default: 'texts', enum: 'texts' },
  'params schema': { properties: 'properties', schema: 'params schema', values: 'texts' },
  property: { default: 'texts' },
};
/** The place of what stands under any key, or in the list. */
const below: Partial<Record<Place, Place>> = { texts: 'texts', handlers: 'step', properties: 'property' };

/**
 * The value of a parsed document, made of JSON's kinds. Aliases share what their anchor
 * made; merge keys are merged. A document with a problem has no value to rely on.
 */
export function readDocument(document: Document): { value: unknown; problems: ValueProblem[] } {
  const reader = new ValueReader();
  const value = document.contents === null ? null : reader.read(document.contents, 'root');
  return { value, problems: reader.problems };
}

class ValueReader {
  readonly problems: ValueProblem[] = [];
  /** The node of each anchor so far; an anchor may be set anew. */
  readonly #anchors = new Map<string, unknown>();
  /** The node that each alias names. */
  readonly #targets = new Map<Alias, unknown>();
  /** What was made of a node that has an anchor, by the place it was read for. */
  readonly #made = new Map<unknown, Map<Place, unknown>>();
  /** How many values a node with an anchor unfolds to. */
  readonly #sizes = new Map<unknown, number>();
  readonly #open = new Set<unknown>();
  #size = 0;
  #aliased = 0;

  read(node: unknown, place: Place): unknown {
    if (isAlias(node)) return this.#alias(node, place);
    this.#size += 1;
    const anchor = isScalar(node) || isMap(node) || isSeq(node) ? node.anchor : undefined;
    if (anchor === undefined) return this.#plain(node, place);
    if (!this.#sizes.has(node)) this.#anchors.set(anchor, node);
    const before = this.#size;
    this.#open.add(node);
    const value = this.#plain(node, place);
    this.#open.delete(node);
    this.#sizes.set(node, this.#size - before + 1);
    this.#made.set(node, new Map([[place, value]]));
    return value;
  }

  #alias(alias: Alias, place: Place): unknown {
    const { source: name } = alias;
    const offset = alias.range?.[0] ?? 0;
    // What is read again, for another place, means what it meant where it stands.
    const node = this.#targets.get(alias) ?? this.#anchors.get(name);
    if (node === undefined) return this.#problem(`alias *${name} has no anchor &${name} before it`, offset);
    if (this.#open.has(node)) return this.#problem(`alias *${name} stands inside of what it names`, offset);
    this.#targets.set(alias, node);
    const size = this.#sizes.get(node) ?? 1;
    this.#size += size;
    if (this.#aliased <= maxAliased && this.#aliased + size > maxAliased) {
      this.#problem(`aliases unfold to more than ${maxAliased} values; write fewer of them`, offset);
    }
    this.#aliased += size;
    if (this.#aliased > maxAliased) return null;
    const made = this.#made.get(node);
    if (made?.has(place)) return made.get(place);
    const before = this.#size;
    const value = this.#plain(node, place);
    this.#size = before;
    made?.set(place, value);
    return value;
  }

  #problem(message: string, offset: number): null {
    this.problems.push({ message, offset });
    return null;
  }

  #plain(node: unknown, place: Place): unknown {
    if (isMap(node)) return this.#map(node, place === 'params' ? paramsPlace(node) : place);
    if (isSeq(node)) {
      const items = place === 'params' ? 'params' : place === 'step' || place === 'texts' ? place : 'plain';
      return node.items.map((item) => this.read(item, items === 'params' ? entryPlace(item) : items));
    }
    return isScalar(node) ? scalar(node, place === 'texts') : null;
  }

  #map(map: YAMLMap, place: Place): Record<string, unknown> {
    const value: Record<string, unknown> = {};
    const merged: unknown[] = [];
    for (const { key, value: inner } of map.items) {
      if (!isScalar(key)) {
        const offset = isNode(key) ? (key.range?.[0] ?? 0) : (map.range?.[0] ?? 0);
        this.#problem('a key must be a text, not a list, a map or an alias', offset);
        continue;
      }
      if (key.type === 'PLAIN' && key.source === '<<') {
        merged.push(this.#mergeSources(inner, place, key.range?.[0] ?? 0));
        continue;
      }
      const name = key.value === null ? '' : String(scalar(key, true));
      if (Object.hasOwn(value, name)) {
        this.#problem(`mapping key "${name}" already defined`, key.range?.[0] ?? 0);
        continue;
      }
      const innerPlace = below[place] ?? own(inside[place], name) ?? 'plain';
      set(value, name, this.read(inner, innerPlace));
    }
    for (const source of merged.flat()) {
      for (const [name, inner] of Object.entries(source as object)) {
        if (!Object.hasOwn(value, name)) set(value, name, inner);
      }
    }
    return value;
  }

  /** The maps that a merge key names. */
  #mergeSources(node: unknown, place: Place, offset: number): unknown[] {
    const list = isSeq(node) ? node.items : [node];
    return list.flatMap((item) => {
      const source = this.read(item, place);
      if (typeof source === 'object' && source !== null && !Array.isArray(source)) return [source];
      this.#problem('a merge key << takes a map, or a list of maps', offset);
      return [];
    });
  }
}

/** Parameters are a map of texts, or a JSON Schema whose own words are read as usual. */
function paramsPlace(map: YAMLMap): Place {
  const keys = map.items.map(({ key }) => (isScalar(key) ? key.value : undefined));
  const isSchema = keys.includes('schema') || (keys.includes('type') && keys.includes('properties'));
  return isSchema ? 'params schema' : 'texts';
}

/** A parameter in a list is an entry with a name and more, or a map of texts, or a text. */
function entryPlace(node: unknown): Place {
  const isEntry =
    isMap(node) && node.items.some((pair) => isPair(pair) && isScalar(pair.key) && pair.key.value === 'name');
  return isEntry ? 'param' : 'texts';
}

/** A scalar as JSON has it. What YAML knows beyond that, as dates of an older version, is the text that is written. */
function scalar({ value, source }: Scalar, asWritten: boolean): unknown {
  switch (typeof value) {
    case 'number':
      return (asWritten || !Number.isFinite(value)) && source !== undefined ? source : value;
    case 'string':
    case 'boolean':
      return value;
    default:
      return value === null ? null : (source ?? String(value));
  }
}

function own<T>(record: Readonly<Record<string, T>> | undefined, name: string): T | undefined {
  return record !== undefined && Object.hasOwn(record, name) ? record[name] : undefined;
}

/** Sets a key of any name: `__proto__`, too, is then an ordinary one. */
function set(record: Record<string, unknown>, name: string, value: unknown): void {
  Object.defineProperty(record, name, { value, enumerable: true, configurable: true, writable: true });
}
