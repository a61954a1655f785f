import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { crc32, deflateSync } from 'node:zlib';
import sharp from 'sharp';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { entryPath } from '../../core/process/entries.ts';
import { readFiles } from '../../executor/chat/files.ts';
import { readingLimits } from '../../executor/documents/limits.ts';
import type { DocumentKind } from '../../executor/documents/protocol.ts';
import { readDocument } from '../../executor/documents/reading-process.ts';
import { docx, xlsx } from '../fixtures/office.ts';
import { onePage, pdf } from '../fixtures/pdf.ts';
import { bomb } from '../fixtures/zip.ts';

const limits = { characters: 1_000_000, images: 50 };
const invoice = readFileSync(new URL('../../examples/invoices/hinoki.pdf', import.meta.url));
const never = () => new AbortController().signal;
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'documents-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
  expect(readers(process.pid)).toEqual([]);
});

/** Processes that read documents for another one. */
function readers(parent: number): number[] {
  const lines = execFileSync('ps', ['-eo', 'pid=,ppid=,args='], { encoding: 'utf8' }).split('\n');
  return lines.flatMap((line) => {
    const [pid, ppid, ...args] = line.trim().split(/\s+/);
    return Number(ppid) === parent && args.join(' ').includes(entryPath('documents')) ? [Number(pid)] : [];
  });
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await delay(10);
}

const read = (kind: DocumentKind, bytes: Uint8Array, may = readingLimits) =>
  readDocument(kind, bytes, limits, never(), may);

/** An image that claims to be so many pixels wide and high. */
async function claimed(edge: number): Promise<Uint8Array> {
  const png = await sharp({ create: { width: 1, height: 1, channels: 3, background: 'red' } })
    .png()
    .toBuffer();
  png.writeUInt32BE(edge, 16);
  png.writeUInt32BE(edge, 20);
  png.writeUInt32BE(crc32(png.subarray(12, 29)), 29);
  return png;
}

/** A stream of a PDF that unpacks to so many megabytes, unpacked as often as is said. */
function packed(megabytes: number, times: number): [string, Uint8Array] {
  let bytes: Uint8Array = Buffer.alloc(megabytes * 1_048_576, ' ');
  for (let round = 0; round < times; round += 1) bytes = deflateSync(bytes, { level: 9 });
  return [`/Filter[${'/FlateDecode'.repeat(times)}]`, bytes];
}

const entities = `<!DOCTYPE w [<!ENTITY a "${'a'.repeat(1000)}">${[...'bcdefgh'].map((name, index) => `<!ENTITY ${name} "${`&${'abcdefg'[index]};`.repeat(10)}">`).join('')}]><w>&h;</w>`;
const itself = '/XObject<</X 5 0 R>>';
const form: [string, string] = [`/Type/XObject /Subtype/Form /BBox[0 0 9 9] /Resources<<${itself}>>`, '/X Do /X Do'];

