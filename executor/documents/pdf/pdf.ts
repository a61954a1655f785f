import type { PDFDocumentProxy, PDFPageProxy } from 'pdfjs-dist/types/src/display/api.d.ts';
import { type Budget, LimitPassed } from '../budget.ts';
import { contentNames, contentType } from '../content-type.ts';
import type { DocumentPart } from '../protocol.ts';
import { Unreadable } from '../unreadable.ts';
import { openPdf } from './library.ts';
import { isReadable, pageText } from './page-text.ts';

/** A page of pictures with less text than this is taken for a scan with a stamp on it. */
const fewLetters = 30;

/**
 * The pages of a PDF in their order: the text of one that has some, a picture of one that
 * has none that can be read, as a scan or one whose font does not say what its letters are.
 */
export async function* readPdf(bytes: Uint8Array, budget: Budget): AsyncGenerator<DocumentPart> {
  const type = contentType(bytes);
  if (type !== 'pdf') throw new Unreadable(`is no PDF: it is ${contentNames[type]}`);
  const task = await openPdf(bytes);
  try {
    const document = await task.promise.catch((error: Error) => {
      throw new Unreadable(openingProblem(error), { cause: error });
    });
    for (let number = 1; number <= document.numPages; number += 1) {
      yield { heading: `page ${number}`, ...(await readPage(document, number, budget)) };
    }
  } finally {
    await task.destroy();
  }
}

async function readPage(document: PDFDocumentProxy, number: number, budget: Budget): Promise<DocumentPart> {
  try {
    const page = await document.getPage(number);
    const part = await contentOf(page, budget);
    page.cleanup();
    return part;
  } catch (error) {
    if (error instanceof LimitPassed) throw error;
    const { message } = error as Error;
    throw new Unreadable(`has a page that cannot be read, page ${number} of ${document.numPages}: ${message}`, {
      cause: error,
    });
  }
}

async function contentOf(page: PDFPageProxy, budget: Budget): Promise<DocumentPart> {
  const text = await pageText(page);
  if (isReadable(text) && letters(text) >= fewLetters) return { text: budget.take(text) };
  // Most PDFs need no drawing, whose libraries take as long to load as some pages to read.
  const { drawPage, whatIsDrawn } = await import('./page-image.ts');
  const { isBlank, images, brokenImages } = await whatIsDrawn(page);
  if (isBlank) return { text: '' };
  if (isReadable(text) && images === 0) return { text: budget.take(text) };
  if (brokenImages > 0) throw new Unreadable('an image on it cannot be decoded');
  budget.takeImage();
  return { picture: await drawPage(page) };
}

function letters(text: string): number {
  return text.replace(/\s/g, '').length;
}

function openingProblem(error: Error): string {
  if (error.name === 'PasswordException') return 'is protected by a password; save it without one';
  return `is not a readable PDF: ${error.message}`;
}
