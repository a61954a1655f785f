import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './freshness.mjs';
import { setUp } from './setup.mjs';

/**
 * `npm run bench [name…]`: measures us beside something else that does the same work
 * (test/bench/NAME.bench.ts), one after another. Exits with 1 when a promise does not hold.
 */

/** @typedef {import('../test/bench/figure.ts').Figure} Figure */

const folder = join(root, 'test/bench');

await setUp('bench');
const { ensureBuilt } = await import('./build.mjs');
await ensureBuilt();

const figures = await measure(process.argv.slice(2));
printTable(figures);
process.exit(figures.every(({ holds }) => holds) ? 0 : 1);

/**
 * @param {string[]} names All when empty.
 * @returns {Promise<Figure[]>}
 */
async function measure(names) {
  const { createServer } = await import('vite');
  // Loads the bench's TypeScript, each module at its own address.
  const loader = await createServer({
    root,
    configFile: false,
    appType: 'custom',
    logLevel: 'error',
    server: { middlewareMode: true, hmr: false, ws: false, watch: null },
  });
  try {
    const all = readdirSync(folder).filter((file) => file.endsWith('.bench.ts'));
    const chosen = all.filter((file) => names.length === 0 || names.includes(file.replace('.bench.ts', '')));
    if (chosen.length === 0) throw new Error(`there is no bench of that name; there are ${all.join(', ')}`);
    /** @type {Figure[]} */
    const found = [];
    for (const file of chosen) {
      console.error(`Measuring ${file} …`);
      const { run } = await loader.ssrLoadModule(join(folder, file));
      found.push(...(await run()));
    }
    return found;
  } finally {
    await loader.close();
  }
}

/** @param {Figure[]} rows */
function printTable(rows) {
  const heads = ['figure', 'ours', 'theirs', 'unit', 'ratio', 'promised', ''];
  const cells = rows.map(({ name, ours, theirs, unit, ratio, limit, holds }) => [
    name,
    short(ours),
    short(theirs),
    unit,
    short(ratio),
    limit,
    holds ? 'holds' : 'DOES NOT HOLD',
  ]);
  const widths = heads.map((head, column) => Math.max(head.length, ...cells.map((row) => row[column]?.length ?? 0)));
  for (const row of [heads, ...cells]) {
    console.log(
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    );
  }
}

/** @param {number} value */
function short(value) {
  return value.toPrecision(3);
}
