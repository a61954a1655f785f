import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { checkEffects } from './demo-checks.mjs';
import { invoiceScript } from './demo-script.mjs';

const examples = fileURLToPath(new URL('../examples/invoices/', import.meta.url));
const invoices = invoiceScript.map(({ values }) => values);
const posted = `<pay key="1" name="Kestrel Bay Paper"/>
<pay key="2" name="Hinoki Office Supply"/>
<pay key="3" name="Larkfield Freight"/>
<ope date="739679" amount="-428.39999999999998" account="1" payee="1" info="KB-2026-0417"/>
<ope date="739687" amount="-1059.4100000000001" account="1" payee="2" info="HJ-20260312-08"/>
<ope date="739694" amount="-707.25" account="1" payee="3" info="LF/2026/0093"/>
`;
const list = `number,date,supplier,total,balance
"KB-2026-0417",2026-03-04,"Kestrel Bay Paper",428.40,9571.6
"HJ-20260312-08",2026-03-12,"Hinoki Office Supply",1059.41,8512.19
"LF/2026/0093",2026-03-19,"Larkfield Freight",707.25,7804.94
`;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'demo-checks-'));
  cpSync(examples, folder, { recursive: true });
  mkdirSync(join(folder, 'data'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** What does not hold once the books and the list are these. */
function missing(transactions: string, rows: string, screenshots = 3): string[] {
  const books = join(folder, 'books.xhb');
  writeFileSync(books, readFileSync(books, 'utf8').replace('</homebank>', `${transactions}</homebank>`));
  writeFileSync(join(folder, 'posted.csv'), rows);
  for (let index = 0; index < screenshots; index += 1) writeFileSync(join(folder, 'data', `0${index}-posted.png`), '');
  return checkEffects(folder, join(folder, 'data'), invoices)
    .filter(({ holds }) => !holds)
    .map(({ text }) => text);
}

describe('checkEffects', () => {
  it('is content when all was posted', () => {
    expect(missing(posted, list)).toEqual([]);
  });

  it('sees a wrong date, amount, supplier or number', () => {
    const changes: [string, string][] = [
      ['739679', '739951'],
      ['-707.25', '-707.2'],
      ['payee="2"', 'payee="3"'],
      ['KB-2026', 'KB-2025'],
    ];
    for (const [from, to] of changes) {
      cpSync(examples, folder, { recursive: true });
      expect(missing(posted.replace(from, to), list), to).toEqual([expect.stringContaining('found 0 times')]);
    }
  });

  it('sees a transaction too many, a wrong row and a missing screenshot', () => {
    const more = '<ope date="739679" amount="-1" account="1" payee="1" info="X"/>\n';
    expect(missing(posted + more, list.replace('7804.94', '7804.95'), 2)).toEqual([
      expect.stringContaining('3 transactions and no other'),
      expect.stringContaining('posted.csv'),
      'screenshots: 2 of 3',
    ]);
  });

  it('sees that nothing happened', () => {
    rmSync(join(folder, 'data'), { recursive: true });
    expect(checkEffects(folder, join(folder, 'data'), invoices).filter(({ holds }) => holds)).toEqual([]);
  });
});
