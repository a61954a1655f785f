import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { docx } from '../../../test/fixtures/office.ts';
import { zip } from '../../../test/fixtures/zip.ts';
import { readHere } from '../read.ts';

const limits = { characters: 1_000_000, images: 50 };
const read = async (bytes: Uint8Array) =>
  (await readHere('word', bytes, limits)).map((part) => [part.heading, 'text' in part ? part.text : undefined]);
const textOf = async (body: string, parts?: Record<string, string>) => (await read(docx(body, parts)))[0]?.[1];
const p = (content: string) => `<w:p>${content}</w:p>`;
const r = (text: string) => `<w:r><w:t xml:space="preserve">${text}</w:t></w:r>`;

describe('a document of LibreOffice', () => {
  it('loses nothing, and keeps its order', async () => {
    const bytes = readFileSync(new URL('../../../test/fixtures/documents/report.docx', import.meta.url));
    expect(await read(bytes)).toEqual([
      ['header', 'Quarterly report of Larkfield Freight'],
      [
        'document',
        `1. Results
Deliveries rose in spring[footnote 1] by five hundred pallets; see the ledger.
Fees[endnote 1] are unchanged[comment 1].
1. North depot
a) Gate one
b) Gate two
2. South depot
• A bullet
Before the box
Text in a box
Second line of it
日本の請求書(せいきゅうしょ)です。	Tab
Next line
Depot	Pallets
	2025	2026
North	96	104 estimated
South	in | out
2. Outlook
The end.
[Text that is formatted as hidden is left out.]`,
      ],
      ['footnotes', '[footnote 1] From March to May.'],
      ['endnotes', '[endnote 1] Without tax.'],
      ['comments', '[comment 1] Reviewer: Please check.'],
      ['footer', 'Confidential'],
    ]);
  });
});

