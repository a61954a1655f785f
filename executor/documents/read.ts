import { Budget, LimitPassed } from './budget.ts';
import type { Limits } from './limits.ts';
import type { DocumentKind, DocumentPart } from './protocol.ts';
import { Unreadable } from './unreadable.ts';

type Reader = (bytes: Uint8Array, budget: Budget) => AsyncIterable<DocumentPart>;

/** Each kind's reader is loaded when it is needed. */
const readers: Record<DocumentKind, { name: string; load: () => Promise<Reader> }> = {
  pdf: { name: 'PDF', load: async () => (await import('./pdf/pdf.ts')).readPdf },
  word: { name: 'Word document', load: async () => (await import('./word/word.ts')).readWord },
  workbook: { name: 'Excel workbook', load: async () => (await import('./workbook/workbook.ts')).readWorkbook },
  picture: { name: 'image', load: async () => (await import('./picture.ts')).readPicture },
};

/**
 * Reads a document in this process. Throws an {@link Unreadable}, or a {@link LimitPassed}
 * as soon as the document holds more than it may.
 */
export async function readHere(kind: DocumentKind, bytes: Uint8Array, limits: Limits): Promise<DocumentPart[]> {
  const { name, load } = readers[kind];
  const read = await load();
  const parts: DocumentPart[] = [];
  try {
    for await (const part of read(bytes, new Budget(limits))) parts.push(part);
  } catch (error) {
    if (error instanceof Unreadable || error instanceof LimitPassed) throw error;
    throw new Unreadable(`is not a readable ${name}: ${(error as Error).message}`, { cause: error });
  }
  return parts;
}
