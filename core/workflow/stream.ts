import {
  Composer,
  type Document,
  isMap,
  isNode,
  isScalar,
  isSeq,
  Lexer,
  LineCounter,
  Parser,
  type YAMLError,
} from 'yaml';
import type { FieldPath } from './types.ts';
import { readDocument } from './yaml-values.ts';

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
/** The most steps that a file may have, those of handlers, bodies and local workflows included. */
export const maxSteps = 10_000;
/** How many lists and maps may stand in one another. */
const maxDepth = 200;
/** The most values, marks and line ends that a file may be made of: what takes some seconds to read. */
const maxTokens = 1_500_000;
/** The most documents in a file. */
const maxDocuments = 1000;
/** How many syntax errors are told: after the first few, one follows from another. */
const maxErrors = 20;

/**
 * Reads a YAML stream, merge keys included. Syntax errors, doubled keys, unknown tags and
 * aliases that lead nowhere or unfold without end are problems with their place.
 */
export function readStream(text: string): { documents: SourceDocument[]; problems: LocatedProblem[] } {
  const lines = new LineCounter();
  const parsed: Document[] = [];
  const at = (offset: number) => {
    const { line, col } = lines.linePos(offset);
    return { line: Math.max(line, 1), column: Math.max(col, 1) };
  };
  try {
    for (const document of parse(text, lines)) parsed.push(document);
  } catch (error) {
    if (!(error instanceof TooMuch)) throw error;
    return { documents: [], problems: [{ message: error.message, path: [], ...at(error.offset) }] };
  }
  const problems = parsed
    .flatMap(({ errors, warnings }) => [...errors, ...warnings])
    .slice(0, maxErrors)
    .map((error) => syntaxProblem(error, at));
  if (problems.length > 0) return { documents: [], problems };
  const documents = parsed.map((document) => {
    const { value, problems: found } = readDocument(document);
    for (const { message, offset } of found.slice(0, maxErrors)) problems.push({ message, path: [], ...at(offset) });
    return { value, locate: (path: FieldPath) => locate(document, at, path) };
  });
  return problems.length > 0 ? { documents: [], problems } : { documents, problems };
}

/** The text is more than is read; the message says of what, the offset where that shows. */
class TooMuch extends Error {
  readonly offset: number;

  constructor(message: string, offset: number) {
    super(message);
    this.offset = offset;
  }
}

/**
 * The documents of a text. The parser is driven token by token, so that a text which would
 * take it minutes or all memory ends where its size first shows.
 */
function* parse(text: string, lines: LineCounter): Generator<Document> {
  const composer = new Composer({ uniqueKeys: false, merge: false, logLevel: 'error' });
  const parser = new Parser(lines.addNewLine);
  lines.addNewLine(0);
  let tokens = 0;
  let errors = 0;
  let documents = 0;
  for (const lexeme of new Lexer().lex(text)) {
    for (const token of parser.next(lexeme)) {
      if (token.type === 'error') errors += 1;
      if (token.type === 'document') documents += 1;
      if (errors <= maxErrors) yield* composer.next(token);
    }
    tokens += 1;
    if (documents > maxDocuments) {
      throw new TooMuch(`the file has more than ${maxDocuments} documents; split it`, parser.offset);
    }
    if (errors > maxErrors) break;
    if (parser.stack.length > maxDepth) {
      throw new TooMuch(
        `the file is nested too deeply: more than ${maxDepth} lists and maps in one another`,
        parser.offset,
      );
    }
    if (tokens > maxTokens) {
      throw new TooMuch(`the file holds more than ${maxTokens} values and marks from here on; split it`, parser.offset);
    }
    if ((lexeme === '-' || lexeme === ',') && stepsSoFar(parser) > maxSteps) {
      throw new TooMuch(`the file has more than ${maxSteps} steps; split it into files of their own`, parser.offset);
    }
  }
  for (const token of parser.end()) yield* composer.next(token);
  yield* composer.end();
}

/** How many entries the document's `steps` has, while the parser stands in it. */
function stepsSoFar({ stack: [, root, steps] }: Parser): number {
  if (root === undefined || steps === undefined || !('items' in root) || !('items' in steps)) return 0;
  const pair = root.items.at(-1);
  const key = pair !== undefined && 'key' in pair ? pair.key : undefined;
  return key !== undefined && key !== null && 'source' in key && key.source === 'steps' ? steps.items.length : 0;
}

function syntaxProblem(error: YAMLError, at: (offset: number) => { line: number; column: number }): LocatedProblem {
  return { message: error.message, path: [], ...at(error.pos[0]) };
}

/** The place of a field, or of the nearest field around it that is there. */
function locate<Place>(document: Document, at: (offset: number) => Place, path: FieldPath): Place | undefined {
  let node: unknown = document.contents;
  let offset = isNode(node) ? node.range?.[0] : undefined;
  for (const key of path) {
    if (isMap(node)) {
      const pair = node.items.find((item) => isScalar(item.key) && String(item.key.value) === String(key));
      if (!isNode(pair?.key)) break;
      offset = pair.key.range?.[0] ?? offset;
      node = pair.value;
    } else if (isSeq(node) && typeof key === 'number') {
      node = node.items[key];
      if (!isNode(node)) break;
      offset = node.range?.[0] ?? offset;
    } else break;
  }
  return offset === undefined ? undefined : at(offset);
}
