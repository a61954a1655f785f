/**
 * What the scripted model of the demo knows about the invoices of examples/invoices, and
 * what each request must hold to get it: the numbers and totals that stand in the documents.
 *
 * @type {(import('./scripted-model.mjs').Exchange & {values: {number: string, date: string, supplier: string, total: string}})[]}
 */
export const invoiceScript = [
  exchange('kestrel-bay.pdf', ['KB-2026-0417', '4 March 2026', 'EUR 428.40'], {
    number: 'KB-2026-0417',
    date: '2026-03-04',
    supplier: 'Kestrel Bay Paper',
    total: '428.40',
  }),
  exchange('hinoki.pdf', ['HJ-20260312-08', 'Hinoki Office Supply', '--- page 2 ---', '1059.41'], {
    number: 'HJ-20260312-08',
    date: '2026-03-12',
    supplier: 'Hinoki Office Supply',
    total: '1059.41',
  }),
  exchange('larkfield.xlsx', ['LF/2026/0093', '19.03.2026', '707.25'], {
    number: 'LF/2026/0093',
    date: '2026-03-19',
    supplier: 'Larkfield Freight',
    total: '707.25',
  }),
];

/**
 * @param {string} file
 * @param {string[]} demands
 * @param {{number: string, date: string, supplier: string, total: string}} values
 */
function exchange(file, demands, values) {
  return { when: [`<file name="${file}">`], demands, answers: [{ respond: values }], values };
}
