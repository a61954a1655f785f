import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { base64Size, readFiles } from './files.ts';

// Unit tests have no built program; test/cli/documents.test.ts has.
vi.mock('../documents/reading-process.ts', () => import('../../test/fixtures/documents-here.ts'));

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
  [...(await read(named)).text.matchAll(/<file name="(.*?)">/g)].map(([, name]) => name);

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

  it('takes the lists that steps publish', async () => {
    write(' spaced\nname.txt', '');
    expect(await names('["b.txt"," spaced\\nname.txt"]')).toEqual(['b.txt', ' spaced&#10;name.txt']);
    expect(await names('[{"path":"b.txt"},{"path":"sub/d.txt","size":1}]')).toEqual(['b.txt', 'd.txt']);
    const emails = [
      { subject: 'One', attachments: [{ name: 'b.txt', path: join(folder, 'b.txt') }, 'c.md'] },
      { subject: 'None', attachments: [] },
      { subject: 'Two', files: ['a.txt'] },
    ];
    expect(await names(JSON.stringify(emails))).toEqual(['b.txt', 'c.md', 'a.txt']);
    expect(await names(['c.md', JSON.stringify(emails)])).toEqual(['c.md', 'b.txt', 'a.txt']);
  });

  it('takes ~ and absolute paths', async () => {
    expect(await names(`~/${relative(homedir(), join(folder, 'a.txt'))}`)).toEqual(['a.txt']);
    expect(await names(join(folder, 'b.txt'))).toEqual(['b.txt']);
  });

  it.each([
    ['none.txt', '"none.txt" does not exist'],
    ['*.csv', '"*.csv" matches no file'],
    ['sub', '"sub" is a folder, not a file'],
    ['[]', 'the list that an earlier step published names no file'],
    ['[1]', 'a published list holds paths, or objects with a path; this one holds 1'],
    [' \n', 'no file is named'],
    ['[{"subject":"x"}]', 'an entry of a published list has neither path nor attachments; it has subject'],
  ])('refuses %j', async (named, message) => {
    await expect(read(named)).rejects.toThrow(`files: ${message}`);
  });
});

it('tells equal names apart', async () => {
  mkdirSync(join(folder, 'sub'));
  write('sub/same.txt', '1');
  write('same.txt', '2');
  expect(await names('**/same.txt')).toEqual([join(folder, 'same.txt'), join(folder, 'sub/same.txt')]);
});

describe('what files give', () => {
  const scan = fileURLToPath(new URL('../../test/fixtures/documents/scan.pdf', import.meta.url));
  const photo = fileURLToPath(new URL('../../test/fixtures/documents/photo.jpg', import.meta.url));

  it('is text in blocks and images in their places', async () => {
    write('a.txt', 'A note.\r\n');
    const { text, images } = await read([photo, 'a.txt', scan]);
    expect(text).toBe(`<file name="photo.jpg">
[Image 1 is photo.jpg.]
</file>

<file name="a.txt">
A note.
</file>

<file name="scan.pdf">
--- page 1 ---
The invoice is on the next page, as it came from the scanner.
--- page 2: image 2 ---
</file>`);
    expect(images.map(({ name, mediaType }) => [name, mediaType])).toEqual([
      ['photo.jpg', 'image/png'],
      ['scan.pdf, page 2', 'image/png'],
    ]);
    expect(base64Size(images)).toBe(
      images.reduce((sum, { bytes }) => sum + Buffer.from(bytes).toString('base64').length, 0),
    );
  });

  it('is the same for workbooks with and without macros, and whatever the letters of the ending', async () => {
    copyFileSync(join(invoices, 'larkfield.xlsx'), join(folder, 'a.XLSM'));
    expect((await read('a.XLSM')).text).toContain('--- sheet Invoice ---\nLarkfield Freight - Invoice\n');
  });

  it('is known by content where a name says otherwise', async () => {
    copyFileSync(photo, join(folder, 'a.png'));
    expect((await read('a.png')).images).toHaveLength(1);
    copyFileSync(photo, join(folder, 'a.pdf'));
    await expect(read('a.pdf')).rejects.toThrow(/^files: ".*a\.pdf" is no PDF: it is a JPEG image$/);
  });
});

describe('limits and kinds', () => {
  it('refuses other kinds, with what to do', async () => {
    for (const name of ['a.doc', 'b.HEIC', 'c.exe', 'noending']) write(name, 'x');
    await expect(read('a.doc')).rejects.toThrow(
      /a\.doc" is of a kind that is not supported: save it as a Word document \(\.docx\) \(supported are \.txt, .*\.webp\)/,
    );
    await expect(read('b.HEIC')).rejects.toThrow('it is a HEIC image; save or export it as JPEG');
    await expect(read('c.exe')).rejects.toThrow(/c\.exe" is of a kind that is not supported \(/);
    await expect(read('noending')).rejects.toThrow('noending" is of a kind that is not supported');
  });

  it('tells of the first file named, before others are read', async () => {
    write('a.pdf', 'no PDF');
    write('b.docx', 'no document');
    await expect(read(['a.pdf', 'b.docx'])).rejects.toThrow(/a\.pdf" is no PDF/);
    await expect(read(['a.pdf', 'b.docx', 'none.txt'])).rejects.toThrow('"none.txt" does not exist');
  });

  it('takes 50 images and not one more', async () => {
    const photo = fileURLToPath(new URL('../../test/fixtures/documents/photo.jpg', import.meta.url));
    for (let count = 10; count < 60; count += 1) copyFileSync(photo, join(folder, `${count}.jpg`));
    expect((await read('*.jpg')).images).toHaveLength(50);
    copyFileSync(photo, join(folder, '60.jpg'));
    await expect(read('*.jpg')).rejects.toThrow(/with ".*60\.jpg" the files hold more than 50 images/);
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
