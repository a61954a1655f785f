import { stat } from 'node:fs/promises';
import { basename, extname } from 'node:path';
import { StepError } from '../action.ts';
import { LimitPassed } from '../documents/budget.ts';
import { kindOfFile } from '../documents/kinds.ts';
import { countCharacters, maxCharacters, maxFileBytes, maxImages } from '../documents/limits.ts';
import type { DocumentKind, DocumentPart } from '../documents/protocol.ts';
import { readDocument } from '../documents/reading-process.ts';
import { decodeText } from '../documents/text.ts';
import { Unreadable } from '../documents/unreadable.ts';
import { readWholeFile, tooLarge } from '../documents/whole-file.ts';
import { type FileBlock, type FileImage, fileBlock } from './file-block.ts';
import { findFiles } from './find-files.ts';

/** What `with.files` gives to a model: the text that goes ahead of the prompt, and the images that go with it. */
export interface FilesContent {
  text: string;
  images: FileImage[];
}

interface NamedFile {
  path: string;
  kind: DocumentKind | 'text';
}

/** How many documents are read at a time; each is a process of its own. */
const atATime = 2;

/**
 * The text and images of all files that `with.files` names, each read once in the order
 * named, its text in a `<file name="...">` block (spec: Files). Throws a StepError that
 * names the file and what to do; throws the signal's reason when aborted.
 */
export async function readFiles(
  named: string | string[],
  workingDir: string,
  signal: AbortSignal,
): Promise<FilesContent> {
  const paths = await findFiles(named, workingDir);
  const files = await Promise.all(paths.map(checkFile));
  const stop = new AbortController();
  const either = AbortSignal.any([signal, stop.signal]);
  const blocks: FileBlock[] = [];
  const left = { characters: maxCharacters, images: maxImages };
  const reading: Promise<DocumentPart[]>[] = [];
  try {
    for (const [index, file] of files.entries()) {
      for (const next of files.slice(reading.length, index + atATime)) reading.push(quietly(readFile(next, either)));
      const parts = await reading[index];
      const block = fileBlock(nameOf(file.path, paths), parts ?? [], maxImages - left.images + 1);
      left.characters -= charactersOf(parts ?? []);
      left.images -= block.images.length;
      if (left.characters < 0) throw passed(file.path, 'characters');
      if (left.images < 0) throw passed(file.path, 'images');
      blocks.push(block);
    }
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  } finally {
    stop.abort();
    await Promise.allSettled(reading);
  }
  return { text: blocks.map(({ text }) => text).join('\n\n'), images: blocks.flatMap(({ images }) => images) };
}

/** How much the images take of a request, where bytes are written in base64. */
export function base64Size(images: readonly FileImage[]): number {
  return images.reduce((sum, { bytes }) => sum + Math.ceil(bytes.length / 3) * 4, 0);
}

/** What can be told before anything is read. */
async function checkFile(path: string): Promise<NamedFile> {
  const found = kindOfFile(extname(path).slice(1));
  if ('problem' in found) throw new StepError(`files: "${path}" ${found.problem}`);
  const { size } = await stat(path).catch((error: Error) => {
    throw new StepError(`files: "${path}" cannot be read: ${error.message}`, { cause: error });
  });
  if (size > maxFileBytes) throw new StepError(`files: "${path}" ${tooLarge(size).message}`);
  return { path, kind: found.kind };
}

async function readFile({ path, kind }: NamedFile, signal: AbortSignal): Promise<DocumentPart[]> {
  try {
    const bytes = await readWholeFile(path);
    if (kind === 'text') return [{ text: decodeText(bytes) }];
    return await readDocument(kind, bytes, { characters: maxCharacters, images: maxImages }, signal);
  } catch (error) {
    if (error instanceof LimitPassed) throw passed(path, error.limit);
    if (error instanceof Unreadable) throw new StepError(`files: "${path}" ${error.message}`, { cause: error });
    throw error;
  }
}

/** A failure is told when its turn comes, so that the first file named is the one that is told of. */
function quietly<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {});
  return promise;
}

function charactersOf(parts: readonly DocumentPart[]): number {
  return parts.reduce((sum, part) => sum + ('text' in part ? countCharacters(part.text) : 0), 0);
}

function passed(path: string, limit: 'characters' | 'images'): StepError {
  const more = limit === 'characters' ? '1,000,000 characters of text' : `${maxImages} images`;
  return new StepError(`files: with "${path}" the files hold more than ${more}; name fewer or smaller files`);
}

/** The file's name, or its whole path where two files of the step have the same name. */
function nameOf(path: string, all: readonly string[]): string {
  const name = basename(path);
  return all.filter((other) => basename(other) === name).length > 1 ? path : name;
}
