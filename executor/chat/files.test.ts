import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createCanvas, PDFDocument, type SKRSContext2D } from '@napi-rs/canvas';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readFiles } from './files.ts';

const invoices = fileURLToPath(new URL('../../examples/invoices/', import.meta.url));
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'files-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const read = (named: string | string[]) => readFiles(named, folder, new AbortController().signal);
const write = (name: string, bytes: string | Uint8Array) => writeFileSync(join(folder, name), bytes);
/** The names of the blocks, in order. */
const names = async (named: string | string[]) =>
  [...(await read(named)).matchAll(/<file name="(.*?)">/g)].map(([, name]) => name);

describe('finding files', () => {
  beforeEach(() => {
    for (const name of ['b.txt', 'a.txt', 'c.md', '.hidden.txt', 'x[1].txt']) write(name, name);
    mkdirSync(join(folder, 'sub', 'deep'), { recursive: true });
    write('sub/d.txt', 'd');
    write('sub/deep/e.txt', 'e');
  });

  it('keeps the order named and reads each file once', async () => {
    expect(await names(['c.md', '*.txt', 'a.txt'])).toEqual(['c.md', 'a.txt', 'b.txt', 'x[1].txt']);
    expect(await names('c.md\n\n  b.txt\n')).toEqual(['c.md', 'b.txt']);
    expect(await names('["b.txt","a.txt"]')).toEqual(['b.txt', 'a.txt']);
  });

  it('knows the patterns', async () => {
    expect(await names('[ab].txt')).toEqual(['a.txt', 'b.txt']);
    expect(await names('[!a].txt')).toEqual(['b.txt']);
    expect(await names('?.md')).toEqual(['c.md']);
    expect(await names('x[1].txt')).toEqual(['x[1].txt']);
    expect(await names('**/?.txt')).toEqual(['a.txt', 'b.txt', 'd.txt', 'e.txt']);
    expect(await names('sub/*/*.txt')).toEqual(['e.txt']);
    symlinkSync(folder, join(folder, 'sub', 'loop'));
    expect(await names('**/e.txt')).toEqual(['e.txt']);
  });

  it('takes ~ and absolute paths', async () => {
    expect(await names(`~/${relative(homedir(), join(folder, 'a.txt'))}`)).toEqual(['a.txt']);
    expect(await names(join(folder, 'b.txt'))).toEqual(['b.txt']);
  });

  it.each([
    ['none.txt', '"none.txt" does not exist'],
    ['*.csv', '"*.csv" matches no file'],
    ['sub', '"sub" is a folder or a device'],
    [' \n', 'no file is named'],
    ['[{"path":"a.txt"}]', 'a published list must hold paths alone'],
  ])('refuses %j', async (named, message) => {
    await expect(read(named)).rejects.toThrow(`files: ${message}`);
  });
});

describe('blocks', () => {
  it('escapes the name and nothing else, and tells equal names apart', async () => {
    write('a&"b.txt', '<b> & c\r\nd\n');
    expect(await read('*')).toBe('<file name="a&amp;&quot;b.txt">\n<b> & c\nd\n</file>');
    mkdirSync(join(folder, 'sub'));
    write('sub/same.txt', '1');
    write('same.txt', '2');
    expect(await names('**/same.txt')).toEqual([join(folder, 'same.txt'), join(folder, 'sub/same.txt')]);
  });
});

describe('text files', () => {
  const japanese = Uint8Array.from([0x90, 0xbf, 0x8b, 0x81, 0x8f, 0x91, 0x20, 0x31, 0x30, 0x30, 0x89, 0x7e]);

  it.each<[string, Uint8Array, string]>([
    ['UTF-8', Buffer.from('請求書 é'), '請求書 é'],
    ['UTF-8 with its mark', Buffer.from('\uFEFF請求書'), '請求書'],
    ['UTF-16 with its mark', Buffer.from('\uFEFF請求書 1', 'utf16le'), '請求書 1'],
    ['big-endian UTF-16', Buffer.from('\uFEFF請求書 1', 'utf16le').swap16(), '請求書 1'],
    ['UTF-16 without a mark', Buffer.from('Total 100', 'utf16le'), 'Total 100'],
    ['Shift_JIS', japanese, '請求書 100円'],
    ['short Shift_JIS', japanese.slice(-2), '円'],
    ['half-width katakana', Uint8Array.from([0xb1, 0xb2, 0xb3]), 'ｱｲｳ'],
  ])('decodes %s', async (_, bytes, text) => {
    write('a.txt', bytes);
    expect(await read('a.txt')).toBe(`<file name="a.txt">\n${text}\n</file>`);
  });

  it.each(['GRÖSSE', 'café', 'vérité', 'naïve'])('does not take Western %s for Japanese', async (text) => {
    write('a.txt', Buffer.from(text, 'latin1'));
    await expect(read('a.txt')).rejects.toThrow(/a\.txt" is not readable as text.*save it as UTF-8/);
  });
});

describe('limits and kinds', () => {
  it('refuses kinds that it cannot read, naming what works', async () => {
    for (const name of ['a.docx', 'b.PNG', 'c.exe', 'noending']) write(name, 'x');
    await expect(read('a.docx')).rejects.toThrow(/a\.docx" cannot be read: Word documents are not supported.*\.xlsx/);
    await expect(read('b.PNG')).rejects.toThrow(/b\.PNG" cannot be read: images are not supported/);
    await expect(read('c.exe')).rejects.toThrow(/c\.exe" is of a kind that is not supported/);
    await expect(read('noending')).rejects.toThrow('noending" is of a kind that is not supported');
  });

  it('refuses a file over 50 MB', async () => {
    write('a.txt', '');
    truncateSync(join(folder, 'a.txt'), 52_428_801);
    await expect(read('a.txt')).rejects.toThrow(/a\.txt" is 50\.0 MB; a file may have 50 MB at most/);
  });

  it('counts characters, not code units, over all files', async () => {
    write('a.txt', '😀'.repeat(600_000));
    write('b.txt', 'x'.repeat(400_000));
    expect(await names('*.txt')).toHaveLength(2);
    write('c.txt', 'y');
    await expect(read('*.txt')).rejects.toThrow(/with ".*c\.txt" the files hold more than 1,000,000 characters/);
  });
});

describe('PDF', () => {
  it('gives every page, line by line', async () => {
    copyFileSync(join(invoices, 'hinoki.pdf'), join(folder, 'a.pdf'));
    const text = await read('a.pdf');
    expect(text).toMatch(
      /--- page 1 ---\n請求書\n[\s\S]*請求書番号 HJ-20260312-08\n[\s\S]*--- page 2 ---\n[\s\S]*合計 \(EUR\)\t1059\.41\n/,
    );
  });

  it('names a page without text, and lets a blank one be', async () => {
    const scan = createCanvas(50, 50);
    scan.getContext('2d').fillRect(0, 0, 20, 20);
    const document = new PDFDocument();
    document.beginPage(200, 200);
    document.endPage();
    const page = document.beginPage(200, 200) as unknown as SKRSContext2D;
    page.drawImage(scan, 10, 10);
    document.endPage();
    write('scan.pdf', document.close());
    await expect(read('scan.pdf')).rejects.toThrow(/scan\.pdf" has no readable text on page 2 of 2/);
  });

  it('tells what is no PDF', async () => {
    write('a.pdf', 'hello');
    await expect(read('a.pdf')).rejects.toThrow(/a\.pdf" is not a readable PDF/);
  });
});
