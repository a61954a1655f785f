import {
  type Document,
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseAllDocuments,
  visit,
  type YAMLError,
} from 'yaml';
import type { FieldPath } from './types.ts';

/** Something wrong in a workflow file, at a place that an editor can show. */
export interface LocatedProblem {
  message: string;
  /** Keys from the root of its document; empty where the problem is of the whole document. */
  path: FieldPath;
  /** From 1; absent where the file has no such place, as when it is missing. */
  line?: number;
  column?: number;
}

/** One document of a file: its value, and a way to find where a field stands. */
export interface SourceDocument {
  value: unknown;
  locate(path: FieldPath): { line: number; column: number } | undefined;
}

/** The largest file that is read, in bytes. */
export const maxFileBytes = 10 * 1024 * 1024;

/**
 * Reads a YAML stream, merge keys included. Syntax errors, doubled keys and unknown tags
 * are problems with their place.
 */
export function readStream(text: string): { documents: SourceDocument[]; problems: LocatedProblem[] } {
  try {
    return readDocuments(text);
  } catch (error) {
    // The parser calls itself for each level.
    if (!(error instanceof RangeError)) throw error;
    return { documents: [], problems: [{ message: 'the file is nested too deeply to be read', path: [] }] };
  }
}

function readDocuments(text: string): { documents: SourceDocument[]; problems: LocatedProblem[] } {
  const lines = new LineCounter();
  const options = {
    lineCounter: lines,
    uniqueKeys: true,
    prettyErrors: false,
    merge: true,
    logLevel: 'error',
  } as const;
  const parsed = parseAllDocuments(text, options);
  const list = 'empty' in parsed ? [] : parsed;
  const problems = list.flatMap(({ errors, warnings }) =>
    [...errors, ...warnings].map((error) => syntaxProblem(error, lines, text)),
  );
  if (problems.length > 0) return { documents: [], problems };
  const documents: SourceDocument[] = [];
  for (const document of list) {
    try {
      keepNumbersAsWritten(document);
      const value: unknown = document.toJS({ maxAliasCount: 100 });
      documents.push({ value, locate: (path) => locate(document, lines, path) });
    } catch (error) {
      if (error instanceof RangeError) throw error;
      // Aliases without an anchor, and aliases that would multiply without end.
      problems.push({ message: (error as Error).message, path: [], ...locate(document, lines, []) });
    }
  }
  return { documents, problems };
}

/**
 * Parameters, variables and constants are texts: an account number of twenty digits, a
 * postal code that begins with 0 and a version 1.10 stay as they are written.
 */
function keepNumbersAsWritten(document: Document): void {
  const root = document.contents;
  if (!isMap(root)) return;
  const steps = root.get('steps', true);
  const handlers = root.get('handler_on', true);
  const all = [
    ...(isSeq(steps) ? steps.items : []),
    ...(isMap(handlers) ? handlers.items.map(({ value }) => value) : []),
  ];
  const texts = [
    ...['params', 'env', 'consts'].map((key) => root.get(key, true)),
    ...all.map((step) => (isMap(step) ? step.get('env', true) : undefined)),
  ];
  for (const node of texts) {
    const target = isAlias(node) ? node.resolve(document) : node;
    if (!isNode(target)) continue;
    visit(target as Node, {
      Scalar: (_, scalar) => {
        if (typeof scalar.value === 'number' && scalar.source !== undefined) scalar.value = scalar.source;
      },
    });
  }
}

function syntaxProblem(error: YAMLError, lines: LineCounter, text: string): LocatedProblem {
  const { line, col } = lines.linePos(error.pos[0]);
  const key = text.slice(error.pos[0]).split(/[:\n]/, 1)[0]?.trim();
  const message = error.code === 'DUPLICATE_KEY' ? `mapping key "${key}" already defined` : error.message;
  return { message, path: [], line, column: col };
}

/** The place of a field, or of the nearest field around it that is there. */
function locate(document: Document, lines: LineCounter, path: FieldPath): { line: number; column: number } | undefined {
  for (let length = path.length; length >= 0; length -= 1) {
    const offset = offsetOf(document, path.slice(0, length));
    if (offset !== undefined) {
      const { line, col } = lines.linePos(offset);
      return { line, column: col };
    }
  }
  return undefined;
}

function offsetOf(document: Document, path: FieldPath): number | undefined {
  const last = path.at(-1);
  const parent = path.length === 0 ? undefined : document.getIn(path.slice(0, -1), true);
  if (isMap(parent)) {
    const pair = parent.items.find(({ key }) => isScalar(key) && key.value === last);
    if (isNode(pair?.key)) return pair.key.range?.[0];
    return undefined;
  }
  const node = path.length === 0 ? document.contents : document.getIn(path, true);
  return isNode(node) ? node.range?.[0] : undefined;
}