describe('hostile documents', () => {
  it.each<[string, string, () => Promise<Uint8Array> | Uint8Array, RegExp]>([
    ['unpacks to gigabytes', 'a.xlsx', () => xlsx(bomb('<worksheet>', 3000)), /unpacks to more than 500 MB/],
    [
      'unpacks to more than it says',
      'a.xlsx',
      () => xlsx(bomb('<worksheet>', 900, 1000)),
      /is not a readable Excel workbook: too many bytes/,
    ],
    ['multiplies entities', 'a.docx', () => docx('', { 'styles.xml': entities }), /holds a document type declaration/],
    ['is a hundred thousand pixels wide and high', 'a.png', () => claimed(100_000), /is too large an image/],
    [
      'has pages without end',
      'a.pdf',
      () => pdf(['<</Type/Catalog /Pages 2 0 R>>', '<</Type/Pages /Kids[2 0 R 2 0 R] /Count 1000000000>>']),
      /page 1 of/,
    ],
    [
      'has a picture of more bytes than memory',
      'a.pdf',
      () =>
        onePage('/I Do', '/XObject<</I 5 0 R>>', [
          [
            `/Type/XObject /Subtype/Image /Width 60000 /Height 60000 /ColorSpace/DeviceRGB /BitsPerComponent 8 ${packed(64, 1)[0]}`,
            packed(64, 1)[1],
          ],
        ]),
      /page 1 of 1: |of memory to read/,
    ],
  ])('one that %s is refused by name', async (_, name, make, message) => {
    writeFileSync(join(folder, name), await make());
    const reading = readFiles(name, folder, never());
    await expect(reading).rejects.toThrow(message);
    await expect(reading).rejects.toThrow(`files: "${join(folder, name)}" `);
  });

  it('a form that draws itself comes to an end', async () => {
    const parts = await read('pdf', onePage('/X Do 0 0 50 50 re f', itself, [form])).catch(
      (error: Error) => error.message,
    );
    expect(typeof parts === 'string' ? parts : parts.length).toBeTruthy();
  });
});

describe('the reading process', () => {
  it('is ended when a document takes too much memory', async () => {
    const may = { ...readingLimits, memoryBytes: 60 * 1_048_576 };
    await expect(read('pdf', invoice, may)).rejects.toThrow('takes more than 60 MB of memory to read');
  });

  it('is ended when a document takes too long', async () => {
    await expect(read('pdf', invoice, { ...readingLimits, timeMs: 1 })).rejects.toThrow(
      'takes longer than 0.001 s to read',
    );
  });

  it('is ended at once when the step is stopped', async () => {
    const stop = new AbortController();
    writeFileSync(join(folder, 'a.pdf'), invoice);
    writeFileSync(join(folder, 'b.pdf'), invoice);
    const reading = readFiles('*.pdf', folder, stop.signal);
    reading.catch(() => {});
    await until(() => readers(process.pid).length === 2);
    const reason = new Error('the run was stopped');
    stop.abort(reason);
    await expect(reading).rejects.toBe(reason);
    expect(readers(process.pid)).toEqual([]);
  });

  it('ends by itself, however busy, when the process that started it is gone', async () => {
    const script = `
      const { fork } = require('node:child_process');
      const options = { serialization: 'advanced', stdio: ['ignore', 'ignore', 'ignore', 'ipc'] };
      const child = fork(${JSON.stringify(entryPath('documents'))}, ['1000000000'], options);
      const bytes = require('node:fs').readFileSync(${JSON.stringify(fileURLToPath(new URL('../../examples/invoices/hinoki.pdf', import.meta.url)))});
      child.send({ call: 1, method: 'read', params: { kind: 'pdf', bytes: new Uint8Array(bytes), limits: ${JSON.stringify(limits)} } });
    `;
    const parent: ChildProcess = spawn(process.execPath, ['-e', script], { stdio: 'ignore' });
    const pid = parent.pid as number;
    await until(() => readers(pid).length === 1);
    const [reader] = readers(pid) as [number];
    parent.kill('SIGKILL');
    await once(parent, 'exit');
    await until(
      () =>
        !execFileSync('ps', ['-eo', 'pid=,stat='], { encoding: 'utf8' }).match(new RegExp(`^ *${reader} +[^Z]`, 'm')),
    );
  });

  it('knows nothing of the environment of the run', async () => {
    process.env.DOCUMENTS_TEST_KEY = 'a secret';
    const reading = read('pdf', invoice);
    try {
      await until(() => readers(process.pid).length === 1);
      const environment = execFileSync('ps', ['eww', '-o', 'args=', '-p', String(readers(process.pid)[0])], {
        encoding: 'utf8',
      });
      expect(environment).toContain('PATH=');
      expect(environment).not.toContain('a secret');
    } finally {
      delete process.env.DOCUMENTS_TEST_KEY;
      await reading;
    }
  });
});
