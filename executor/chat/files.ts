import { readFile, stat } from 'node:fs/promises';
import { basename, extname } from 'node:path';
import { StepError } from '../action.ts';
import { findFiles } from './find-files.ts';
import { readPdf } from './pdf.ts';
import { decodeText } from './text.ts';
import { readWorkbook } from './xlsx.ts';

/** The largest file that is read: 50 MB. */
const maxBytes = 52_428_800;

/** How much text all files of a step may hold together, in Unicode characters. */
const maxCharacters = 1_000_000;

/** A file's text, in parts so that a limit ends the reading early; throws an Error that says what is wrong. */
type Reader = (bytes: Uint8Array) => AsyncIterable<string>;

const textEndings = 'txt md csv tsv json jsonl yaml yml xml html htm log'.split(' ');

const readers: Record<string, Reader> = {
  ...Object.fromEntries(textEndings.map((ending) => [ending, readText])),
  pdf: readPdf,
  xlsx: readWorkbook,
  xlsm: readWorkbook,
};

/** Kinds that the spec names and this version cannot read yet. */
const notBuilt: Record<string, string> = {
  docx: 'Word documents',
  ...Object.fromEntries(['png', 'jpg', 'jpeg', 'gif', 'webp'].map((ending) => [ending, 'images'])),
};

const supported = `text files (${textEndings.map((ending) => `.${ending}`).join(', ')}), .pdf, .xlsx and .xlsm`;

/**
 * The text of all files that `with.files` names, each read once in the order named, in a
 * `<file name="...">` block (spec: Files). Throws a StepError that names the file and
 * what to do; throws the signal's reason when aborted.
 */
export async function readFiles(named: string | string[], workingDir: string, signal: AbortSignal): Promise<string> {
  const paths = await findFiles(named, workingDir);
  const blocks: string[] = [];
  let characters = 0;
  for (const path of paths) {
    const parts: string[] = [];
    for await (const part of open(path)) {
      signal.throwIfAborted();
      characters += countCharacters(part);
      if (characters > maxCharacters) {
        throw new StepError(
          `files: with "${path}" the files hold more than 1,000,000 characters of text; name fewer or smaller files`,
        );
      }
      parts.push(part);
    }
    blocks.push(`<file name="${escapeXml(nameOf(path, paths))}">\n${parts.join('\n')}\n</file>`);
  }
  return blocks.join('\n\n');
}

async function* open(path: string): AsyncGenerator<string> {
  const read = readerOf(path);
  const { size } = await stat(path);
  if (size > maxBytes) throw new StepError(`files: "${path}" is ${megabytes(size)} MB; a file may have 50 MB at most`);
  try {
    yield* read(await readFile(path));
  } catch (error) {
    throw new StepError(`files: "${path}" ${(error as Error).message}`, { cause: error });
  }
}

function readerOf(path: string): Reader {
  const ending = extname(path).slice(1).toLowerCase();
  const reader = Object.hasOwn(readers, ending) ? readers[ending] : undefined;
  if (reader !== undefined) return reader;
  const kind = Object.hasOwn(notBuilt, ending) ? notBuilt[ending] : undefined;
  const why =
    kind === undefined
      ? 'is of a kind that is not supported'
      : `cannot be read: ${kind} are not supported in this version`;
  throw new StepError(`files: "${path}" ${why}; supported are ${supported}`);
}

async function* readText(bytes: Uint8Array): AsyncGenerator<string> {
  yield decodeText(bytes).replaceAll('\r\n', '\n').trimEnd();
}

/** The file's name, or its whole path where two files of the step have the same name. */
function nameOf(path: string, all: readonly string[]): string {
  const name = basename(path);
  return all.filter((other) => basename(other) === name).length > 1 ? path : name;
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}

function countCharacters(text: string): number {
  let count = text.length;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    if (unit >= 0xdc00 && unit <= 0xdfff) count -= 1;
  }
  return count;
}

function megabytes(bytes: number): string {
  return (bytes / 1_048_576).toFixed(1);
}