describe('what a document may hold', () => {
  it('keeps insertions and moves, and leaves deletions out', async () => {
    const text = await textOf(
      p(`${r('a')}<w:del>${'<w:r><w:delText>gone</w:delText></w:r>'}</w:del><w:ins>${r('b')}</w:ins>`) +
        p(`<w:moveFrom>${r('moved')}</w:moveFrom><w:moveTo>${r('moved')}</w:moveTo>`) +
        p(`<w:pPr><w:rPr><w:del/></w:rPr></w:pPr>${r('one ')}`) +
        p(r('paragraph')) +
        `<w:tbl><w:tr><w:trPr><w:del/></w:trPr><w:tc>${p(r('row'))}</w:tc></w:tr><w:tr><w:tc>${p(r('kept'))}</w:tc></w:tr></w:tbl>`,
    );
    expect(text).toBe('ab\nmoved\none paragraph\nkept');
  });

  it('takes one of the forms of a text box, and the content of links, fields and controls', async () => {
    const box = (text: string) => `<w:txbxContent>${p(r(text))}</w:txbxContent>`;
    const text = await textOf(
      p(
        `${r('before ')}<w:r><mc:AlternateContent><mc:Choice>${box('box')}</mc:Choice><mc:Fallback><w:pict>${box('box')}</w:pict></mc:Fallback></mc:AlternateContent></w:r>${r('after')}`,
      ) +
        p(
          `<w:hyperlink>${r('link')}</w:hyperlink> <w:fldSimple>${r(' field')}</w:fldSimple><w:r><w:instrText>PAGE</w:instrText></w:r>`,
        ) +
        `<w:sdt><w:sdtPr><w:t>not this</w:t></w:sdtPr><w:sdtContent>${p(`${r('control')}<w:r><w:sym w:font="Wingdings" w:char="F0FE"/></w:r>`)}</w:sdtContent></w:sdt>`,
    );
    expect(text).toBe('before after\nbox\nlink field\ncontrol☑');
  });

  it('keeps the columns of merged cells, and tells of pictures', async () => {
    const tc = (properties: string, content: string) => `<w:tc><w:tcPr>${properties}</w:tcPr>${content}</w:tc>`;
    const picture = `<w:r><w:drawing><wp:inline><wp:docPr descr="A lorry"/><a:blip r:embed="x"/></wp:inline></w:drawing></w:r>`;
    const text = await textOf(
      `<w:tbl><w:tr><w:trPr><w:gridBefore w:val="1"/></w:trPr>${tc('<w:gridSpan w:val="2"/>', p(r('wide')))}${tc('', p(r('end')))}</w:tr>` +
        `<w:tr>${tc('<w:vMerge/>', p(''))}${tc('', p(picture))}${tc('', p(`${r('a')}<w:r><w:tab/></w:r>${r('b')}`) + p(r('c')))}</w:tr></w:tbl>`,
    );
    expect(text).toBe('\twide\t\tend\n\t[picture: A lorry]\ta b c');
  });

  it('counts lists as Word does, by styles as well', async () => {
    const numbering = `<w:numbering><w:abstractNum w:abstractNumId="7">
      <w:lvl w:ilvl="0"><w:start w:val="3"/><w:numFmt w:val="upperRoman"/><w:lvlText w:val="%1."/><w:pStyle w:val="Clause"/></w:lvl>
      <w:lvl w:ilvl="1"><w:numFmt w:val="lowerLetter"/><w:lvlText w:val="%1%2)"/></w:lvl></w:abstractNum>
      <w:num w:numId="1"><w:abstractNumId w:val="7"/></w:num>
      <w:num w:numId="2"><w:abstractNumId w:val="7"/><w:lvlOverride w:ilvl="0"><w:startOverride w:val="1"/></w:lvlOverride></w:num></w:numbering>`;
    const styles = `<w:styles><w:style w:styleId="Clause"><w:pPr><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr></w:style><w:style w:styleId="Sub"><w:basedOn w:val="Clause"/></w:style></w:styles>`;
    const inList = (list: number, level: number, text: string) =>
      p(`<w:pPr><w:numPr><w:ilvl w:val="${level}"/><w:numId w:val="${list}"/></w:numPr></w:pPr>${r(text)}`);
    const text = await textOf(
      inList(1, 0, 'a') +
        inList(1, 1, 'b') +
        inList(1, 1, 'c') +
        p(`<w:pPr><w:pStyle w:val="Sub"/></w:pPr>${r('d')}`) +
        inList(1, 1, 'e') +
        inList(2, 0, 'f') +
        inList(0, 0, 'g'),
      { 'numbering.xml': numbering, 'styles.xml': styles },
    );
    expect(text).toBe('III. a\nIIIa) b\nIIIb) c\nIV. d\nIVa) e\nI. f\ng');
  });
});

describe('what is no readable document', () => {
  it('refuses a document type declaration, in which entities could multiply', async () => {
    const body = `<!DOCTYPE d [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;">]><d>&b;</d>`;
    const bytes = docx('', { 'styles.xml': body });
    await expect(read(bytes)).rejects.toThrow(/^holds a document type declaration/);
  });

  it.each<[string, Uint8Array, string]>([
    ['another file', Buffer.from('hello'), 'is no Office document: it is something else'],
    [
      'an old or locked document',
      Buffer.from('\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1', 'latin1'),
      'it is an older Office document (.doc, .xls) or one that is protected by a password',
    ],
    [
      'a zip of something else',
      zip({ 'a.txt': 'a' }),
      'is no Office document: nothing in it says where its content is',
    ],
    ['broken XML', docx('<w:p>'), 'is not a readable Word document: '],
    ['an unknown entity', docx(p(r('&bomb;'))), 'is not a readable Word document: '],
    ['a cut file', docx(p(r('text'))).slice(0, 300), 'is not a readable Word document: '],
  ])('tells of %s', async (_, bytes, message) => {
    await expect(read(bytes)).rejects.toThrow(message);
  });
});
