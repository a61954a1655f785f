import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import type { OPS as Ops } from 'pdfjs-dist/legacy/build/pdf.mjs';
import type { PDFPageProxy } from 'pdfjs-dist/types/src/display/api.d.ts';

/**
 * The text of a PDF, page by page under `--- page N ---` lines. Throws an Error that
 * names the page when one has no text of its own, as a scan has none.
 */
export async function* readPdf(bytes: Uint8Array): AsyncGenerator<string> {
  const { getDocument, OPS } = await loadPdfJs();
  const folder = dirname(createRequire(import.meta.url).resolve('pdfjs-dist/package.json')).replaceAll('\\', '/');
  const task = getDocument({
    data: new Uint8Array(bytes),
    cMapUrl: `${folder}/cmaps/`,
    cMapPacked: true,
    standardFontDataUrl: `${folder}/standard_fonts/`,
    // System fonts would stand in for missing ones with the wrong letters.
    useSystemFonts: false,
    verbosity: 0,
  });
  try {
    const document = await task.promise.catch((error: Error) => {
      throw new Error(openingProblem(error), { cause: error });
    });
    for (let number = 1; number <= document.numPages; number += 1) {
      const page = await document.getPage(number);
      const text = await pageText(page);
      if (!isReadable(text) && !(await isBlank(page, OPS))) {
        throw new Error(
          `has no readable text on page ${number} of ${document.numPages} (a scan, or a font without a text mapping); pages without text are not supported in this version: give a PDF with text, for example one run through text recognition`,
        );
      }
      page.cleanup();
      yield `--- page ${number} ---\n${text}`;
    }
  } finally {
    await task.destroy();
  }
}

/**
 * pdf.js takes a process of Electron for a page of a browser, by its `process.type`,
 * unless it is Electron's main process; an executor is plain Node under either.
 */
async function loadPdfJs() {
  Reflect.deleteProperty(process, 'type');
  return await import('pdfjs-dist/legacy/build/pdf.mjs');
}

function openingProblem(error: Error): string {
  if (error.name === 'PasswordException') return 'is protected by a password; save it without one';
  return `is not a readable PDF: ${error.message}`;
}

interface Piece {
  text: string;
  x: number;
  y: number;
  width: number;
  height: number;
}

/** The page's lines, top to bottom; what stands beside each other is one line. */
async function pageText(page: PDFPageProxy): Promise<string> {
  const { items } = await page.getTextContent();
  const pieces = items.flatMap((item): Piece[] => {
    if (!('str' in item) || item.str.trim() === '') return [];
    const [, , , , x = 0, y = 0] = item.transform as number[];
    return [{ text: item.str, x, y, width: item.width, height: item.height || 1 }];
  });
  return linesOf(pieces).map(lineText).join('\n');
}

/** Pieces whose baselines differ by less than half a letter are on one line. */
function linesOf(pieces: readonly Piece[]): Piece[][] {
  const lines: Piece[][] = [];
  for (const piece of [...pieces].sort((a, b) => b.y - a.y)) {
    const line = lines.at(-1);
    const first = line?.[0];
    if (line !== undefined && first !== undefined && first.y - piece.y < Math.min(first.height, piece.height) / 2) {
      line.push(piece);
    } else {
      lines.push([piece]);
    }
  }
  return lines.map((line) => line.sort((a, b) => a.x - b.x));
}

/** A wide gap, as between columns, becomes a tab; a small one a space. */
function lineText(line: readonly Piece[]): string {
  let text = '';
  let end = Number.NaN;
  for (const piece of line) {
    const gap = piece.x - end;
    if (gap > piece.height * 1.5) text += '\t';
    else if (gap > piece.height * 0.15 && !/\s$/.test(text) && !/^\s/.test(piece.text)) text += ' ';
    text += piece.text;
    end = piece.x + piece.width;
  }
  return text.trim();
}

/** A font without a mapping gives replacement, private-use or control characters in place of letters. */
function isReadable(text: string): boolean {
  const letters = text.replace(/\s/g, '');
  const garbage = letters.match(/[\uFFFD\uE000-\uF8FF\p{Cc}]/gu)?.length ?? 0;
  return letters.length > 0 && garbage < letters.length / 4;
}

/** A page on which nothing is drawn: neither text nor pictures nor shapes, which could be letters. */
async function isBlank(page: PDFPageProxy, ops: typeof Ops): Promise<boolean> {
  const { fnArray, argsArray } = await page.getOperatorList();
  const drawing = /ShowText$|^show|^paint(?!Form)|[fF]ill(?:Path)?$|[sS]troke$/;
  const draws = new Set<number>();
  for (const [name, code] of Object.entries(ops)) if (drawing.test(name)) draws.add(code);
  return fnArray.every((code, index) => {
    // A path carries what is done with it as its first argument.
    const done = code === ops.constructPath ? (argsArray[index] as number[])[0] : code;
    return done === undefined || !draws.has(done);
  });
}
