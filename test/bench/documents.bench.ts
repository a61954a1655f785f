import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { PDFDocument, type SKRSContext2D } from '@napi-rs/canvas';
import { entryPath } from '../../core/process/entries.ts';
import { countCharacters } from '../../executor/documents/limits.ts';
import type { DocumentKind } from '../../executor/documents/protocol.ts';
import { readDocument } from '../../executor/documents/reading-process.ts';
import { atMost, type Figure, median } from './figure.ts';

const execute = promisify(execFile);
const python = fileURLToPath(new URL('./workbook.py', import.meta.url));
const pdfjs = dirname(createRequire(import.meta.url).resolve('pdfjs-dist/package.json'));
const rounds = 5;
/** More than a step takes: the work is compared, not the limit. */
const limits = { characters: 100_000_000, images: 50 };
const megabyte = 1_048_576;

/**
 * Reading documents, each in its process from start to end: a workbook beside openpyxl,
 * with the most memory that both processes take, and the text of a long PDF beside a bare
 * loop of pdf.js and pdftotext.
 */
export async function run(): Promise<Figure[]> {
  const folder = await mkdtemp(join(tmpdir(), 'dagu-bench-'));
  try {
    return [...(await workbookFigures(join(folder, 'large.xlsx'))), ...(await pdfFigures(join(folder, 'long.pdf')))];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function pdfFigures(file: string): Promise<Figure[]> {
  const bytes = longPdf(200, 55);
  await writeFile(file, bytes);
  const times = { ours: [] as number[], loop: [] as number[], pdftotext: [] as number[] };
  for (let round = 0; round < rounds; round++) {
    const ours = await timed(times.ours, () => readText('pdf', bytes));
    const loop = await timed(times.loop, () =>
      execute(process.execPath, ['--input-type=module', '-e', bareLoop, pdfjs, file]),
    );
    const { stdout } = await timed(times.pdftotext, () =>
      execute('pdftotext', [file, '-'], { maxBuffer: 64 * megabyte }),
    );
    assertAlike('the bare loop', ours, Number(loop.stdout));
    assertAlike('pdftotext', ours, letters(stdout));
  }
  const ours = median(times.ours);
  const name = 'documents: text of a PDF of 200 pages';
  return [
    atMost(1.3, { name: `${name}, beside a bare pdf.js loop`, ours, theirs: median(times.loop), unit: 'ms' }),
    atMost(12, { name: `${name}, beside pdftotext`, ours, theirs: median(times.pdftotext), unit: 'ms' }),
  ];
}

async function workbookFigures(file: string): Promise<Figure[]> {
  await execute('/usr/bin/python3', [python, 'write', file]);
  const bytes = new Uint8Array(await readFile(file));
  const times = { ours: [] as number[], openpyxl: [] as number[] };
  let memory = 0;
  for (let round = 0; round < rounds; round++) {
    const watch = new MemoryWatch();
    const ours = await timed(times.ours, () => readText('workbook', bytes));
    memory = Math.max(memory, watch.stop());
    const { stdout } = await timed(times.openpyxl, () => execute('/usr/bin/python3', [python, 'read', file]));
    assertAlike('openpyxl', ours, Number(stdout));
  }
  const name = 'documents: workbook of 20,000 rows and 10 columns';
  return [
    atMost(0.6, { name, ours: median(times.ours), theirs: median(times.openpyxl), unit: 'ms' }),
    atMost(1, { name: `${name}: its memory, beside 300 MB`, ours: memory, theirs: 300, unit: 'MB' }),
  ];
}

/** The number of letters that a document gives. */
async function readText(kind: DocumentKind, bytes: Uint8Array): Promise<number> {
  const parts = await readDocument(kind, bytes, limits, new AbortController().signal);
  return parts.reduce((sum, part) => sum + ('text' in part ? letters(part.text) : 0), 0);
}

function letters(text: string): number {
  return countCharacters(text.replace(/\s/g, ''));
}

/** Dates and numbers are shown in other ways, and a heading more or less: a fifth at most. */
function assertAlike(whose: string, ours: number, theirs: number): void {
  if (Math.abs(ours - theirs) > theirs / 5) throw new Error(`${whose} read ${theirs} letters, we ${ours}`);
}

/** The text of each page by pdf.js alone, which writes the number of letters. */
const bareLoop = `
  import { readFileSync } from 'node:fs';
  const [folder, file] = process.argv.slice(1);
  const { getDocument } = await import(folder + '/legacy/build/pdf.mjs');
  const document = await getDocument({ data: new Uint8Array(readFileSync(file)), useSystemFonts: false, verbosity: 0,
    cMapUrl: folder + '/cmaps/', cMapPacked: true, standardFontDataUrl: folder + '/standard_fonts/' }).promise;
  let letters = 0;
  for (let number = 1; number <= document.numPages; number++) {
    const { items } = await (await document.getPage(number)).getTextContent();
    letters += items.map(({ str }) => str).join('').replace(/\\s/g, '').length;
  }
  console.log(letters);
`;

/** A dense PDF with the fonts of the system in it. */
function longPdf(pages: number, lines: number): Uint8Array {
  const document = new PDFDocument();
  for (let page = 1; page <= pages; page++) {
    const context = document.beginPage(595, 842) as unknown as SKRSContext2D;
    context.font = '9px "DejaVu Sans"';
    for (let line = 0; line < lines; line++) {
      const words = `Page ${page}, line ${line}: delivery of ${(page * line) % 97} pallets to the depot, ${((page * 131 + line * 17) % 9999) / 100} EUR net`;
      context.fillText(words, 40, 40 + line * 14);
    }
    document.endPage();
  }
  return new Uint8Array(document.close());
}

/** Watches the most that this process, which is larger than an executor, and the one that it starts take. */
class MemoryWatch {
  readonly #timer: NodeJS.Timeout;
  #own = 0;
  #child = 0;

  constructor() {
    this.#timer = setInterval(() => this.#look(), 10);
  }

  /** In megabytes: the two together. */
  stop(): number {
    clearInterval(this.#timer);
    if (this.#child === 0) throw new Error('the reading process was not seen');
    return (this.#own + this.#child) / megabyte;
  }

  #look(): void {
    this.#own = Math.max(this.#own, process.memoryUsage.rss());
    for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
      const status = contentOf(`/proc/${pid}/status`);
      if (!status.includes(`PPid:\t${process.pid}\n`)) continue;
      if (!contentOf(`/proc/${pid}/cmdline`).includes(entryPath('documents'))) continue;
      const [, peak = '0'] = /^VmHWM:\s+(\d+) kB/m.exec(status) ?? [];
      this.#child = Math.max(this.#child, Number(peak) * 1024);
    }
  }
}

/** Empty for a process that ended meanwhile. */
function contentOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '')) return '';
    throw error;
  }
}

async function timed<T>(times: number[], work: () => Promise<T>): Promise<T> {
  const begun = performance.now();
  const result = await work();
  times.push(performance.now() - begun);
  return result;
}
