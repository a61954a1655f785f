import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Judges the demo by its effects: what is in the books that HomeBank saved, in the list
 * that the shell steps wrote, and in the run's folder of screenshots. What the run itself
 * said about its success is not looked at.
 *
 * @typedef {object} Invoice
 * @property {string} number
 * @property {string} date As YYYY-MM-DD.
 * @property {string} supplier
 * @property {string} total With two decimals.
 *
 * @typedef {object} Finding
 * @property {boolean} holds
 * @property {string} text What was looked for, and what was found where it does not hold.
 */

/** What the account holds in the books of examples/invoices, in cents. */
const startingBalance = 1_000_000;

/**
 * @param {string} folder Where the workflow ran.
 * @param {string} home Its data directory.
 * @param {readonly Invoice[]} invoices What had to be posted, in this order.
 * @returns {Finding[]}
 */
export function checkEffects(folder, home, invoices) {
  return [
    ...checkBooks(readFileSync(join(folder, 'books.xhb'), 'utf8'), invoices),
    ...checkList(join(folder, 'posted.csv'), invoices),
    checkScreenshots(home, invoices.length),
  ];
}

/** @param {string} path */
export function listText(path) {
  return existsSync(path) ? readFileSync(path, 'utf8') : '';
}

/**
 * @param {string} xml HomeBank's file.
 * @param {readonly Invoice[]} invoices
 * @returns {Finding[]}
 */
function checkBooks(xml, invoices) {
  const payees = new Map(elements(xml, 'pay').map(({ key, name }) => [key, name]));
  const posted = elements(xml, 'ope').map(({ date, amount, payee, info }) => ({
    number: info,
    date: dateOfDay(Number(date)),
    supplier: payees.get(payee),
    total: (-Number(amount)).toFixed(2),
  }));
  const found = invoices.map((invoice) => {
    const { number, date, supplier, total } = invoice;
    const count = posted.filter((one) =>
      Object.entries(invoice).every(([key, value]) => one[/** @type {keyof Invoice} */ (key)] === value),
    ).length;
    const text = `books.xhb: ${number} of ${date}, ${supplier}, ${total}`;
    return { holds: count === 1, text: count === 1 ? text : `${text}: found ${count} times` };
  });
  const all = `books.xhb: ${invoices.length} transactions and no other`;
  const whole = posted.length === invoices.length;
  return [...found, { holds: whole, text: whole ? all : `${all}: found ${JSON.stringify(posted)}` }];
}

/**
 * @param {string} path
 * @param {readonly Invoice[]} invoices
 * @returns {Finding[]}
 */
function checkList(path, invoices) {
  const rows = listText(path).trimEnd().split('\n');
  let balance = startingBalance;
  const expected = invoices.map(({ number, date, supplier, total }) => {
    balance -= Math.round(Number(total) * 100);
    return `"${number}",${date},"${supplier}",${total},${balance / 100}`;
  });
  const holds = rows.slice(1).join('\n') === expected.join('\n');
  const text = `posted.csv: ${expected.length} rows, each with the balance that HomeBank showed`;
  return [{ holds, text: holds ? text : `${text}: expected ${expected.join(' | ')}` }];
}

/**
 * @param {string} home
 * @param {number} expected
 * @returns {Finding}
 */
function checkScreenshots(home, expected) {
  const count = screenshotsIn(home).length;
  return { holds: count === expected, text: `screenshots: ${count} of ${expected}` };
}

/** @param {string} home */
export function screenshotsIn(home) {
  if (!existsSync(home)) return []; // the run did not begin
  return readdirSync(home, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('-posted.png'))
    .sort()
    .map((file) => join(home, file));
}

/**
 * The attributes of all elements of a name; enough for HomeBank's flat file.
 *
 * @param {string} xml
 * @param {string} name
 * @returns {Record<string, string>[]}
 */
function elements(xml, name) {
  return [...xml.matchAll(new RegExp(`<${name} ([^>]*)/>`, 'g'))].map(([, attributes = '']) =>
    Object.fromEntries([...attributes.matchAll(/(\w+)="([^"]*)"/g)].map(([, key, value]) => [key, value])),
  );
}

/**
 * HomeBank counts days from the first of January of the year 1.
 *
 * @param {number} day
 */
function dateOfDay(day) {
  return new Date((day - 719_163) * 86_400_000).toISOString().slice(0, 10);
}
