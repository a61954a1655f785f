import { createRequire } from 'node:module';
import { dirname } from 'node:path';

export type PdfJs = typeof import('pdfjs-dist/legacy/build/pdf.mjs');
type OpeningPdf = ReturnType<PdfJs['getDocument']>;

/** An ES module: no program of CommonJS can load it otherwise. */
export async function loadPdfJs(): Promise<PdfJs> {
  return await import('pdfjs-dist/legacy/build/pdf.mjs');
}

/** Opens a PDF with all that pdf.js ships for it: character maps, standard fonts, decoders of pictures, colours. */
export async function openPdf(bytes: Uint8Array): Promise<OpeningPdf> {
  const { getDocument } = await loadPdfJs();
  const folder = dirname(createRequire(import.meta.url).resolve('pdfjs-dist/package.json')).replaceAll('\\', '/');
  return getDocument({
    data: new Uint8Array(bytes),
    cMapUrl: `${folder}/cmaps/`,
    cMapPacked: true,
    standardFontDataUrl: `${folder}/standard_fonts/`,
    wasmUrl: `${folder}/wasm/`,
    iccUrl: `${folder}/iccs/`,
    // System fonts would stand in for missing ones with the wrong letters.
    useSystemFonts: false,
    isEvalSupported: false,
    verbosity: 0,
  });
}
